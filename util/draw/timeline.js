// Dragging over the map chooses a span of time, whole columns of it; Escape clears it. What ran in it is shown below as a
// flame graph: a document of its own, in a frame, with the script of flame graphs. See flamegraph.h.
"use strict";
(function () {
	const map = document.getElementById("map");
	const chosen = document.getElementById("chosen");
	const choice = document.getElementById("choice");
	const svg = map.ownerSVGElement;
	const left = Number(map.dataset.x), width = Number(map.dataset.width);
	const nr = Number(map.dataset.columns);
	const from = BigInt(map.dataset.from), step = BigInt(map.dataset.step);
	const SVG = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
	const TOP = 114;  // px above the boxes: title, note, legend, and two lines of the script
	const height = Number(svg.getAttribute("height"));
	const moments = document.getElementById("moments") &&
		JSON.parse(document.getElementById("moments").textContent);
	let start = -1, span = [0, 0];
	let holder = null;

	function columnAt(event) {
		const p = new DOMPoint(event.clientX, event.clientY);
		const x = p.matrixTransform(svg.getScreenCTM().inverse()).x;

		return Math.min(Math.max(Math.floor((x - left) * nr / width), 0), nr - 1);
	}

	function seconds(ns) {
		const s = ns.toString().padStart(10, "0");

		return s.slice(0, -9) + "." + s.slice(-9);
	}

	function show(a, b) {
		const first = Math.min(a, b), last = Math.max(a, b);
		const begin = from + BigInt(first) * step;
		const end = from + BigInt(last + 1) * step - 1n;

		chosen.setAttribute("x", left + first * width / nr);
		chosen.setAttribute("width", (last - first + 1) * width / nr);
		span = [first, last];
		chosen.setAttribute("visibility", "visible");
		choice.textContent = "--time " + seconds(begin) + "," + seconds(end);
	}

	/* The table of the boxes that have counts in these columns; null: none has. */
	function tableOf(first, last) {
		const all = moments.graph, nr = all.depth.length;
		const count = new Float64Array(nr), parent = new Int32Array(nr), path = [], kept = [];

		for (let c = first; c <= last; c++) {
			const parts = moments.columns[c];

			for (let i = 0, box = 0; i < parts.length; i += 2) {
				box += parts[i];
				count[box] += parts[i + 1];
			}
		}
		for (let i = 0; i < nr; i++) {
			path[all.depth[i]] = i;
			parent[i] = all.depth[i] ? path[all.depth[i] - 1] : -1;
		}
		for (let i = nr - 1; i > 0; i--)
			count[parent[i]] += count[i];
		for (let i = 0; i < nr; i++)
			if (count[i])
				kept.push(i);
		return kept.length ? {...all, top: TOP, inverted: true, depth: kept.map(i => all.depth[i]),
				      label: kept.map(i => all.label[i]),
				      count: kept.map(i => count[i])} : null;
	}

	function markup(text) {
		return text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
	}

	function tag(name, attributes, content) {
		return `<${name}${attributes}>${content}<\/${name}>`;
	}

	function legend(tones) {
		let x = 12, all = "";

		for (const [tone, word] of moments.legend) {
			all += tag("g", ` class="${tones[tone]}"`, `<rect x="${x}" y="58" width="12" height="12"/>`) +
				tag("text", ` class="note" x="${x + 17}" y="68"`, markup(word));
			x += 17 + word.length * 7 + 18;
		}
		return all;
	}

	function documentOf(table, title) {
		const text = id => document.getElementById(id).textContent;
		const nr = table.count[0];
		const whole = moments.columns.flat().reduce((sum, n, i) => sum + (i % 2 ? n : 0), 0);
		const [amount, unit] = table.time ? [Math.round(nr / 1e4) / 100, "ms"] :
			[nr, table.unit ?? (nr === 1 ? "sample" : "samples")];
		const note = `${amount.toLocaleString("en")} ${unit}, ${(nr / whole * 100).toFixed(2)}% of all`;
		const json = JSON.stringify(table).replace(/</g, "\\u003c");

		const style = tag("style", "", text("graph-style"));
		const script = tag("script", "", text("graph-script"));
		const head = tag("text", ' class="title" x="12" y="28"', markup(title)) +
			tag("text", ' class="note" x="12" y="50"', markup(note)) + legend(table.tones);

		return "<!DOCTYPE html>" + tag("html", ' lang="en"',
			tag("head", "", '<meta charset="utf-8">' + tag("title", "", markup(title)) + style + script) +
			tag("body", "", tag("svg", ` xmlns="${SVG}"`,
				'<rect class="sheet" width="100%" height="100%"/>' +
				tag("g", ' id="head"', head) + tag("g", ' id="frames"', "")) +
			tag("script", ' type="application/json" id="table"', json)));
	}

	/* Below the map: in a page, or as a part of the picture, which gets higher. */
	function put(frame, high) {
		if (svg !== document.documentElement) {
			holder = frame;
			document.body.append(frame);
			return;
		}
		holder = document.createElementNS(SVG, "foreignObject");
		holder.setAttribute("y", height);
		holder.setAttribute("width", "100%");
		holder.setAttribute("height", high);
		holder.append(frame);
		svg.append(holder);
		grow(height + high);
	}

	function grow(high) {
		svg.setAttribute("height", high);
		svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${high}`);
	}

	function hide() {
		if (!holder)
			return;
		holder.remove();
		holder = null;
		if (svg === document.documentElement)
			grow(height);
	}

	function graph(first, last) {
		const table = moments && tableOf(first, last);
		const time = i => seconds(from + BigInt(i) * step).replace(/\.?0*$/, "");
		const frame = document.createElementNS(XHTML, "iframe");

		hide();
		if (!table)
			return;
		const rows = table.depth.reduce((a, b) => Math.max(a, b), 0) + 1;
		const high = TOP + rows * table.row + table.margin;

		frame.setAttribute("id", "graph");
		frame.setAttribute("title", "flame graph");
		frame.setAttribute("style", `border: 0; display: block; width: 100%; height: ${high}px`);
		frame.srcdoc = documentOf(table, `${time(first)} to ${time(last + 1)} s`);
		put(frame, high);
	}

	function clear() {
		hide();
		start = -1;
		chosen.setAttribute("visibility", "hidden");
		choice.textContent = choice.dataset.hint;
	}

	map.addEventListener("pointerdown", function (event) {
		if (event.button !== 0)
			return;
		start = columnAt(event);
		show(start, start);
		map.setPointerCapture(event.pointerId);
	});
	map.addEventListener("pointermove", function (event) {
		if (start >= 0)
			show(start, columnAt(event));
	});
	map.addEventListener("pointerup", function () {
		if (start < 0)
			return;
		start = -1;
		graph(...span);
	});
	map.addEventListener("pointercancel", clear);
	document.addEventListener("keydown", function (event) {
		if (event.key === "Escape")
			clear();
	});
	choice.dataset.hint = moments ? "Drag over the map to see what ran in a span of time." :
		"Drag over the map to choose a span of time.";
	clear();
})();
