// The path, the position on it, the present state, watch expressions and breakpoints; reports changes to the views.
// `shown` is the id of the state that the views show: it lags behind the position while the server answers.
//
// path.states has one state more than path.steps has steps, except that the last step may fail and then has no target.
// path.loop: after its last state the run continues as after this one; if it is the last one, the run stays there; or null.
import { post } from './api.js';
import { attempt, forgetError, plural } from './dom.js';

const CACHED = 300;
const listeners = { path: [], state: [], watches: [], breakpoints: [] };
const numbers = new Map(); // of states, in the order of their appearance
let cache = new Map();
let version = 0;

export const session = {
  model: null, path: { states: [], steps: [], loop: null }, at: 0, previous: null, state: null, shown: null, watches: [], breakpoints: [],
};

export function on(event, listener) {
  listeners[event].push(listener);
}

function emit(event) {
  for (const listener of listeners[event]) listener();
}

// A short name of a state: s0, s1 and so on.
export function nameOf(id) {
  if (!numbers.has(id)) numbers.set(id, numbers.size);
  return 's' + numbers.get(id);
}

// The address of a state, with the digest of the model and its constants, without which its id has no meaning.
export const linkTo = (id) => `#state=${id}&model=${session.model.digest}`;

export const here = () => session.path.states[session.at];

let places = { path: null, first: null };

// Index of a state's first place on the path, or undefined.
export function placeOf(id) {
  if (places.path !== session.path) {
    places = { path: session.path, first: new Map() };
    session.path.states.forEach((one, k) => places.first.has(one) || places.first.set(one, k));
  }
  return places.first.get(id);
}

// The step that led to the present state, or undefined at the start.
export const lastStep = () => session.path.steps[session.at - 1];

// The step on the path that fails, when it is the next one.
export function failingStep() {
  const { states, steps } = session.path;
  return steps.length === states.length && session.at === states.length - 1 ? steps[session.at] : undefined;
}

// STATE of the server, from the cache when it is there.
export async function fetchState(id) {
  if (!cache.has(id)) {
    const answer = await post('state', { state: id, watch: session.watches });
    if (cache.size >= CACHED) cache.delete(cache.keys().next().value);
    cache.set(id, answer);
  }
  return cache.get(id);
}

async function load() {
  const mine = ++version, id = here();
  history.replaceState(null, '', linkTo(id));
  await attempt(async () => {
    const answer = await fetchState(id);
    if (mine !== version) return; // the user is elsewhere by now
    performance.mark('floe:answer');
    session.state = answer;
    session.shown = id;
    emit('state');
    requestAnimationFrame(() => setTimeout(() => performance.mark('floe:painted')));
  });
}

// Goes to state `k` of the path; later steps stay.
export function go(k) {
  if (!(k >= 0 && k < session.path.states.length)) return undefined;
  forgetError();
  session.at = k;
  emit('path');
  return load();
}

// Number of the state after the next step of the path; a loop continues with its first step. Undefined: there is none.
export function nextPlace() {
  const { states, loop } = session.path, last = states.length - 1;
  if (session.at < last) return session.at + 1;
  return loop !== null && loop < last ? loop + 1 : undefined;
}

// The next step of the path, or undefined.
export const nextStep = () => failingStep() ?? session.path.steps[nextPlace() - 1];

export const undo = () => go(session.at - 1);
export const redo = () => go(nextPlace());

// "7 steps, of which the last 3 repeat for ever"
export function lengthOf({ states, steps, loop }) {
  const last = states.length - 1, repeated = loop === last ? ', then the run stays in that state' : `, of which the last ${last - loop} repeat for ever`;
  return plural(steps.length, 'step') + (loop === null ? '' : repeated);
}

// Replaces the path. `previous` keeps the old one.
export function open(path, at) {
  if (session.path.states.length) session.previous = { path: session.path, at: session.at };
  session.path = { states: [...path.states], steps: [...path.steps], loop: path.loop ?? null };
  return go(at);
}

// Replaces the path by one state.
export const openAlone = (id) => open({ states: [id], steps: [], loop: null }, 0);

// Goes to a state where it is on the path, or else opens it alone.
export function openState(id) {
  const k = placeOf(id);
  return k !== undefined ? go(k) : openAlone(id);
}

export function swapPrevious() {
  if (!session.previous) return undefined;
  const { path, at } = session.previous;
  return open(path, at);
}

// Cuts the path after the present state and appends `path`, which starts there.
export function extend(path) {
  const { states, steps } = session.path, at = session.at, fails = path.steps.length === path.states.length;
  const all = [...states.slice(0, at + 1), ...path.states.slice(1)], earlier = all.indexOf(all[all.length - 1]);
  const loop = earlier < all.length - 1 && !fails ? earlier : null;
  session.path = { states: all, steps: [...steps.slice(0, at), ...path.steps], loop };
  return go(at + path.states.length - 1);
}

// Takes an enabled step. The next step of the path again: the steps after it stay.
export function take(step) {
  if (session.shown !== here()) return undefined; // the step is one of the state before
  if (nextStep()?.index === step.index && !failingStep()) return redo();
  return extend({ states: step.target === null ? [here()] : [here(), step.target], steps: [step], loop: null });
}

export function setWatches(watches) {
  session.watches = watches;
  cache = new Map();
  emit('watches');
  return load();
}

export function setBreakpoints(breakpoints) {
  session.breakpoints = breakpoints;
  emit('breakpoints');
}

export const sourcePlace = (step) => (step.file ? `${step.file}:${step.line}` : `line ${step.line}`);
