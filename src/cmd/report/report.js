// Steps through the traces of a report: the state after the selected step, and the sequence chart. The tables need no
// script. The report's script has the modules of the page of floe explore before this text.
import { createChart } from './chart.js';
import { h, reveal, show } from './dom.js';
import { loopText, parseRecord, stepOf } from './records.js';

const traces = [];
let current = null;

class Trace {
  constructor(section) {
    const { initial, steps, loop = null } = parseRecord(section.querySelector('script').textContent);
    this.section = section;
    this.initial = Object.entries(initial);
    this.steps = steps.map(stepOf);
    this.rows = [...section.querySelectorAll('tr[data-step]')];
    this.table = section.querySelector('.steps');
    this.output = section.querySelector('output');
    this.state = section.querySelector('.stepper .state');
    this.path = { steps: this.steps, loop, end: this.steps.length };
    const box = section.querySelector('.sequence'); // null: the model has no processes
    section.querySelector('.controls').hidden = false;
    if (box) {
      box.hidden = false;
      this.chart = createChart(box, box.firstElementChild, this.initial.map(([name]) => name), (k) => this.show(k));
    }
    for (const button of section.querySelectorAll('.controls button')) button.onclick = () => this.key(button.value);
    for (const row of this.rows) row.onclick = () => this.show(Number(row.dataset.step));
    const back = section.querySelector('a[data-state]'); // null: the run does not return
    if (back) back.onclick = (event) => {
      event.preventDefault();
      this.show(loop);
    };
    section.addEventListener('focusin', () => { current = this; });
    this.show(0);
  }

  // The first state with the changes of the steps up to number `at`.
  values(at) {
    const values = new Map(this.initial);
    for (const { changes } of this.steps.slice(0, at)) for (const { name, after } of changes) values.set(name, after);
    return values;
  }

  show(at) {
    const step = this.steps[at - 1], count = this.steps.length, changed = new Set(step?.changes.map(({ name }) => name));
    current = this;
    this.at = at;
    for (const row of this.rows) row.classList.toggle('now', Number(row.dataset.step) === at);
    if (step) reveal(this.table, this.rows[at - 1]);
    this.chart?.draw(this.path, at);
    this.output.textContent = step ? `after step ${at} of ${count}: ${step.action}${this.note(at)}` : `first state, before ${count} steps`;
    show(this.state, [...this.values(at)].map(([name, value]) =>
      h('span', {}, h('code', { class: changed.has(name) ? 'changed' : null }, `${name} = ${value}`))));
  }

  // What the output adds for steps that repeat.
  note(at) {
    const { loop, end } = this.path;
    if (loop === null || at < end && at <= loop) return '';
    return at === end ? `. ${loopText(this.path)}` : ' (repeated)';
  }

  // The state after the next step: a loop continues with its first step.
  next() {
    const { loop, end } = this.path;
    return this.at === end && loop !== null && loop < end ? loop + 1 : this.at + 1;
  }

  key(key) {
    const to = { ArrowRight: this.next(), j: this.next(), ArrowLeft: this.at - 1, k: this.at - 1, Home: 0, End: this.steps.length }[key];
    if (to === undefined) return false;
    this.show(Math.max(0, Math.min(to, this.steps.length)));
    return true;
  }
}

// A trace in a closed case begins when the case is opened: only then has its chart a width.
for (const section of document.querySelectorAll('section.trace')) {
  if (!section.querySelector('script')) continue;
  const closed = section.closest('details:not([open])'), begin = () => traces.push(new Trace(section));
  if (closed) closed.addEventListener('toggle', begin, { once: true });
  else begin();
}
current = traces[0] ?? null;
document.addEventListener('keydown', (event) => {
  if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
  const scrolls = event.target.closest?.('.scroll') && ['ArrowLeft', 'ArrowRight'].includes(event.key);
  if (scrolls || (event.key === 'Home' || event.key === 'End') && !current.section.contains(document.activeElement)) return;
  if (current.key(event.key)) event.preventDefault();
});
