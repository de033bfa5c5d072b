// SPDX-License-Identifier: GPL-2.0
/*
 * Zoom, search, keys and links for a flame graph. The frames of the document are replaced by ones
 * drawn from the table, which flamegraph_internal.h describes: only those that can be seen, and as one
 * path for each tone where there is no room for a name. So no action touches more than a few
 * thousand elements, and what the pointer is on is looked up in the table, not in the document.
 *
 * The script precedes the frames, so that the browser need not lay out what is to be replaced.
 * If it fails, they are the picture.
 *
 * Names only ever become text.
 */
'use strict';
(() => {
const page = document.documentElement.classList;

function flamegraph() {
const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
const LETTER = 7.45;      // px of a letter in a frame
const PAD = 3, GAP = .5;  // px beside a name, and between frames
const ALONE = 6 * GAP;    // px: what is narrower has no gap
const SEEN = .1;          // px: what is narrower is not drawn
const NAMED = 30;         // px: what is narrower has no name
const WIDTH_MIN = 200;
const CUT_ROWS = 30, CUT_SHARE = 200;  // as flamegraph_internal.h has them
const NARROW = 480;       // px: a telephone's, where the title needs the room
const TERM_MAX = 1000;
const KINDS = ['', 'user', 'kernel', 'inlined', 'JIT', 'group', 'unknown'];

const root = document.querySelector('svg');
const table = JSON.parse(document.getElementById('table').textContent);
const number = table.depth.length, whole = Number(table.count[0]);
const rows = table.depth.reduce((a, b) => Math.max(a, b), 0) + 1;

/* ---- the table ---- */

const start = new Float64Array(number);  // counts to the left of a frame
const count = new Float64Array(number);
const parent = new Int32Array(number);
const end = new Int32Array(number);      // behind the last frame of its subtree
const byRow = Array.from({length: rows}, () => []);  // frames from left to right

function readTable() {
	const open = [];       // the frame of each depth that is not ended
	const next = [0];      // where the next frame of a depth begins

	for (let i = 0; i < number; i++) {
		const depth = table.depth[i];

		while (open.length > depth)
			end[open.pop()] = i;
		parent[i] = depth ? open[depth - 1] : -1;
		count[i] = Number(table.count[i]);
		start[i] = next[depth];
		next[depth] += count[i];
		next[depth + 1] = start[i];
		open.push(i);
		byRow[depth].push(i);
	}
	while (open.length)
		end[open.pop()] = number;
}

function labelOf(i) {
	return table.label[i] >= 0 ? table.labels[table.label[i]] : null;
}

/* Frames that were too narrow have one box together. */
function merged(i) {
	return -1 - table.label[i];
}

function nameOf(i) {
	const label = labelOf(i);

	if (label)
		return label[0];
	if (!merged(i))
		return 'all';
	return merged(i) === 1 ? '1 narrow frame' : `${merged(i)} narrow frames`;
}

function toneOf(i) {
	const label = labelOf(i);

	if (table.tone)
		return table.tones[table.tone[i]];
	return table.tones[label ? label[1] : merged(i) ? 1 : 0];
}

/* The classes of a frame that has a gap, and so a shade. */
function classesOf(i) {
	const label = labelOf(i), shade = label && !table.tone ? label[2] : 0;

	return toneOf(i) + (shade ? ` s${shade}` : '') + (isHit(i) ? ' hit' : '');
}

/* ---- what is shown ---- */

const view = {
	zoom: 0,       // the frame that is as wide as the sheet
	term: '',      // what is searched for
	inverted: table.inverted,
	focus: -1,     // where the keys are
	pointed: -1,   // where the pointer is
	code: true,    // instructions are shown, of what is zoomed to
	index: false,  // or the functions that have some
};
const code = document.getElementById('code');  // null: there are none
const sections = code ? [...code.querySelectorAll('section')] : [];
const index = document.createElementNS(XHTML, 'ul');
let width = 0, height = 0;
let shown = 0;         // frames of this depth and more are not drawn
let least = 0;         // so many rows are in any case
let more = 0;          // rows of what is zoomed to that are not drawn
let tower = -1;        // the widest frame of the first of them
let cutFor = -1;       // all that is of what was zoomed to then
let sight = [0, 0];    // px, from the top of the sheet to the bottom: what is drawn
let hits = null;       // by label: whether its name matches; null: no search
let badTerm = false;   // the term is no regular expression

function room() {
	return width - 2 * table.margin;
}

function isAbove(i) {
	return i < view.zoom && end[i] > view.zoom;
}

/* Rows in which next to nothing is do not make the sheet high: see flamegraph_internal.h. */
function cutRows() {
	const sums = new Float64Array(rows);
	let top = rows;

	if (cutFor === view.zoom)
		return;
	cutFor = view.zoom;
	for (let i = view.zoom; i < end[view.zoom]; i++)
		sums[table.depth[i]] += count[i];
	while (!sums[top - 1])
		top--;
	shown = top;
	while (sums[shown - 1] < Math.floor(count[view.zoom] / CUT_SHARE))
		shown--;
	if (top - shown < CUT_ROWS)
		shown = top;
	shown = Math.max(shown, least);
	if (!view.zoom)
		least = shown;
	more = Math.max(top - shown, 0);
	tower = -1;
	for (let i = view.zoom; more && i < end[view.zoom]; i++)
		if (table.depth[i] === shown && (tower < 0 || count[i] > count[tower]))
			tower = i;
	height = table.top + lines() * table.row + table.margin;
	root.setAttribute('height', height);
	root.setAttribute('viewBox', `0 0 ${width} ${height}`);
	aim();
}

/* Lines of the sheet: one has the number of rows that are not shown. */
function lines() {
	return shown + (more ? 1 : 0);
}

function isShown(i) {
	if (table.depth[i] >= shown)
		return false;
	return isAbove(i) || i >= view.zoom && i < end[view.zoom];
}

function xOf(i) {
	if (isAbove(i))
		return table.margin;
	return table.margin + (start[i] - start[view.zoom]) / count[view.zoom] * room();
}

function widthOf(i) {
	return isAbove(i) ? room() : count[i] / count[view.zoom] * room();
}

function yOf(i) {
	const depth = table.depth[i];

	return table.top + (view.inverted ? depth : lines() - 1 - depth) * table.row;
}

/* How many frames of a row, from the left, pass the test. */
function leading(row, test) {
	let low = 0, high = row.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (test(row[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The frame at a place of the sheet, or -1. */
function frameAt(x, y) {
	const line = Math.floor((y - table.top) / table.row);
	const depth = view.inverted ? line : lines() - 1 - line;
	let above = view.zoom;

	if (depth < 0 || depth >= shown || line < 0 || x < table.margin || x >= width - table.margin)
		return -1;
	while (table.depth[above] > depth)
		above = parent[above];
	if (table.depth[above] === depth)
		return above;

	const row = byRow[depth];
	const at = start[view.zoom] + (x - table.margin) / room() * count[view.zoom];
	const i = row[leading(row, f => start[f] <= at) - 1] ?? -1;
	return i >= 0 && isShown(i) && at < start[i] + count[i] && widthOf(i) >= SEEN ? i : -1;
}

/* ---- text ---- */

function grouped(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/* As flamegraph_sheet_put_ns() has it. */
function duration(ns) {
	const unit = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']].find(u => ns >= u[0]);

	if (!unit)
		return `${ns} ns`;
	const n = ns / unit[0], decimals = n < 10 ? 2 : n < 100 ? 1 : 0;
	const [whole, rest] = n.toFixed(decimals).split('.');

	return `${grouped(whole)}${rest ? `.${rest}` : ''} ${unit[1]}`;
}

function amount(n) {
	if (table.time)
		return duration(Number(n));
	return `${grouped(n)} ${table.unit ?? (Number(n) === 1 ? 'sample' : 'samples')}`;
}

function share(n, of) {
	return of ? Math.round(n / of * 10000) / 100 : 0;
}

function percent(n, of) {
	return `${share(n, of).toFixed(2)}%`;
}

/* Columns of a character: the rule of flamegraph_sheet.c. */
function columns(c) {
	return c.codePointAt(0) >= 0x1000 ? 2 : 1;
}

/* The beginning of a text, of so many columns. */
function cut(text, max) {
	let used = 0, kept = 0;

	for (const c of text) {
		used += columns(c);
		if (used > max)
			break;
		kept += c.length;
	}
	return text.slice(0, kept);
}

function fitting(text, max) {
	if (cut(text, max).length === text.length)
		return text;
	return max > 2 ? `${cut(text, max - 1)}\u2026` : '';
}

function numbersOf(i) {
	const parts = [amount(table.count[i]), `${percent(count[i], whole)} of all`];
	const label = labelOf(i);

	if (view.zoom && !isAbove(i))
		parts.push(`${percent(count[i], count[view.zoom])} of the view`);
	if (table.was) {
		const old = Number(table.old), was = Number(table.was[i]);
		const change = share(count[i], whole) - share(was, old);

		parts.push(`${change < 0 ? '' : '+'}${change.toFixed(2)}%`,
			   `before: ${amount(table.was[i])}, ${percent(was, old)}`);
	}
	if (label && KINDS[label[3]])
		parts.push(KINDS[label[3]]);
	if (label && label.length > 4)
		parts.push(table.files[label[4]]);
	return parts.join(', ');
}

/* ---- elements ---- */

function make(name, attributes, text) {
	const e = document.createElementNS(SVG, name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

function round(x) {
	return Math.round(x * 100) / 100;
}

function boxOf(i) {
	const w = Math.max(widthOf(i), SEEN);

	return {x: round(xOf(i)), y: yOf(i), width: round(w >= ALONE ? w - GAP : w), height: table.bar};
}

const frames = document.getElementById('frames');
const head = document.getElementById('head');
const texts = [...head.querySelectorAll('text')]  // that may be longer than the window is wide
	.filter(e => e.parentNode === head && Number(e.getAttribute('x')) === table.margin)
	.map(e => ({e, text: e.textContent, isTitle: e.classList.contains('title')}));
const backdrop = make('rect', {class: 'sheet', x: 0, y: 0, width: '100%', height: table.top - 4});
const details = make('text', {class: 'details', x: table.margin, y: table.top - 28});
const numbers = make('text', {class: 'numbers', x: table.margin, y: table.top - 10,
			      'aria-live': 'polite'});
const status = make('text', {class: 'status', y: table.top - 28, role: 'status'});
const mark = make('rect', {class: 'mark', visibility: 'hidden'});
const markTitle = make('title', {});
const focus = make('rect', {class: 'focus', visibility: 'hidden'});

/* ---- drawing ---- */

function isHit(i) {
	return hits !== null && table.label[i] >= 0 && hits[table.label[i]] === 1;
}

function group(i, above) {
	const box = boxOf(i), g = make('g', {class: classesOf(i) + (above ? ' above' : '')});
	const text = fitting(nameOf(i), Math.floor((widthOf(i) - 2 * PAD) / LETTER));

	g.append(make('title', {}, `${nameOf(i)} (${numbersOf(i)})`), make('rect', box));
	if (text)
		g.append(make('text', {x: round(box.x + PAD), y: box.y + 12.5}, text));
	return g;
}

/* Rectangles without names: neighbours of one tone that have no gap are one. */
class Paths {
	constructor() {
		this.pieces = new Map();
		this.runs = new Array(rows).fill(null);
	}

	add(i) {
		const depth = table.depth[i], tone = isHit(i) ? `${toneOf(i)} hit` : toneOf(i);
		const x = xOf(i), w = widthOf(i);
		let run = this.runs[depth];

		if (w >= ALONE) {
			this.put(classesOf(i), x, yOf(i), w - GAP);
			return;
		}
		if (!run || run.tone !== tone || x - run.end > .01) {
			this.finish(run);
			run = this.runs[depth] = {tone, x, y: yOf(i)};
		}
		run.end = x + w;
	}

	put(tone, x, y, w) {
		let pieces = this.pieces.get(tone);

		if (!pieces)
			this.pieces.set(tone, pieces = []);
		x = round(x);
		w = round(w);
		pieces.push(`M${x} ${y}h${w}v${table.bar}h-${w}z`);
	}

	finish(run) {
		if (run)
			this.put(run.tone, run.x, run.y, run.end - run.x);
	}

	elements() {
		this.runs.forEach(run => this.finish(run));
		return Array.from(this.pieces, ([tone, pieces]) =>
			make('path', {class: tone, d: pieces.join('')}));
	}
}

function isInSight(i) {
	const y = yOf(i);

	return y >= sight[0] && y <= sight[1];
}

function drawFrames() {
	const scale = room() / count[view.zoom], paths = new Paths();
	const all = document.createDocumentFragment();

	for (let i = parent[view.zoom]; i >= 0; i = parent[i])
		if (isInSight(i))
			all.prepend(group(i, true));
	for (let i = view.zoom; i < end[view.zoom];) {
		const w = count[i] * scale;

		if (w < SEEN || table.depth[i] >= shown) {
			i = end[i];
			continue;
		}
		if (isInSight(i)) {
			if (w < NAMED)
				paths.add(i);
			else
				all.append(group(i, false));
		}
		i++;
	}
	frames.replaceChildren(...paths.elements(), all);
	if (more)
		frames.append(cutMark());
}

function cutMark() {
	const x = xOf(tower), left = x < width / 2;

	return make('text', {class: `cut${left ? '' : ' left'}`, x: round(x), y: yOf(tower) + 12},
		    `\u22ee ${more} more rows`);
}

function place(rect, i) {
	const shown = i >= 0 && isShown(i);

	rect.setAttribute('visibility', shown ? 'visible' : 'hidden');
	if (!shown)
		return;
	for (const [key, value] of Object.entries(boxOf(i)))
		rect.setAttribute(key, value);
}

/* The two lines in the head: the frame pointed at, else the one in focus, else the one zoomed to. */
function showDetails() {
	const i = view.pointed >= 0 ? view.pointed : view.focus >= 0 ? view.focus : view.zoom;
	const free = room() - (status.textContent.length + 2) * LETTER;

	details.textContent = fitting(nameOf(i), Math.floor(free / LETTER));
	numbers.textContent = fitting(numbersOf(i), Math.floor(room() / LETTER));
	place(mark, view.pointed);
	place(focus, view.focus);
	if (view.pointed >= 0)
		markTitle.textContent = `${nameOf(i)}\n${numbersOf(i)}`;
}

function showMatched() {
	status.textContent = hits === null ? '' :
		`matched: ${table.narrow ? 'at least ' : ''}${percent(matched(0), whole)}` +
		(view.zoom ? `, ${percent(matched(view.zoom), count[view.zoom])} of the view` : '') +
		(badTerm ? ' (as plain text)' : '');
}

function draw() {
	cutRows();
	showMatched();
	root.classList.toggle('searching', hits !== null);
	drawFrames();
	showDetails();
}

function scrolled() {
	return Math.max(0, -root.getBoundingClientRect().top);
}

/* Draw what is in the window, and as much again above and below. */
function aim() {
	const y = scrolled();

	sight = [y - window.innerHeight, y + 2 * window.innerHeight];
}

function look() {
	aim();
	draw();
}

/* As wide as the window; as high as it was made. */
function fit() {
	root.setAttribute('width', '100%');
	width = Math.max(WIDTH_MIN, Math.floor(root.getBoundingClientRect().width));
	cutFor = -1;
	cutRows();
	root.setAttribute('width', width);
	status.setAttribute('x', width - table.margin);
	placeTools();
	look();
}

/* The head stays where it is seen. */
function follow() {
	const y = scrolled(), near = window.innerHeight / 2;

	head.setAttribute('transform', `translate(0,${table.top < near ? y : 0})`);
	if (y - near < sight[0] && sight[0] > 0 || y + 3 * near > sight[1] && sight[1] < height)
		look();
}

function scrollTo(i) {
	const y = yOf(i), above = scrolled();
	const free = window.innerHeight - (code ? code.offsetHeight : 0);  // of what is over it

	if (y < above + table.top || y + table.row > above + free)
		window.scrollTo({top: y - free / 2});
}

/* ---- searching ---- */

/* Both ways at once: C++ names are full of what means something else in an expression. */
function matcher(term) {
	const fold = term === term.toLowerCase();
	let expression = null;

	try {
		expression = new RegExp(term, fold ? 'i' : '');
	} catch {
		badTerm = true;
	}
	return name => (fold ? name.toLowerCase() : name).includes(term) ||
		expression !== null && expression.test(name);
}

/* Counts in stacks of a subtree that hold a match, each once. */
function matched(top) {
	let sum = 0;

	for (let i = top; i >= 0; i = parent[i])
		if (isHit(i))
			return count[top];
	for (let i = top; i < end[top];) {
		if (isHit(i)) {
			sum += count[i];
			i = end[i];
		} else {
			i++;
		}
	}
	return sum;
}

function applySearch(term) {
	view.term = term.slice(0, TERM_MAX);
	badTerm = false;
	hits = null;
	if (view.term) {
		const test = matcher(view.term);

		hits = Uint8Array.from(table.labels, label => test(label[0]) ? 1 : 0);
	}
	if (box.value !== view.term)
		box.value = view.term;
	holder.setAttribute('visibility', view.term || document.activeElement === box ? 'visible' : 'hidden');
}

function search(term) {
	applySearch(term);
	writeHash(false);
	draw();
}

/* ---- instructions ---- */

/* The sections of a frame's function, which may be several; what was inlined is in that of its caller. */
function sectionsOf(i) {
	for (; i > 0; i = parent[i]) {
		const label = labelOf(i);
		const found = label ? sections.filter(s => s.dataset.function === label[0] &&
			(label.length < 5 || s.dataset.file === table.files[label[4]])) : [];

		if (found.length || !label || KINDS[label[3]] !== 'inlined')
			return found;
	}
	return [];
}

function widestOf(section) {
	let best = -1;

	for (let i = 1; i < number; i++)
		if ((best < 0 || count[i] > count[best]) && labelOf(i) && sectionsOf(i)[0] === section)
			best = i;
	return best;
}

/* Those of what is zoomed to, or all to choose from. */
function showCode() {
	const shown = view.code ? sectionsOf(view.zoom) : [];

	if (!code)
		return;
	for (const s of sections)
		s.hidden = !shown.includes(s);
	index.hidden = shown.length > 0 || !view.index;
	code.hidden = !shown.length && index.hidden;
	code.scrollTop = 0;
	document.body.style.paddingBottom = `${code.offsetHeight}px`;
}

function toggleCode() {
	view.code = view.index = code.hidden;
	showCode();
}

function xhtml(name, text, action) {
	const e = document.createElementNS(XHTML, name);

	e.textContent = text;
	if (action)
		e.addEventListener('click', action);
	return e;
}

function buildCode() {
	if (!code)
		return;
	index.append(...sections.map(s => {
		const line = xhtml('li', '');

		line.append(xhtml('button', s.querySelector('h2').textContent, () => zoomTo(widestOf(s))));
		return line;
	}));
	code.prepend(xhtml('button', 'Close', toggleCode), index);
	code.classList.add('panel');
	showCode();
}

/* ---- links ---- */

function readHash() {
	const part = new URLSearchParams(location.hash.slice(1));
	const zoom = Number(part.get('zoom') ?? 0), inverted = part.get('inverted');

	view.zoom = Number.isInteger(zoom) && zoom >= 0 && zoom < number ? zoom : 0;
	view.inverted = inverted === null ? table.inverted : inverted === '1';
	applySearch(part.get('search') ?? '');
}

function writeHash(step) {
	const part = new URLSearchParams();
	let hash;

	if (view.zoom)
		part.set('zoom', view.zoom);
	if (view.term)
		part.set('search', view.term);
	if (view.inverted !== table.inverted)
		part.set('inverted', view.inverted ? 1 : 0);
	hash = part.toString() ? `#${part}` : location.pathname + location.search;
	try {
		if (step)
			history.pushState(null, '', hash);
		else
			history.replaceState(null, '', hash);
	} catch {
		/* A document without an address of its own has no links. */
	}
}

async function copyLink() {
	const keep = box.value;

	try {
		await navigator.clipboard.writeText(location.href);
	} catch {
		box.value = location.href;
		holder.setAttribute('visibility', 'visible');
		box.select();
		document.execCommand('copy');
		box.value = keep;
		box.blur();
		applySearch(view.term);
	}
	details.textContent = 'The link is copied.';
	numbers.textContent = '';
}

/* ---- actions ---- */

function zoomTo(i) {
	if (i < 0 || i === view.zoom || i && merged(i) > 0)
		return;
	view.zoom = i;
	view.pointed = -1;
	if (view.focus >= 0)
		view.focus = i;
	view.index = false;
	writeHash(true);
	showCode();
	draw();
	scrollTo(i);
}

function invert() {
	view.inverted = !view.inverted;
	view.pointed = -1;
	writeHash(false);
	draw();
	scrollTo(view.zoom);
}

function reset() {
	view.focus = -1;
	search('');
	zoomTo(0);
}

function openSearch() {
	holder.setAttribute('visibility', 'visible');
	box.focus();
	box.select();
}

function closeSearch() {
	box.blur();
	root.focus({preventScroll: true});
	if (!view.term)
		holder.setAttribute('visibility', 'hidden');
}

/* ---- keys ---- */

function widestChild(i) {
	let best = -1;

	for (let c = i + 1; c < end[i]; c = end[c])
		if (isShown(c) && widthOf(c) >= SEEN && (best < 0 || count[c] > count[best]))
			best = c;
	return best;
}

function neighbour(i, step) {
	const row = byRow[table.depth[i]];

	for (let at = leading(row, f => f < i) + step; row[at] >= 0 && isShown(row[at]); at += step)
		if (widthOf(row[at]) >= SEEN)
			return row[at];
	return -1;
}

function move(key) {
	const from = view.focus >= 0 && isShown(view.focus) ? view.focus : -1;
	let to = view.zoom;

	if (from >= 0) {
		if (key === 'ArrowLeft' || key === 'ArrowRight')
			to = neighbour(from, key === 'ArrowLeft' ? -1 : 1);
		else if ((key === 'ArrowDown') === view.inverted)
			to = widestChild(from);
		else
			to = parent[from];
	}
	if (to < 0)
		return;
	view.focus = to;
	view.pointed = -1;
	showDetails();
	scrollTo(to);
}

function escape() {
	if (view.zoom)
		zoomTo(0);
	else if (view.term)
		search('');
	else
		view.focus = -1;
	showDetails();
}

const KEYS = {
	ArrowUp: move, ArrowDown: move, ArrowLeft: move, ArrowRight: move,
	Enter: () => zoomTo(view.focus),
	Escape: escape,
	'/': openSearch,
	i: invert,
	...sections.length && {c: toggleCode},
};

function onKey(event) {
	const control = event.ctrlKey || event.metaKey, inBox = event.target === box;

	if (control && event.key === 'f' && !inBox) {
		openSearch();
	} else if (inBox && (event.key === 'Enter' || event.key === 'Escape')) {
		if (event.key === 'Escape')
			search('');
		closeSearch();
	} else if (!inBox && !control && !event.altKey && Object.hasOwn(KEYS, event.key)) {
		KEYS[event.key](event.key);
	} else {
		return;
	}
	event.preventDefault();
}

/* ---- buttons ---- */

const tools = make('g', {});
const behind = make('rect', {class: 'sheet', y: 4, height: 32});  // a long title ends here
const holder = make('foreignObject', {visibility: 'hidden', height: 24, y: 10});
const box = document.createElementNS(XHTML, 'input');
const buttons = [
	['Search', 'Search for a function: Ctrl-F or /', openSearch],
	['Reset', 'Back to the whole picture: Escape', reset],
	['Icicle', 'The root at the top or at the bottom: i', invert],
	['Link', 'Copy a link that shows what you see', copyLink],
	...sections.length ? [['Code', 'Instructions of the hottest functions: c', toggleCode]] : [],
].map(([word, hint, action]) => button(word, hint, action));

function button(word, hint, action) {
	const g = make('g', {class: 'button', role: 'button', tabindex: 0, 'aria-label': hint});

	g.append(make('title', {}, hint), make('rect', {y: 10, height: 24, rx: 4}), make('text', {y: 26}, word));
	g.addEventListener('click', event => {
		event.stopPropagation();
		action();
	});
	g.addEventListener('keydown', event => {
		if (event.key !== 'Enter' && event.key !== ' ')
			return;
		event.stopPropagation();
		event.preventDefault();
		action();
	});
	return {g, word};
}

function placeTools() {
	const beside = width < NARROW ? 4 : 9;  // of a word in its button
	let x = width - table.margin;

	for (const b of [...buttons].reverse()) {
		const wide = b.word.length * 7 + beside * 2;
		const rect = b.g.querySelector('rect');

		x -= wide;
		rect.setAttribute('x', x);
		rect.setAttribute('width', wide);
		b.g.querySelector('text').setAttribute('x', x + wide / 2);
		x -= 6;
	}
	const wide = Math.max(60, Math.min(220, x - table.margin));

	for (const line of texts)
		line.e.textContent = fitting(line.text, Math.floor(
			(line.isTitle ? x - table.margin : room()) / (line.isTitle ? 11 : 7)));
	holder.setAttribute('x', x - wide);
	holder.setAttribute('width', wide);
	behind.setAttribute('x', x);
	behind.setAttribute('width', width - x);
}

function buildHead() {
	box.type = 'search';
	box.placeholder = 'text or expression';
	box.setAttribute('aria-label', 'Search');
	box.spellcheck = false;
	box.maxLength = TERM_MAX;
	box.addEventListener('input', () => search(box.value));
	box.addEventListener('blur', () => {
		if (!view.term)
			holder.setAttribute('visibility', 'hidden');
	});
	holder.append(box);
	tools.append(behind, holder, ...buttons.map(b => b.g));
	head.prepend(backdrop);
	head.append(details, numbers, status, tools);
}

/* ---- the pointer ---- */

function pointAt(event) {
	const r = root.getBoundingClientRect();
	const inHead = head.contains(event.target);

	return inHead ? -1 : frameAt(event.clientX - r.left, event.clientY - r.top);
}

function point(i) {
	if (i === view.pointed)
		return;
	view.pointed = i;
	showDetails();
}

function listen() {
	root.addEventListener('mousemove', event => point(pointAt(event)));
	root.addEventListener('mouseleave', () => point(-1));
	root.addEventListener('click', event =>
		zoomTo(event.target.classList.contains('cut') ? tower : pointAt(event)));
	document.addEventListener('keydown', onKey);
	window.addEventListener('resize', fit);
	window.addEventListener('scroll', follow, {passive: true});
	window.addEventListener('beforeprint', () => {
		sight = [0, height];
		draw();
	});
	window.addEventListener('afterprint', look);
	window.addEventListener('popstate', () => {
		readHash();
		view.pointed = -1;
		showCode();
		draw();
	});
}

readTable();
mark.append(markTitle);
root.classList.add('scripted');
root.setAttribute('tabindex', 0);
root.setAttribute('role', 'application');
root.setAttribute('aria-roledescription', 'flame graph');
buildHead();
root.append(mark, focus, head);
readHash();
buildCode();
fit();
listen();
scrollTo(view.zoom);
follow();
}

function begin() {
	try {
		flamegraph();
	} finally {
		page.remove('loading');
	}
}

page.add('loading');
if (document.readyState === 'loading')
	document.addEventListener('DOMContentLoaded', begin);
else
	begin();
})();
