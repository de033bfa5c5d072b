// SPDX-License-Identifier: GPL-2.0
//
// node consumers.js speedscope|firefox <TEXT - what these programs, which are written in JavaScript,
// read in a text for them: for consumers.py --parsed, a JSON array
// [comm, pid, tid, seconds, weight, [innermost, ...]] a line. By the patterns of their sources, see
// util/format/consumer.h.
//
// node consumers.js BUNDLE <TEXT - the same by speedscope itself: BUNDLE is the script of its package.
'use strict';

function speedscope(text) {
	const samples = [];
	let type = null;

	for (const block of text.split('\n\n')) {
		const lines = block.split('\n').filter(line => !/^\s*#/.test(line));
		const first = lines.shift();
		if (!first)
			continue;
		const start = /^(\S.+?)\s+(\d+)(?:\/?(\d+))?\s+/.exec(first);
		const time = /\s+(\d+\.\d+):\s+/.exec(first);
		const event = /(\S+):\s*$/.exec(first);
		if (!start || !time || !event)
			throw new Error('not the first line of a sample: ' + first);
		if (type !== null && type !== event[1])
			continue;
		type = event[1];
		const frames = [];
		for (const line of lines) {
			const frame = /^\s*(\w+)\s*(.+) \((\S*)\)/.exec(line);
			if (frame)
				frames.push(frame[2].replace(/\+0x[\da-f]+$/, ''));
		}
		samples.push([start[1], start[3] ? parseInt(start[2], 10) : null,
			      parseInt(start[3] || start[2], 10), parseFloat(time[1]), null, frames]);
	}
	return samples;
}

function firefox(text) {
	const samples = [];
	const lines = text.split('\n');

	if (!/^\S.*?\s+(?:\d+\/)?\d+\s+(?:\[\d+\]\s+)?[\d.]+:/.test(lines[0]) || text.startsWith('{'))
		throw new Error('not known for a text of perf script: ' + lines[0]);
	for (let i = 0; i < lines.length;) {
		const line = lines[i++];
		if (line === '' || line.startsWith('#'))
			continue;
		const time = /^(.*)\s+([\d.]+):/.exec(line);
		const ids = time && /^(.*)\s+(?:(\d+)\/)?(\d+)\b/.exec(time[1]);
		if (!ids)
			throw new Error('not the first line of a sample: ' + line);
		const frames = [];
		for (; i < lines.length && lines[i].trim() !== ''; i++) {
			const frame = /^\s*(\w+)\s*(.+) \(([^)]*)\)/.exec(lines[i]);
			const name = frame && frame[2].replace(/\+0x[\da-f]+$/, '');
			if (frame && !name.startsWith('('))
				frames.push(frame[3] ? `${name} (in ${frame[3]})` : name);
		}
		i++;
		if (frames.length)
			samples.push([ids[1].trim(), Number(ids[2] || 0), Number(ids[3]), parseFloat(time[2]), null,
				      frames]);
	}
	return samples;
}

// The function that takes a text apart is found by what it does, and the rest, which wants a browser, not run.
function bundle(path) {
	const source = require('fs').readFileSync(path, 'utf8');
	const name = /function\*(\w+)\(\w+\)\{let \w+=\[\];for\(let \w+ of \w+\.splitLines/.exec(source);
	const start = source.indexOf('(()=>{') + '(()=>{'.length;
	const context = {};

	if (!name)
		throw new Error('this speedscope is built in another way');
	require('vm').runInNewContext(
		`${source.slice(0, start)}globalThis.events=${name[1]};return;${source.slice(start)}`, context);
	return text => {
		const events = [...context.events({splitLines: () => text.split('\n')})].filter(e => e);

		return events.filter(e => e.time !== null && e.eventType === events[0].eventType)
			.map(e => [e.command, e.processID, e.threadID, e.time, null,
				   e.stack.map(frame => frame.symbolName).reverse()]);
	};
}

const parse = {speedscope, firefox}[process.argv[2]] || bundle(process.argv[2]);
const text = require('fs').readFileSync(0, 'utf8');
for (const sample of parse(text))
	console.log(JSON.stringify(sample));
