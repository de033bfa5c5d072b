// SPDX-License-Identifier: GPL-2.0
//
// node chrome.js BIGRIG TRACE - what the importer of chrome://tracing reads in a trace; BIGRIG is the folder of that
// package, which brings it. A line for each sample: [event, tid, ms, weight, CPU or null, [outermost, ...]], then the
// names of threads, the instants' stacks and the slices, each with its duration. Any warning of the importer is an error.
'use strict';

const lib = process.argv[2] + '/lib/';
require(lib + 'global-config.js').enable();
for (const part of ['third_party/tracing/importer/import.js',
		    'third_party/tracing/extras/importer/trace_event_importer.js', 'tracing-config.js'])
	require(lib + part);

const options = new tr.importer.ImportOptions();
options.showImportWarnings = false;
options.shiftWorldToZero = false;
options.pruneEmptyContainers = false;
const model = new tr.Model();
new tr.importer.Import(model, options).importTraces([require('fs').readFileSync(process.argv[3], 'utf8')]);
if (model.importWarnings.length)
	throw new Error(JSON.stringify(model.importWarnings));

const outermost = trace => trace.map(frame => frame.title).reverse();
const print = (...what) => console.log(JSON.stringify(what));

for (const s of model.samples)
	print('sample', s.title, s.thread.tid, s.start, s.weight, s.cpu ? s.cpu.cpuNumber : null,
	      outermost(s.stackTrace));
for (const thread of model.getAllThreads()) {
	print('thread', thread.parent.pid, thread.tid, thread.name);
	for (const slice of thread.sliceGroup.slices)
		print(slice.category === 'sample' ? 'instant' : 'slice', slice.title, thread.tid, slice.start,
		      slice.args, outermost(slice.startStackFrame ? slice.startStackFrame.stackTrace : []), slice.duration);
	for (const slice of thread.asyncSliceGroup.slices)
		print('async', slice.title, thread.tid, slice.start, slice.args, [], slice.duration);
}
