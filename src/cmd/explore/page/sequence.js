// The path as a sequence chart.
import { chartFile, createChart } from './chart.js';
import { find } from './dom.js';
import { save } from './save.js';
import { go, on, session } from './session.js';
import { isOpen } from './tabs.js';

let chart = null;
const orderOf = ({ processes, variables }) => [...processes, ...variables.map(({ name }) => name)];
const pathOf = ({ steps, loop, states }) => ({ steps, loop, end: states.length - 1 });

function draw() {
  if (!isOpen('sequence') || !session.path.states.length) return;
  if (!session.model.processes.length) {
    find('chart-note').textContent = 'The model has no processes.';
    find('export-chart').disabled = true;
    return;
  }
  chart ??= createChart(find('chart-box'), find('chart'), orderOf(session.model), (k) => go(Math.min(k, session.path.states.length - 1)));
  const count = session.path.steps.length, [first, last] = chart.draw(pathOf(session.path), session.at);
  find('chart-note').textContent = !count ? 'The path has no steps yet.'
    : last - first < count ? `Steps ${first + 1} to ${last} of ${count}.` : '';
  find('export-chart').disabled = !count;
}

find('export-chart').onclick = () =>
  save(`${session.model.name}-sequence.svg`, 'image/svg+xml', chartFile(pathOf(session.path), orderOf(session.model)));

on('path', draw);
document.addEventListener('floe:tab', draw);
