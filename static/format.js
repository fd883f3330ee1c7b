// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers and names as the pages write them: 3 significant digits, a thin space that does not break before the unit.

const THIN = '\u202f';
const MINUS = '\u2212';
/** @type {[number, string][]} */
const TIME = [
	[1e9, 's'],
	[1e6, 'ms'],
	[1e3, 'us'],
	[1, 'ns'],
];
/** @type {[number, string][]} */
const COUNT = [
	[1e9, 'G'],
	[1e6, 'M'],
	[1e3, 'k'],
	[1, ''],
];
const SIZES = ['KiB', 'MiB', 'GiB', 'TiB'];

export function significant(v, digits = 3) {
	const a = Math.abs(v);

	if (!Number.isFinite(v)) return '';
	if (a === 0) return '0';
	if (a < 1e-3 || a >= 1e15) return v.toPrecision(digits).replace('-', MINUS);
	return v
		.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(Number(a.toPrecision(digits))))))
		.replace('-', MINUS);
}

// How a column of this unit is written: {factor, unit}. One for the whole column, by its median.
export function scaleFor(unit, values) {
	const seen = values
		.filter((v) => Number.isFinite(v) && v !== 0)
		.map(Math.abs)
		.sort((a, b) => a - b);
	const middle = seen[seen.length >> 1] ?? 1;
	const [head, ...tail] = (unit ?? '').split('/');
	const rest = tail.length ? '/' + tail.join('/') : '';

	if (head === 'ns') {
		const [by, name] = TIME.find(([least]) => middle >= least) ?? TIME[3];
		return { factor: 1 / by, unit: name + rest, spread: seen.length > 1 && seen.at(-1) / seen[0] > 1e3 };
	}
	const [by, name] = middle >= 1e4 ? COUNT.find(([least]) => middle >= least) : COUNT[3];
	return { factor: 1 / by, unit: [name, unit].filter(Boolean).join(' '), spread: false, suffix: name };
}

// A single value: "1.71 us"; what is no time has its unit in the head and only its size here: "144 k"
export function value(v, unit) {
	if (v === null || v === undefined || !Number.isFinite(v)) return '';
	const s = scaleFor(unit, [v]);
	const name = s.suffix ?? s.unit.split('/')[0];
	return significant(v * s.factor) + (name ? THIN + name : '');
}

export function number(v, scale) {
	return v === null || v === undefined ? '' : significant(v * scale.factor);
}

export function percent(p, always = true) {
	if (p === null || p === undefined || !Number.isFinite(p)) return '';
	const a = Math.abs(p);
	if (a < 0.05) return '0' + THIN + '%';
	return (p < 0 ? MINUS : always ? '+' : '') + (a >= 9.995 ? a.toFixed(0) : a.toFixed(1)) + THIN + '%';
}

// In tables: one decimal below 100, so that the column reads as one
export function percentCell(p, always = true) {
	if (p === null || p === undefined || !Number.isFinite(p)) return '';
	const a = Math.abs(p);
	const text = a.toFixed(a < 99.95 ? 1 : 0);
	return (Number(text) === 0 ? '' : p < 0 ? MINUS : always ? '+' : '') + text + THIN + '%';
}

// Small percents, as of noise: "0.34 %"
export const percentFine = (p) => (p === null || p === undefined ? '' : significant(p, 2) + THIN + '%');

// A tick: "10 ms", not "10.0 ms"
export const tick = (v, unit) =>
	value(v, unit)
		.replace(/\.0+(?=\D|$)/, '')
		.replace(/(\.\d*?)0+(?=\D|$)/, '$1');

// Two percents as a range: "+14 % .. +150 %"
export function range(lo, hi) {
	const a = percent(lo);
	const b = percent(hi);
	return a === b ? a : `${a} .. ${b}`;
}

// At most 3 digits, and no noughts that say nothing: 6, 4.5, 28
export const tidy = (v) => significant(v).replace(/\.0+$|(\.\d*?)0+$/, '$1');

// What the server wrote in plain characters, as the pages write it: "+14 % .. +150 %", a true minus, an arrow.
export const typeset = (text) =>
	text
		.replace(/ %/g, THIN + '%')
		.replace(/(^|[\s(])-(?=\d)/g, `$1${MINUS}`)
		.replace(/ -> /g, ' \u2192 ')
		.replace(/ ([<>])= /g, (_, c) => (c === '<' ? ' \u2264 ' : ' \u2265 '))
		.replace(/(\d) (KiB|MiB|GiB|ns|us|ms|s)\b/g, `$1${THIN}$2`);

export function grouped(v) {
	const s = String(v);
	return /^\d{5,}$/.test(s) ? s.replace(/\B(?=(\d{3})+$)/g, THIN) : s;
}

// A measured position on an axis, exactly: 4096 KiB is 4 MiB, 4000 KiB is not.
export function position(v, unit) {
	let step = 0;

	if (unit === 'KiB') for (; step < 3 && v >= 1024 && v % 1024 === 0; step++) v /= 1024;
	return grouped(v) + (unit ? THIN + (step ? SIZES[step] : unit) : '');
}

export function about(v, unit) {
	let step = 0;

	if (unit !== 'KiB' || v < 1024 || v % 1024 === 0) return '';
	for (; step < 3 && v >= 1024; step++) v /= 1024;
	return significant(v) + THIN + SIZES[step];
}

export const unitOfParam = (name) => (/_kib$/.test(name) ? 'KiB' : /_bytes$/.test(name) ? 'B' : '');

export function params(p, without) {
	const parts = Object.entries(p ?? {})
		.filter(([k]) => k !== without)
		.map(([k, v]) => (unitOfParam(k) ? position(v, unitOfParam(k)) : `${k}=${v}`));
	return parts.join(' ');
}

// "6.17-rc1+revert-cac1db8c3aad" is long: beside its base "+revert" says it
export function shortKernel(kernel, all) {
	const name = typeof kernel === 'string' ? kernel : kernel.name;
	const variant = typeof kernel === 'string' ? null : kernel.variant;

	if (!variant) return name;
	const tail = name.startsWith(variant.base) ? name.slice(variant.base.length) : '+' + name;
	const others = all.filter((k) => k.variant && k.name !== name);
	const short =
		variant.reverts?.length && !variant.applies?.length
			? '+revert'
			: variant.applies?.length && !variant.reverts?.length
				? '+patch'
				: tail;
	return others.length ? tail : short;
}

// The beginning and the end of a long name
export const short = (name, most = 28) =>
	name.length > most ? name.slice(0, most >> 1) + '\u2026' + name.slice(1 - (most >> 1)) : name;

// kernels in sentences carry the v of tags where they are tags
export function tag(kernel) {
	const name = typeof kernel === 'string' ? kernel : kernel.name;
	return /^\d+\.\d+(-rc\d+)?(\.\d+)?$/.test(name) ? 'v' + name : name;
}

export function time(text) {
	const d = new Date(text);
	return text && !Number.isNaN(d.getTime()) ? d.toISOString().slice(0, 16).replace('T', ' ') + ' UTC' : '';
}

export function day(text) {
	return time(text).slice(0, 10);
}

/** @type {[number, string][]} */
const AGES = [
	[86_400_000, 'd'],
	[3_600_000, 'h'],
	[60_000, 'min'],
];

// How long ago: "12 min", "5 h", "3 d"; what is older than two months as its day.
export function age(text, now = Date.now()) {
	const ms = now - Date.parse(text);
	const [by, unit] = AGES.find(([least]) => ms >= least) ?? [];

	if (!Number.isFinite(ms)) return '';
	if (ms >= 62 * 86_400_000 || ms < -60_000) return day(text);
	return by ? `${Math.floor(ms / by)}${THIN}${unit}` : 'now';
}

export const plural = (n, one, many = one.endsWith('s') ? one : one + 's') =>
	`${grouped(n)} ${n === 1 ? one : many}`;
