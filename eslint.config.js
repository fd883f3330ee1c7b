// SPDX-License-Identifier: GPL-2.0-or-later
// What `make lint-js` holds the scripts to: mistakes and sizes, not taste.

import js from '@eslint/js';
import globals from 'globals';

const rules = {
	...js.configs.recommended.rules,
	'array-callback-return': 'error',
	eqeqeq: 'error',
	'max-len': ['error', { code: 200, tabWidth: 4, ignoreStrings: true, ignoreTemplateLiterals: true }],
	'max-lines': ['error', 700],
	'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
	'no-duplicate-imports': 'error',
	'no-empty': ['error', { allowEmptyCatch: true }],
	'no-eval': 'error',
	'no-implied-eval': 'error',
	'no-new-func': 'error',
	'no-script-url': 'error',
	'no-self-compare': 'error',
	'no-unused-vars': ['error', { args: 'after-used', argsIgnorePattern: '^_' }],
	'no-var': 'error',
	'prefer-const': ['error', { destructuring: 'all' }],
	// what would make text markup: static/dom.js makes elements
	'no-restricted-properties': [
		'error',
		...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({
			property,
			message: 'text from outside is never markup: static/dom.js makes elements',
		})),
	],
};
const tests = { 'no-new-func': 'off', 'max-lines-per-function': 'off', 'no-script-url': 'off', 'no-restricted-properties': 'off' };

export default [
	{ ignores: ['build/**', 'node_modules/**', 'var/**'] },
	{ files: ['static/*.js'], languageOptions: { globals: globals.browser }, rules },
	{
		files: ['tests/browser/*.mjs', 'bench/**/*.mjs', 'eslint.config.js'],
		languageOptions: { globals: { ...globals.browser, ...globals.node } },
		rules: { ...rules, ...tests },
	},
];
