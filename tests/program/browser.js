/* What the browser made of each page in a frame, sent to tests/program/browser.py. */
"use strict";

/* Of what a text stands in, the first of these counts. */
const KINDS = { figcaption: "figcaption", caption: ".table > p", td: "td", th: "th", pre: "pre", a: "a", dt: "dt",
	dd: "dd", summary: "summary", heading: "h1, h2, h3, h4", good: ".good", bad: ".bad", footer: "footer", p: "p" };
const MARKS = ["good", "bad", "warn", "range", "from"];

/* [red, green, blue, alpha]. */
function color(text) {
	const found = /^rgba?\(([^)]*)\)$/.exec(text);
	if (!found)
		throw new Error("a colour that is not understood: " + text);
	const parts = found[1].split(/[ ,/]+/).map(Number);
	return parts.length === 3 ? [...parts, 1] : parts;
}

function over([r, g, b, a], below) {
	return [r, g, b].map((c, i) => c * a + below[i] * (1 - a));
}

/* WCAG 2: relative luminance and contrast. */
function luminance(rgb) {
	const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
	const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

/* The element and what it stands in, the root last. */
function ancestors(element) {
	return element ? [element, ...ancestors(element.parentElement)] : [];
}

/* What is painted behind a text, or null where nothing solid is, or a picture. */
function backdrop(element) {
	const layers = [];
	for (const one of ancestors(element)) {
		const style = getComputedStyle(one), paint = color(style.backgroundColor);
		if (style.backgroundImage !== "none")
			return null;
		layers.push(paint);
		if (paint[3] === 1)
			return layers.reduceRight((below, layer) => over(layer, below), [0, 0, 0]);
	}
	return null;
}

/* 0 where it cannot be told. */
function legibility(element) {
	const behind = backdrop(element);
	if (!behind)
		return 0;
	const [r, g, b, a] = color(getComputedStyle(element).color);
	const opacity = ancestors(element).reduce((o, one) => o * getComputedStyle(one).opacity, a);
	return contrast(over([r, g, b, opacity], behind), behind);
}

function kinds_of(element) {
	return [Object.keys(KINDS).find(kind => element.closest(KINDS[kind])) || element.localName,
		...MARKS.filter(mark => element.closest("." + mark))];
}

/* Of each kind of text how often it is there, and its worst contrast. */
function texts(page) {
	const found = {}, walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const text = walker.currentNode.data.trim(), element = walker.currentNode.parentElement;
		if (!text || element.matches("script, style") || !element.getClientRects().length)
			continue;
		const ratio = legibility(element);
		for (const kind of kinds_of(element)) {
			const sum = found[kind] ||= { count: 0, contrast: 22 };
			sum.count++;
			if (ratio < sum.contrast)
				Object.assign(sum, { contrast: ratio, text: text.slice(0, 60) });
		}
	}
	return found;
}

function width_of(page) {
	return page.documentElement.scrollWidth - page.documentElement.clientWidth;
}

function measure(frame) {
	const page = frame.contentDocument, view = frame.contentWindow;
	const folds = [...page.querySelectorAll("details")], closed = folds.filter(fold => !fold.open).length;
	const sideways = width_of(page);
	folds.forEach(fold => { fold.open = true; });
	const found = {
		page: frame.dataset.page, inner: view.innerWidth, sideways: Math.max(sideways, width_of(page)), folds: folds.length, closed,
		dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
		luminance: luminance(backdrop(page.body) || [128, 128, 128]),
		texts: texts(page), errors: view.rollbenchErrors,
		loaded: view.performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith("data:")),
		images: [...page.images].map(image => image.complete && image.naturalWidth > 0),
	};
	const figures = [...page.querySelectorAll(".paper img")], before = figures.map(figure => figure.width);
	page.querySelectorAll(".zoom").forEach(box => box.click());
	found.sideways_enlarged = width_of(page);
	found.enlarged = figures.map((figure, i) => [before[i], figure.width]);
	return found;
}

function tell() {
	let said;
	try {
		said = [...document.querySelectorAll("iframe")].map(measure);
	} catch (error) {
		said = { error: `${error}\n${error.stack}` };
	}
	fetch("/measured", { method: "POST", body: JSON.stringify(said) });
}

/* What a policy forbids is told in an event of its own, perhaps after the load's. */
addEventListener("load", () => setTimeout(tell, 500));
