// SPDX-License-Identifier: GPL-2.0
//
// node exports.js BUNDLE FILE - what speedscope itself makes of a file of its own format, written as such a file again: for
// exports.py. BUNDLE is the script of its package.
'use strict';

const fs = require('fs');
const source = fs.readFileSync(process.argv[2], 'utf8');
// The importer is found by what it is asked for, and the modules that it needs by how the bundle keeps them: functions that run once.
const importer = /file-format-schema\.json"\)return console\.log\("[^"]*"\),(\w+)\(/.exec(source);
const once = /[,;{ ](\w+)=\((\w+),(\w+)\)=>\(\)=>\(\2&&\(\3=\2\(\2=0\)\),\3\)/.exec(source);
const start = source.indexOf('(()=>{') + '(()=>{'.length;
const context = {console: {assert: console.assert, log() {}}};

if (!importer || !once)
	throw new Error('this speedscope is built in another way');
const modules = [...source.matchAll(new RegExp(`[,;]?(?:var )?\\b(\\w+)=${once[1]}\\(\\(\\)=>\\{"use strict"`, 'g'))];
const attempts = modules.map(m => `()=>${m[1]}()`).join(',');

require('vm').createContext(context);
try {
	// what wants a browser fails, and is not needed
	require('vm').runInContext(`${source.slice(0, start)}globalThis.importFile=f=>${importer[1]}(f);` +
		`globalThis.modules=[${attempts}];${source.slice(start)}`, context);
} catch (e) {
	context.failed = String(e);
}
for (const module of context.modules) {
	try {
		module();
	} catch (e) {
		context.failed = String(e);
	}
}

const frames = [];
const numbers = new Map();

function number(frame) {
	if (!numbers.has(frame)) {
		numbers.set(frame, frames.length);
		frames.push({name: frame.name, file: frame.file});
	}
	return numbers.get(frame);
}

function stack(node) {
	const path = [];

	for (; node && node.parent; node = node.parent)
		path.unshift(number(node.frame));
	return path;
}

const group = context.importFile(JSON.parse(fs.readFileSync(process.argv[3], 'utf8')));
const profiles = group.profiles.map(p => ({
	type: 'sampled', name: p.getName(), unit: p.getWeightUnit(), startValue: 0, endValue: p.getTotalWeight(),
	samples: p.samples.map(stack), weights: p.weights,
}));

console.log(JSON.stringify({$schema: 'https://www.speedscope.app/file-format-schema.json', exporter: 'speedscope',
			    name: group.name, activeProfileIndex: group.indexToView, shared: {frames}, profiles}));
