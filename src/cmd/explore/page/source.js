// The source of the model, with the lines of the last step, or of a step that the user asks for.
import { find, h, reveal, show } from './dom.js';
import { lastStep, on, session } from './session.js';
import { openTab } from './tabs.js';

const lines = [];

export function buildSource() {
  session.model.source.replace(/\n$/, '').split('\n').forEach((text, i) =>
    lines.push(h('tr', {}, h('td', { class: 'number' }, i + 1), h('td', { class: 'code' }, text || ' '))));
  show(find('source-lines'), lines);
}

// Highlights the lines of `step` and of its participants that are in the model's own file.
function highlight(step) {
  for (const row of document.querySelectorAll('#source-lines tr.now')) {
    row.classList.remove('now');
    row.removeAttribute('aria-current');
  }
  const places = step ? [step, ...(step.participants ?? []).filter(({ line }) => line)] : [];
  const rows = places.filter(({ file, line }) => !file && lines[line - 1]).map(({ line }) => lines[line - 1]);
  for (const row of rows) {
    row.classList.add('now');
    row.setAttribute('aria-current', 'true');
  }
  find('source-note').textContent = !step ? 'No step has led to this state.'
    : rows.length ? `${step.action ?? `${step.process} ${step.label}`}: line ${[...new Set(places.map(({ line }) => line))].join(', ')}`
      : `The step is at ${step.file}:${step.line}, in another file.`;
  if (rows.length && !find('view-source').hidden) reveal(find('source-box'), rows[0]);
}

export function showLine(step) {
  openTab('source');
  highlight(step);
}

on('state', () => highlight(lastStep()));
document.addEventListener('floe:tab', ({ detail }) => {
  if (detail === 'source' && session.state) highlight(lastStep());
});
