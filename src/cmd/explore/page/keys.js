// Keys, and the dialog that lists them.
import { find, h, show } from './dom.js';
import { go, redo, session, swapPrevious, undo } from './session.js';
import { showNear, showWhole } from './graph.js';
import { cancelSearch, randomWalk, runToBreakpoint } from './run.js';
import { saveTrace } from './files.js';
import { openTab } from './tabs.js';

const focus = (selector, fallback) => (document.querySelector(selector) ?? find(fallback)).focus();

function inTab(name, id) {
  openTab(name);
  find(id).focus();
}

const keys = [
  ['1 … 9', 'take the enabled transition of this number', null],
  ['u', 'undo: back one step', undo, 'ArrowLeft'],
  ['r', 'redo: forward one step; a loop begins again', redo, 'ArrowRight'],
  ['Home', 'first state of the path', () => go(0)],
  ['End', 'last state of the path', () => go(session.path.states.length - 1)],
  ['e', 'enabled transitions; ↑ and ↓ move, Enter takes one', () => focus('#enabled button.step', 'steps')],
  ['b', 'blocked transitions', () => {
    find('blocked-details').open = true;
    find('blocked-title').focus();
  }],
  ['p', 'path; ↑ and ↓ move, Enter jumps', () => focus('#trail [aria-current]', 'path')],
  ['/', 'filter of the variables', () => find('filter').focus()],
  ['v', 'values', () => find('values-box').focus()],
  ['w', 'new watch expression', () => find('watch-text').focus()],
  ['q', 'properties', () => focus('#properties button', 'watch')],
  ['f', 'run until a condition holds', () => inTab('run', 'search-text')],
  ['k', 'new breakpoint', () => inTab('run', 'breakpoint-text')],
  ['g', 'run to a breakpoint', runToBreakpoint],
  ['n', 'random walk', randomWalk],
  ['x', 'cancel the search', cancelSearch],
  ['c', 'sequence chart', () => inTab('sequence', 'tab-sequence')],
  ['m', 'neighbourhood as a graph', showNear],
  ['a', 'graph of the whole model', showWhole],
  ['l', 'source', () => inTab('source', 'tab-source')],
  ['t', 'load a trace file', () => find('load').click()],
  ['s', 'save the path as a trace file', saveTrace],
  ['o', 'the path before the present one was loaded', swapPrevious],
  ['?', 'this list', () => find('help').showModal()],
];

const actions = new Map();
for (const [key, , action, other] of keys) {
  if (!action) continue;
  actions.set(key, action);
  if (other) actions.set(other, action);
}

const typing = (element) => element.closest('input:not([type=checkbox]), select, textarea');

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
  if (event.key === 'Escape' && typing(event.target)) return event.target.blur();
  if (typing(event.target) || !find('single-keys').checked && event.key.length === 1 && event.key !== '?') return;
  const scrolls = event.key.startsWith('Arrow') && event.target.closest('[data-scrolls]') && !event.target.closest('button');
  const action = actions.get(event.key);
  if (scrolls) return;
  if (/^[1-9]$/.test(event.key)) document.querySelectorAll('#enabled button.step')[event.key - 1]?.click();
  else if (action) action();
  else return;
  event.preventDefault();
});

show(find('key-list'), keys.map(([key, text, , other]) =>
  h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key), other ? [' ', h('kbd', {}, other === 'ArrowLeft' ? '←' : '→')] : ''), h('td', {}, text))));
for (const dialog of document.querySelectorAll('dialog')) dialog.querySelector('.close').onclick = () => dialog.close();
find('help-button').onclick = () => find('help').showModal();
