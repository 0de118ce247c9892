// The path as a list: each step with the state that it leads to; later steps stay for redo; the loop of a lasso.
import { windowOf } from './chart.js';
import { find, h, plural, reveal, show } from './dom.js';
import { loopText } from './records.js';
import { go, nameOf, nextPlace, on, redo, session, swapPrevious, undo } from './session.js';
import { arrowsIn, changeTexts } from './steps_view.js';

let drawn = null; // the path and the window that the list shows
let items = [];

// After the last item: the way back to the first state of the loop.
function loopItem() {
  const { loop, states } = session.path, end = states.length - 1;
  if (loop === null) return [];
  const text = `↻ ${loopText({ loop, end })} (${nameOf(states[loop])})`;
  if (loop === end) return [h('li', { class: 'return loop' }, text)];
  const follow = () => {
    go(loop);
    find('trail').querySelector('[aria-current]').focus();
  };
  return [h('li', { class: 'return loop' }, h('button', { type: 'button', onclick: follow }, text))];
}

// State `k` with the step that leads to it.
function item(k) {
  const { states, steps, loop } = session.path, step = steps[k - 1];
  const text = step ? step.action : 'start';
  return h('li', { class: loop !== null && k > loop ? 'loop' : null, 'data-k': k },
    h('button', { type: 'button', onclick: () => go(k), title: states[k] },
      h('span', { class: 'number' }, k), ' ', h('span', { class: 'action' }, text), ' ',
      h('span', { class: 'target' }, `→ ${nameOf(states[k])}`), k === loop && k < states.length - 1 ? h('span', { class: 'loop-note' }, ' ↻ repeated from here') : '',
      step ? h('span', { class: 'changes' }, ...changeTexts(step.changes.slice(0, 6))) : ''));
}

function failingItem() {
  const { states, steps } = session.path, step = steps[states.length - 1];
  return step ? [h('li', { class: 'fails' }, `${states.length} ${step.action}: fails: ${step.cause}`)] : [];
}

function more(count, k, text) {
  return count > 0 ? [h('li', {}, h('button', { type: 'button', onclick: () => go(k) }, `${plural(count, text + ' step')}`))] : [];
}

function draw() {
  const count = session.path.states.length - 1, [first, last] = windowOf(count, session.at);
  if (drawn && drawn.path === session.path && drawn.first <= Math.max(0, session.at - 1) && drawn.last >= Math.min(count, session.at + 1)) return;
  drawn = { path: session.path, first, last };
  items = [];
  for (let k = first; k <= last; k++) items.push(item(k));
  show(find('trail'), [...more(first, 0, 'earlier'), ...items, ...more(count - last, count, 'later'),
    ...(last === count ? [...loopItem(), ...failingItem()] : [])]);
}

on('path', () => {
  draw();
  items.forEach((element, i) => {
    const k = drawn.first + i, button = element.firstElementChild;
    element.classList.toggle('redo', k > session.at);
    if (k === session.at) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
  });
  const count = session.path.states.length - 1;
  find('position').textContent = `${session.at} of ${count}`;
  find('undo').disabled = session.at === 0;
  find('redo').disabled = nextPlace() === undefined;
  find('previous').disabled = !session.previous;
  reveal(find('trail-box'), session.at === count ? find('trail').lastElementChild : items[session.at - drawn.first]);
});

find('undo').onclick = undo;
find('redo').onclick = redo;
find('previous').onclick = swapPrevious;
arrowsIn(find('trail'), 'button');
