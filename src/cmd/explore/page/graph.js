// The neighbourhood of the present state, or all states of a small model, as a graph with the layout of dagre.
import { post } from './api.js';
import { attempt, cut, find, guarded, plural, s, show } from './dom.js';
import { extend, fetchState, here, nameOf, on, openState, placeOf, session } from './session.js';
import { isOpen, openTab } from './tabs.js';

const LETTER = 6.7, MOST_LETTERS = 30, MOST_LABELS = 80;
let graph = null; // the answer of the server, with `whole` and the `state` for which it was requested
let asked = 0; // number of the last request
let whole = false; // which graph the user asked for last
let scale = 1;

// dagre is a classic script; it is loaded when the first graph is drawn.
async function layoutLibrary() {
  if (!window.dagre) await import('./vendor/dagre.js');
  return window.dagre;
}

// Edges between the same two nodes become one with all their actions.
function joined(edges) {
  const all = new Map();
  for (const { from, to, action } of edges) {
    const key = `${from} ${to}`;
    if (!all.has(key)) all.set(key, { from, to, actions: [] });
    all.get(key).actions.push(action);
  }
  return [...all.values()];
}

const nodeText = ({ text }) => cut(text ?? '', MOST_LETTERS);
const edgeText = ({ actions }) => cut(actions[0], MOST_LETTERS) + (actions.length > 1 ? ` +${actions.length - 1}` : '');

function laidOut(dagre, { nodes }, edges) {
  const g = new dagre.graphlib.Graph();
  g.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 44, marginx: 12, marginy: 12 });
  nodes.forEach((node, i) => g.setNode(i, { width: Math.max(nodeText(node).length, 5) * LETTER + 20, height: 42 }));
  for (const edge of edges) {
    const text = edges.length <= MOST_LABELS ? edgeText(edge) : '';
    g.setEdge(edge.from, edge.to, { edge, text, width: text.length * LETTER, height: text ? 16 : 0, labelpos: 'c' });
  }
  dagre.layout(g);
  return g;
}

function drawEdge({ edge, text, points, x, y }) {
  const [first, ...rest] = points, end = points[points.length - 1], before = points[points.length - 2];
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return s('g', { class: 'edge', 'data-from': edge.from, 'data-to': edge.to },
    s('title', {}, edge.actions.join('\n')),
    s('path', { d: `M${first.x},${first.y} L${rest.map((p) => `${p.x},${p.y}`).join(' ')}`, class: 'arrow' }),
    s('path', { d: 'M0,0 l-8,-4 v8 z', transform: `translate(${end.x},${end.y}) rotate(${angle})`, class: 'tip' }),
    text ? s('text', { x, y: y + 4, 'text-anchor': 'middle', class: 'label' }, text) : '');
}

function notesOf(node) {
  return [node.initial ? 'initial' : '', node.deadlock ? 'deadlock' : '',
    node.violates?.length ? `violates ${node.violates.join(', ')}` : ''].filter(Boolean);
}

function drawNode(node, i, { x, y, width, height }) {
  const notes = notesOf(node), head = nameOf(node.id) + notesMark(node), text = nodeText(node), bad = node.deadlock || node.violates?.length;
  const take = () => guarded(() => visit(i));
  return s('g', { class: bad ? 'node bad' : 'node', tabindex: 0, role: 'button', 'data-id': node.id,
    'aria-label': [`${head} ${text}`, ...notes].join(', '), onclick: take,
    onkeydown: (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      take();
    } },
    s('title', {}, [node.text, ...notes].join('\n')),
    s('rect', { x: x - width / 2, y: y - height / 2, width, height, rx: 5 }),
    s('text', { x, y: y - 3, 'text-anchor': 'middle', class: 'name' }, head, ' '),
    s('text', { x, y: y + 13, 'text-anchor': 'middle' }, text));
}

const notesMark = (node) => (node.initial ? ' ▸' : '') + (node.deadlock ? ' ■' : '') + (node.violates?.length ? ' ✗' : '');

// Node numbers on a shortest path from the present state to node `goal`, or null.
function route(goal) {
  const start = graph.nodes.findIndex(({ id }) => id === here());
  if (start < 0) return null;
  const from = new Map([[start, null]]), queue = [start], next = new Map();
  for (const edge of graph.edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  for (const node of queue) {
    for (const to of next.get(node) ?? []) {
      if (from.has(to)) continue;
      from.set(to, node);
      queue.push(to);
    }
  }
  if (!from.has(goal)) return null;
  const nodes = [];
  for (let node = goal; node !== null; node = from.get(node)) nodes.unshift(node);
  return nodes;
}

// Goes to node `i`: on the path where the state is on it, else by a shortest path in the graph, else as a new start.
async function visit(i) {
  const nodes = placeOf(graph.nodes[i].id) !== undefined ? null : route(i);
  if (!nodes) return openState(graph.nodes[i].id);
  const states = nodes.map((node) => graph.nodes[node].id), steps = [];
  for (let k = 1; k < states.length; k++)
    steps.push((await fetchState(states[k - 1])).steps.find(({ target }) => target === states[k]));
  return steps.every(Boolean) ? extend({ states, steps, loop: null }) : openState(states[states.length - 1]);
}

// The present state, and the edges that the path takes.
function mark() {
  const { states } = session.path, steps = new Set(states.slice(1).map((id, k) => `${states[k]} ${id}`));
  for (const node of document.querySelectorAll('#graph .node')) {
    const now = node.dataset.id === here();
    node.classList.toggle('now', now);
    if (now) node.setAttribute('aria-current', 'true');
    else node.removeAttribute('aria-current');
  }
  for (const edge of document.querySelectorAll('#graph .edge')) {
    const { from, to } = edge.dataset;
    edge.classList.toggle('taken', steps.has(`${graph.nodes[from].id} ${graph.nodes[to].id}`));
  }
}

function resize() {
  const svg = find('graph').querySelector('svg');
  if (!svg) return;
  const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
  svg.setAttribute('width', width * scale);
  svg.setAttribute('height', height * scale);
}

function describe() {
  const what = graph.whole ? 'Graph of the model' : `Neighbourhood of ${nameOf(graph.state)}`;
  const text = `${what}: ${plural(graph.nodes.length, 'state')}, ${plural(graph.edges.length, 'transition')}`;
  find('graph-note').textContent = text + (graph.complete ? '.' : '. Incomplete: more states exist than the graph shows.');
  return text;
}

function draw(dagre) {
  const edges = joined(graph.edges), g = laidOut(dagre, graph, edges), { width, height } = g.graph(), text = describe();
  show(find('graph'), [s('svg', { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: 'group', 'aria-label': text },
    g.edges().map((e) => drawEdge(g.edge(e))), graph.nodes.map((node, i) => drawNode(node, i, g.node(i))))]);
  resize();
  mark();
  const now = find('graph').querySelector('.now'), box = find('graph-box');
  if (!now) return;
  const outer = box.getBoundingClientRect(), inner = now.getBoundingClientRect();
  box.scrollTop += inner.top - outer.top - outer.height / 3;
  box.scrollLeft += inner.left - outer.left - outer.width / 2 + inner.width / 2;
}

async function request() {
  const mine = ++asked, state = here(), all = whole;
  find('graph-note').textContent = 'Loading…';
  const answer = await post('graph', all ? {} : { state, depth: Number(find('graph-depth').value) });
  const dagre = await layoutLibrary();
  if (mine !== asked) return; // a later request stands
  graph = { ...answer, whole: all, state };
  draw(dagre);
}

// The neighbourhood follows the present state; the graph of the model stays.
function follow() {
  if (!isOpen('graph') || !session.state) return;
  if (graph?.whole === whole && (whole || graph.state === here())) {
    asked++;
    describe();
    mark();
  } else attempt(request);
}

function choose(all) {
  whole = all;
  return guarded(request);
}

// Opens the tab, which draws the graph.
function openWith(all) {
  whole = all;
  openTab('graph');
}

export const showWhole = () => openWith(true);
export const showNear = () => openWith(false);

find('graph-whole').onclick = () => choose(true);
find('graph-near').onclick = find('graph-depth').onchange = () => choose(false);
find('graph-larger').onclick = find('graph-smaller').onclick = (event) => {
  scale *= event.currentTarget.id === 'graph-larger' ? 1.25 : 0.8;
  resize();
};
find('graph-fit').onclick = () => {
  const svg = find('graph').querySelector('svg');
  if (!svg) return;
  const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number), { clientWidth, clientHeight } = find('graph-box');
  scale = Math.min(1, (clientWidth - 24) / width, (clientHeight - 16) / height);
  resize();
};
on('state', follow);
document.addEventListener('floe:tab', follow);
