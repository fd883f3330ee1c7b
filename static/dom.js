// SPDX-License-Identifier: GPL-2.0-or-later
// Elements from code: text is always a text node, so a hostile name stays a name.

const SVG = 'http://www.w3.org/2000/svg';

function fill(el, attrs, children) {
	for (const [k, v] of Object.entries(attrs ?? {})) {
		if (k.startsWith('on')) el.addEventListener(k.slice(2), v);
		else if (v === true) el.setAttribute(k, '');
		else if (v !== undefined && v !== null && v !== false) el.setAttribute(k, v);
	}
	for (const c of children.flat(Infinity)) if (c !== undefined && c !== null && c !== false) el.append(c);
	return el;
}

/**
 * h('td.num', {title: 'x'}, 'text', h('b', 'more')); attributes may be left out
 * @param {string} name tag and classes
 * @param {...any} rest
 * @returns {any} the element
 */
export function h(name, ...rest) {
	const [tag, ...classes] = name.split('.');
	const attrs = rest.length && isAttrs(rest[0]) ? rest.shift() : {};
	const el = document.createElement(tag);

	if (classes.length) el.className = classes.join(' ');
	return fill(el, attrs, rest);
}

export function svg(name, attrs, ...children) {
	return fill(document.createElementNS(SVG, name), attrs, children);
}

function isAttrs(v) {
	return v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Node);
}

/** @type {(selector: string, root?: ParentNode) => any} the first such element, or null */
export const $ = (selector, root = document) => root.querySelector(selector);

export function replace(el, ...children) {
	el.replaceChildren(
		...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false),
	);
	return el;
}

// A path inside this site from a server's answer; anything else leads nowhere.
export function ownPath(url) {
	return typeof url === 'string' && /^\/(?![/\\])/.test(url) ? url : '/';
}
