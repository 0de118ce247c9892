// The enabled transitions of the present state with their effects, and the blocked ones with the reason.
import { post } from './api.js';
import { attempt, find, h, show } from './dom.js';
import { selectsText } from './records.js';
import { failingStep, here, nameOf, nextStep, on, placeOf, session, sourcePlace, take } from './session.js';
import { showLine } from './source.js';

const MOST_CHANGES = 12;
const REASONS = {
  guard: 'guard is false', partner: 'no partner', full: 'buffer is full', empty: 'buffer is empty', message: 'first message differs',
  committed: 'another process is in a committed location', constants: 'false for these constants',
};
const blocked = new Map();

export const changeTexts = (changes) => {
  const shown = changes.slice(0, MOST_CHANGES).map(({ name, before, after }) =>
    h('span', { class: 'change' }, `${name} `, h('span', { class: 'before' }, before), ' → ', h('b', {}, after)));
  if (changes.length > MOST_CHANGES) shown.push(h('span', { class: 'change' }, `and ${changes.length - MOST_CHANGES} more`));
  return shown;
};

// The source line of a step or a blocked transition, as a button; nothing for one that is not in the source.
export const lineButton = (step) => step.line === 0 ? '' :
  h('button', { type: 'button', class: 'line', 'aria-label': `Show ${sourcePlace(step)} of the source`, onclick: () => showLine(step) },
    sourcePlace(step));

// Texts of the participants that the action does not name; objects have a kind: "place p1".
const partners = (step) => step.participants.slice(1).filter(({ name, kind }) => kind || !step.action.includes(name))
  .map(({ name, kind, label }) => kind ? ` ${kind} ${name}` : ` with ${name} ${label}`);

// "→ s3", with a note when it is the present state, is on the path, or another enabled step leads to it too.
function targetText(step, count) {
  if (step.target === null) return h('span', { class: 'bad' }, `fails: ${step.cause}`);
  const k = placeOf(step.target), notes = [];
  if (step.target === here()) notes.push('this state');
  else if (k !== undefined) notes.push(`step ${k} of the path`);
  if (count > 1) notes.push(`${count} steps lead there`);
  return h('span', { class: 'target', title: step.target }, `→ ${nameOf(step.target)}`, notes.length ? ` (${notes.join(', ')})` : '');
}

function stepItem(step, number, counts) {
  return h('li', { class: nextStep()?.index === step.index ? 'next' : null },
    h('button', { type: 'button', class: 'step', 'data-index': step.index, onclick: () => take(step) },
      h('kbd', {}, number), ' ', h('span', { class: 'action' }, step.action), ' ', targetText(step, counts.get(step.target)),
      partners(step).map((text) => h('span', { class: 'partner' }, text)),
      step.message ? h('span', { class: 'partner' }, ` ${step.message.channel}${step.message.text ? `(${step.message.text})` : ''}`) : '',
      step.prints ? h('span', { class: 'partner' }, ` prints ${JSON.stringify(step.prints)}`) : '',
      h('span', { class: 'changes' }, ...(step.changes.length ? changeTexts(step.changes) : ['no value changes']))),
    lineButton(step));
}

function showSteps() {
  const steps = session.state.steps, counts = new Map(), focused = document.activeElement?.closest?.('#enabled');
  for (const { target } of steps) counts.set(target, (counts.get(target) ?? 0) + 1);
  show(find('enabled'), steps.map((step, i) => stepItem(step, i + 1, counts)));
  find('enabled-count').textContent = steps.length;
  find('no-steps').hidden = steps.length > 0;
  const failing = failingStep();
  find('failure').hidden = !failing;
  find('failure').textContent = failing ? `${failing.action} fails: ${failing.cause}` : '';
  if (focused) (find('enabled').querySelector('button.step') ?? find('steps')).focus();
}

function obstacle({ kind, text, values }) {
  const known = values.length ? ` (${values.map(({ name, value }) => `${name} = ${value}`).join(', ')})` : '';
  return h('li', {}, `${REASONS[kind] ?? kind}${text ? ': ' : ''}`, text ? h('code', {}, text) : '', known);
}

function blockedItem(one) {
  return h('li', {},
    h('span', { class: 'action' }, `${one.label || 'transition'}${selectsText(one.selects)}`), one.to ? ` → ${one.to} ` : ' ',
    one.to === null ? 'no transition leaves this location' : lineButton(one),
    h('ul', { class: 'obstacles' }, one.obstacles.map(obstacle)));
}

function showBlocked(answer) {
  const byProcess = new Map();
  for (const one of answer.blocked) {
    const title = one.location ? `${one.process} at ${one.location}` : one.process;
    if (!byProcess.has(title)) byProcess.set(title, []);
    byProcess.get(title).push(one);
  }
  show(find('blocked'), [...byProcess].map(([title, all]) =>
    h('li', {}, title ? h('h3', {}, title) : '', h('ul', {}, all.map(blockedItem)))));
  find('blocked-count').textContent = answer.blocked.length + (answer.incomplete ? '+' : '');
  find('blocked-note').textContent = answer.incomplete ? 'The list is incomplete.' : answer.blocked.length ? '' : 'No transition is blocked.';
}

async function loadBlocked() {
  const id = here();
  if (!blocked.has(id)) {
    const answer = await post('blocked', { state: id });
    if (blocked.size > 100) blocked.clear();
    blocked.set(id, answer);
  }
  if (id === here()) showBlocked(blocked.get(id));
}

// The arrow keys move the focus among the steps of a list.
export function arrowsIn(list, selector) {
  list.addEventListener('keydown', (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move) return;
    const buttons = [...list.querySelectorAll(selector)], k = buttons.indexOf(event.target.closest(selector));
    const other = buttons[k + move];
    if (k < 0 || !other) return;
    event.preventDefault();
    other.focus();
  });
}

arrowsIn(find('enabled'), 'button.step');
find('blocked-details').open = matchMedia('(min-width: 62.5rem)').matches; // closed on a small screen
on('state', () => {
  showSteps();
  requestAnimationFrame(() => setTimeout(() => attempt(loadBlocked)));
});
