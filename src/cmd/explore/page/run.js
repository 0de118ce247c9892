// Searches in the background, random walks and breakpoints.
import { get, post } from './api.js';
import { announce, find, guarded, h, plural, show } from './dom.js';
import { extend, here, lengthOf, on, open, openAlone, session, setBreakpoints } from './session.js';

let current = 0; // number of the search whose progress is shown

function showProgress({ running, seconds, states, depth, verdict, engine }) {
  find('progress').hidden = !running;
  find('cancel').disabled = !running;
  const counts = `${plural(states, 'state')}, depth ${depth}, ${seconds.toFixed(1)} s`;
  find('search-note').textContent = running ? `Searching: ${counts}` : `Search ${verdict || 'ended'}: ${counts}${engine ? ` (${engine})` : ''}`;
}

async function finished(mine) {
  for (let pause = 60; ; pause = Math.min(pause * 1.5, 1000)) {
    const answer = await get('search');
    if (mine !== current) return null;
    showProgress(answer);
    if (!answer.running) return answer;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

// Starts a search; `found` gets its path.
async function search(request, found) {
  const mine = ++current;
  await post('search', request);
  announce('The search has started.');
  const answer = await finished(mine);
  if (!answer) return;
  if (answer.verdict !== 'found') announce(`Search: ${answer.verdict}, ${plural(answer.states, 'state')}.`);
  else await found(answer.path);
}

// Extends the path up to the first state, from the present one, in which the condition is true.
export function searchCondition(condition) {
  const from = here();
  return guarded(() => search({ condition, from }, async (path) => {
    if (here() !== from) await open(path, path.states.length - 1);
    else await extend(path);
    announce(`${condition}: true after ${plural(path.steps.length, 'step')}.`);
  }));
}

// Replaces the path by the counterexample, or the witness, of a property.
export function searchProperty(id) {
  return guarded(() => search({ property: id }, async (path) => {
    await open(path, path.states.length - 1);
    announce(`${id}: ${lengthOf(path)}.`);
  }));
}

export function cancelSearch() {
  return guarded(() => post('cancel', {}));
}

const ENDS = { steps: 'all steps taken', deadlock: 'deadlock', breakpoint: 'breakpoint', failure: 'a step fails' };

export function randomWalk() {
  return guarded(async () => {
    const from = here(), steps = Number(find('walk-steps').value), seed = Number(find('walk-seed').value);
    const path = await post('random', { state: from, steps, seed, until: session.breakpoints });
    if (here() !== from) return;
    await extend(path);
    const text = `Random walk: ${plural(path.steps.length, 'step')}, ${ENDS[path.stopped] ?? path.stopped}${path.expr ? ` ${path.expr}` : ''}.`;
    find('walk-note').textContent = text;
    announce(text);
  });
}

// Runs to the nearest state in which a breakpoint is true.
export function runToBreakpoint() {
  if (!session.breakpoints.length) return announce('There is no breakpoint.');
  return searchCondition(session.breakpoints.map((text) => `(${text})`).join(' or '));
}

function showBreakpoints() {
  show(find('breakpoints'), session.breakpoints.map((text, i) => h('li', { 'data-breakpoint': text }, h('code', {}, text), ' ',
    h('button', {
      type: 'button', 'aria-label': `Remove breakpoint ${text}`,
      onclick: () => {
        setBreakpoints(session.breakpoints.filter((_, k) => k !== i));
        find('breakpoint-text').focus();
      },
    }, 'Remove'))));
  find('run').disabled = session.breakpoints.length === 0;
}

// Accepts a breakpoint that the server can evaluate in the present state.
async function addBreakpoint(text) {
  const { watches } = await post('state', { state: here(), watch: [text] });
  if (watches[0].error) throw new Error(`breakpoint ${text}: ${watches[0].error}`);
  setBreakpoints([...session.breakpoints, text]);
  find('breakpoint-text').value = '';
}

find('search-form').onsubmit = (event) => {
  event.preventDefault();
  const condition = find('search-text').value.trim();
  if (condition) searchCondition(condition);
};
find('walk-form').onsubmit = (event) => {
  event.preventDefault();
  randomWalk();
};
find('breakpoint-form').onsubmit = (event) => {
  event.preventDefault();
  const text = find('breakpoint-text').value.trim();
  if (text && !session.breakpoints.includes(text)) guarded(() => addBreakpoint(text));
};
find('values-form').onsubmit = (event) => {
  event.preventDefault();
  guarded(async () => {
    const values = {};
    for (const part of find('values-text').value.split(';').filter((text) => text.trim())) {
      const [name, value] = part.split(/=(.*)/).map((text) => text?.trim());
      if (!value) throw new Error(`${part.trim()}: expected NAME = VALUE`);
      values[name] = value;
    }
    const { id } = await post('state', { values, watch: [] });
    await openAlone(id);
  });
};
find('cancel').onclick = cancelSearch;
find('run').onclick = runToBreakpoint;
on('breakpoints', showBreakpoints);
showBreakpoints();
