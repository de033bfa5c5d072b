// Dragging over the map chooses a span of time, whole columns of it; Escape gives it up.
"use strict";
(function () {
	const map = document.getElementById("map");
	const chosen = document.getElementById("chosen");
	const choice = document.getElementById("choice");
	const svg = map.ownerSVGElement;
	const left = Number(map.dataset.x), width = Number(map.dataset.width);
	const nr = Number(map.dataset.columns);
	const from = BigInt(map.dataset.from), step = BigInt(map.dataset.step);
	let start = -1;

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
		chosen.setAttribute("visibility", "visible");
		choice.textContent = "--time " + seconds(begin) + "," + seconds(end);
	}

	function clear() {
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
		start = -1;
	});
	map.addEventListener("pointercancel", clear);
	document.addEventListener("keydown", function (event) {
		if (event.key === "Escape")
			clear();
	});
	choice.dataset.hint = "Drag over the map to choose a span of time.";
	clear();
})();
