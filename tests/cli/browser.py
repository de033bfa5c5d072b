# SPDX-License-Identifier: GPL-2.0
"""
browser.py CHROMIUM PROFILE <STEPS - drives a headless Chromium, with events as from a person.

The steps, one a line:

    part WORDS          what stands before DESC from here on
    open URL            load it, and wait until it is loaded
    back                as the button of the browser
    is DESC :: JAVASCRIPT :: WANT
                        print "ok DESC" if that is what it gives, else "not ok DESC" and what it gave
    eval JAVASCRIPT     print what it gives, on one line
    wait JAVASCRIPT     until it is true
    point NAME          move the pointer to the frame of a flame graph with this name
    pointer X Y         move it there
    scroll Y            the page, so that this is at the top
    click NAME          and click; "click button:WORD" a button, "text:WORDS" a text or a button
                        of HTML with these
    drag X1 Y1 X2 Y2    from there to there
    key [ctrl+]KEY      press one, such as Enter, ArrowUp, f
    type TEXT           type it, into what has the focus
    dark yes|no         what the user prefers
    script yes|no       whether scripts run in documents that are opened from here on
    size WIDTH HEIGHT   of the window
    shot FILE           a PNG of what is seen
    ms JAVASCRIPT       print how many ms it and the drawing that follows take

It speaks the DevTools protocol over --remote-debugging-pipe: JSON, ended by NUL, on descriptors 3
and 4. What a script of the page complains of goes to standard error as "page: ...". Exit status 1
if a step fails.
"""
import base64
import fcntl
import json
import os
import select
import subprocess
import sys
import time

LIMIT = 60  # seconds for one step

FIND = """(name => {
    if (name.startsWith('text:')) {
        const t = [...document.querySelectorAll('text, button')].find(t => t.textContent.includes(name.slice(5)));
        const r = t && t.getBoundingClientRect();
        return r ? [r.left + r.width / 2, r.top + r.height / 2] : null;
    }
    const of = [...document.querySelectorAll(name.startsWith('button:') ? '.button' : '#frames g')];
    const word = name.replace('button:', '');
    const g = of.find(g => g.querySelector(name === word ? 'title' : 'text').textContent
                            .replace(/ \\(.*/s, '') === word);
    if (!g)
        return null;
    const r = g.querySelector('rect').getBoundingClientRect();
    return [r.left + r.width / 2, r.top + r.height / 2];
})"""

KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40, "Tab": 9}


class Failed(Exception):
    pass


class Browser:
    def __init__(self, program, profile):
        # Away from 3 and 4, which are what they become in the browser.
        theirs, self.to = map(self.away, os.pipe())
        self.by, their_answers = map(self.away, os.pipe())

        def give():
            os.dup2(theirs, 3)
            os.dup2(their_answers, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--user-data-dir=" + profile, "--window-size=1000,600"],
            preexec_fn=give, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(their_answers)
        self.rest, self.number, self.session, self.seen = b"", 0, None, []
        self.named = ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    @staticmethod
    def away(fd):
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
        os.close(fd)
        return high

    def message(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.by], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise Failed("no answer from the browser")
            more = os.read(self.by, 1 << 20)
            if not more:
                raise Failed("the browser is gone")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        method, about = message.get("method"), message.get("params", {})
        self.seen.append(method)
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            print("page:", details.get("exception", {}).get("description", details["text"]),
                  file=sys.stderr)
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            print("page:", about["entry"]["text"], file=sys.stderr)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + LIMIT
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(answer["error"]["message"])
                return answer["result"]
            self.note(answer)

    def evaluate(self, text):
        got = self.ask("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise Failed(got["exceptionDetails"]["exception"].get("description", text))
        return got["result"].get("value")

    def open(self, url):
        self.seen = []
        self.ask("Page.navigate", url=url)
        until = time.monotonic() + LIMIT
        while "Page.loadEventFired" not in self.seen:
            self.note(self.message(until))

    def back(self, _):
        history = self.ask("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]["id"]
        self.ask("Page.navigateToHistoryEntry", entryId=entry)

    def eval(self, text):
        value = self.evaluate(text)
        print(value if isinstance(value, str) else json.dumps(value), flush=True)

    def part(self, words):
        self.named = words + ": "

    def check(self, words):
        desc, text, want = (w.strip() for w in (self.named + words + " ").split(" :: "))
        value = self.evaluate(text)
        got = value if isinstance(value, str) else json.dumps(value)
        if got == want:
            print("ok", desc, flush=True)
        else:
            print("not ok %s: it is %s, not %s" % (desc, got, want), flush=True)

    def wait(self, text):
        until = time.monotonic() + LIMIT
        while not self.evaluate(text):
            if time.monotonic() > until:
                raise Failed("never true: " + text)
            time.sleep(0.02)

    def mouse(self, kind, place, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def point(self, name):
        place = self.evaluate("%s(%s)" % (FIND, json.dumps(name)))
        if not place:
            raise Failed("not in the picture: " + name)
        self.mouse("mouseMoved", place)
        return place

    def pointer(self, words):
        self.mouse("mouseMoved", list(map(int, words.split())))

    def scroll(self, y):
        self.evaluate("void window.scrollTo(0, %d)" % int(y))

    def click(self, name):
        place = self.point(name)
        for kind in "mousePressed", "mouseReleased":
            self.mouse(kind, place, button="left", clickCount=1)

    def drag(self, words):
        x1, y1, x2, y2 = map(int, words.split())
        self.mouse("mouseMoved", (x1, y1))
        self.mouse("mousePressed", (x1, y1), button="left", clickCount=1)
        self.mouse("mouseMoved", (x2, y2), button="left", buttons=1)
        self.mouse("mouseReleased", (x2, y2), button="left", clickCount=1)

    def key(self, name):
        modifiers = 2 if name.startswith("ctrl+") else 0
        name = name.replace("ctrl+", "")
        event = {"key": name, "modifiers": modifiers,
                 "windowsVirtualKeyCode": KEYS.get(name, ord(name[0].upper()))}
        if len(name) == 1 and not modifiers:
            event["text"] = name
        self.ask("Input.dispatchKeyEvent", type="keyDown", **event)
        event.pop("text", None)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def dark(self, yes):
        value = "dark" if yes == "yes" else "light"
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": value}])

    def script(self, yes):
        self.ask("Emulation.setScriptExecutionDisabled", value=yes != "yes")

    def size(self, words):
        width, height = map(int, words.split())
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def shot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def ms(self, text):
        print(round(self.evaluate("""(async () => {
            const drawn = () => new Promise(done => requestAnimationFrame(() =>
                setTimeout(done, 0)));
            await drawn();
            const from = performance.now();
            %s;
            await drawn();
            return performance.now() - from;
        })()""" % text)), flush=True)

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(10)
        except (Failed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def main():
    browser = Browser(sys.argv[1], sys.argv[2])
    try:
        for line in sys.stdin:
            verb, _, rest = line.strip().partition(" ")
            if not verb or verb.startswith("#"):
                continue
            try:
                getattr(browser, "check" if verb == "is" else verb)(rest)
            except Failed as e:
                print("%s: %s" % (line.strip(), e), file=sys.stderr)
                return 1
    finally:
        browser.close()
    return 0


sys.exit(main())
