# SPDX-License-Identifier: GPL-2.0
#
# json_schemas.py - does what a command printed agree with docs/json.md?
#
#   json_schemas.py check DOC SECTION[|SECTION...] FILE SEEN    every object is as one of these sections says; what was seen is added to SEEN
#   json_schemas.py covered DOC SEEN [BEGIN...]                 every member that is not "only if" was seen, but of sections that begin so
import json
import re
import sys

ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (.*?) ?\|$")


class Node:
    def __init__(self):
        self.types, self.optional, self.path, self.is_key = None, False, None, False
        self.members, self.element, self.words = {}, None, None

    def step(self, name):
        if name == "[]":
            self.element = self.element or Node()
            return self.element
        return self.members.setdefault(name, Node())

    def always(self):
        # an object or array is there if something in it always is
        if self.path:
            return not self.optional
        inside = list(self.members.values()) + ([self.element] if self.element else [])
        return any(m.always() for m in inside)


def sections(doc):
    found, name, before = {}, None, False
    for line in open(doc, encoding="utf-8"):
        if line.startswith("#"):
            name = line.strip("# \n")
            continue
        row = ROW.match(line)
        if not row or name in (None, "Types"):
            continue
        node = found.setdefault(name, Node())
        for part in row[1].split("."):
            for step in re.findall(r"\[\]|[^\[]+", part):
                node = node.step(step)
        node.path = row[1]
        node.types = set(row[2].strip().split(" or "))
        # a string is one of these words
        if re.search('(one of|always) "', row[3]):
            node.words = re.findall('"([^"]*)"', row[3].partition(";")[0])
        node.is_key = "one of `keys`" in row[3]
        # what is like the row above has its condition, too
        node.optional = "only if" in row[3] or ("likewise" in row[3] and before)
        before = node.optional
    return found


class Checker:
    def __init__(self, doc):
        self.sections, self.errors, self.seen, self.keys = sections(doc), [], set(), []

    def wrong(self, where, what):
        self.errors.append(f"{where or 'the object'}: {what}")

    def value(self, v, where):
        if isinstance(v, dict):
            if set(v) != {"value", "name"}:
                self.wrong(where, f"members {sorted(v)} of a value")
        elif isinstance(v, list):
            for one in v:
                self.value(one, where + "[]")

    def typed(self, node, v, where, section):
        names = {bool: "boolean", str: "string", int: "number", float: "number", type(None): "null"}
        plain = names.get(type(v))
        if plain in node.types:
            if node.words and plain == "string" and v not in node.words:
                self.wrong(where, f"'{v}' is not among the words")
            return
        if isinstance(v, list) and "array" in node.types:
            return
        if isinstance(v, list) and ("frames" in node.types or "graph" in node.types) and not (
            "value" in node.types and v and not isinstance(v[0], dict)
        ):
            of = "frames" if "frames" in node.types else "graph"
            for one in v:
                self.object(self.sections[of], one, where + "[]", of)
        elif "change" in node.types and isinstance(v, dict):
            self.object(self.sections["change"], v, where, "change")
        elif "row" in node.types and isinstance(v, dict):
            self.object(self.row, v, where, section)
        elif "value" in node.types:
            self.value(v, where)
        else:
            self.wrong(where, f"{plain or type(v).__name__}, not {' or '.join(sorted(node.types))}")

    def object(self, node, v, where, section):
        if node.path:
            self.seen.add(f"{section}\t{node.path}")
        if isinstance(v, list) and node.element:
            for one in v:
                self.object(node.element, one, where + "[]", section)
        elif isinstance(v, dict) and (node.members or not node.types):
            for name, one in v.items():
                at = f"{where}.{name}" if where else name
                member = node.members.get(name)
                if member is None:
                    fit = [m for k, m in node.members.items() if k[-1] == "*" and name.startswith(k[:-1])]
                    member = max(fit, key=lambda m: len(m.path)) if fit else None
                if member is None:
                    self.wrong(at, "is not documented")
                    continue
                if member.is_key and self.keys and name not in self.keys:
                    self.wrong(at, "is not documented, and no key")
                if name == "entries" and where.endswith("entries[]"):
                    self.row = node
                if isinstance(one, (dict, list)) and (member.members or member.element) or not member.types:
                    if isinstance(one, (dict, list)) or one is not None:
                        self.object(member, one, at, section)
                    elif "*" not in node.members:
                        self.wrong(at, "null")
                    continue
                self.seen.add(f"{section}\t{member.path}")
                self.typed(member, one, at, section)
            for name, member in node.members.items():
                if name not in v and member.always():
                    self.wrong(f"{where}.{name}" if where else name, "is missing")
        elif node.types:
            self.typed(node, v, where, section)
        elif "*" not in node.members:
            self.wrong(where, "is no object")


def values(text):
    def pairs(p):
        assert len({k for k, _ in p}) == len(p), "a member twice"
        return dict(p)

    decoder = json.JSONDecoder(object_pairs_hook=pairs, strict=True)
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        v, at = decoder.raw_decode(text, at)
        yield v


def check(doc, names, path, seen):
    text = open(path, encoding="utf-8").read()
    n, bad, found = 0, 0, set()
    for v in values(text):
        n += 1
        tries = []
        for name in names.split("|"):
            c = Checker(doc)
            root, c.keys = c.sections[name], v.get("keys", []) if isinstance(v, dict) else []
            c.object(root, v, "", name)
            tries.append(c)
        best = min(tries, key=lambda c: len(c.errors))
        found |= best.seen
        for e in best.errors[:5]:
            print("#", e)
        bad += bool(best.errors)
    with open(seen, "a", encoding="utf-8") as out:
        out.writelines(f"{s}\n" for s in sorted(found))
    if not n:
        print("# nothing was printed")
    return n > 0 and not bad


def covered(doc, seen, *skipped):
    had = set(open(seen, encoding="utf-8").read().splitlines())
    missing = []

    def walk(node, section):
        if node.path and f"{section}\t{node.path}" not in had:
            if not node.optional:
                missing.append(f"{section}: {node.path}")
            elif node.types <= {"object", "array"}:
                return
        for m in list(node.members.values()) + ([node.element] if node.element else []):
            walk(m, section)

    for section, root in sections(doc).items():
        if not section.startswith(tuple(skipped)):
            walk(root, section)
    for m in missing:
        print("#", m)
    return not missing


if sys.argv[1] == "check":
    ok = check(*sys.argv[2:6])
else:
    ok = covered(*sys.argv[2:])
sys.exit(0 if ok else 1)
