// The path as a sequence chart in SVG: a column for each active instance and each buffer that a step changes.
import { cut, find, s, save, show } from './dom.js';
import { go, on, session } from './session.js';
import { isOpen } from './tabs.js';
import { windowOf } from './trail.js';

const ROW = 30, LEFT = 56, HEAD = 30, LETTER = 6.7, MOST_LETTERS = 36, MOST_ON_NARROW = 14, NARROW = 600;
const EXPORT_STYLE = `svg { background: #fff } text { font: 12px sans-serif; fill: #1b1f27 } .heads text { font-weight: 600 }
.life { stroke: #c3c9d4 } .row { fill: none } .arrow { stroke: #2257c4; fill: none } .tip, .dot { fill: #2257c4 }
.buffer { stroke-dasharray: 5 3 } .fails .dot { fill: #b3261e } .number { fill: #5a6372 } .loop { stroke: #8a5a00; fill: none }`;

// Messages of a buffer's text: "[(0, 1), 2]" has two.
function messagesOf(text) {
  const messages = [];
  let depth = 0, start = 1;
  for (let i = 1; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (depth === 0 && (text[i] === ',' || text[i] === ']')) {
      if (text.slice(start, i).trim()) messages.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return messages;
}

// What a step does to a buffer: {buffer, received, text}, or null.
function transferOf({ name, before, after }) {
  if (!before.startsWith('[') || !after.startsWith('[')) return null;
  const old = messagesOf(before), now = messagesOf(after);
  if (now.length === old.length + 1) return { buffer: name, received: false, text: now[now.length - 1] };
  if (now.length === old.length - 1) return { buffer: name, received: true, text: old[0] };
  return null;
}

const bare = (text) => text.replace(/^\((.*)\)$/, '$1');

// Arrows and text of a step: {from, text, arrows: [{to, text, buffer, received}]}.
function rowOf(step) {
  const selects = step.selects?.length ? ` {${step.selects.map(({ name, text }) => `${name}=${text}`).join(', ')}}` : '';
  const label = (step.label || 'transition') + selects, from = step.process;
  const others = (step.participants ?? []).slice(1).map(({ name }) => name).filter((name) => name !== from);
  const arrows = others.map((to) => ({ to, text: step.message?.text ? `${label} (${step.message.text})` : label }));
  for (const transfer of step.changes.map(transferOf).filter(Boolean))
    arrows.push({ to: transfer.buffer, text: `${label} (${bare(transfer.text)})`, buffer: true, received: transfer.received });
  return { from, text: step.target === null ? `${label} fails: ${step.cause}` : label, arrows, fails: step.target === null };
}

// Position of each column, in the order of the model; buffers after the processes.
function columnsOf(rows, most) {
  const used = new Set(rows.flatMap(({ from, arrows }) => [from, ...arrows.map(({ to }) => to)]));
  const order = [...session.model.processes, ...session.model.variables.map(({ name }) => name)];
  const names = [...new Set([...order.filter((name) => used.has(name)), ...used])];
  let longest = 8;
  for (const name of names) longest = Math.max(longest, name.length);
  for (const { text, arrows } of rows)
    for (const one of [text, ...arrows.map((arrow) => arrow.text)]) longest = Math.max(longest, Math.min(one.length, most));
  const gap = longest * LETTER + 28;
  return { names, most, x: new Map(names.map((name, i) => [name, LEFT + 40 + i * gap])), width: LEFT + 40 + names.length * gap };
}

function label(x, y, text, anchor, most) {
  return s('text', { x, y, 'text-anchor': anchor, class: 'label' }, cut(text, most), text.length > most ? s('title', {}, text) : '');
}

function arrowParts(x1, x2, y, { text, buffer, received }, most) {
  const [start, end] = received ? [x2, x1 + Math.sign(x2 - x1) * 5] : [x1, x2], back = end > start ? -7 : 7;
  return [
    s('line', { x1: start, x2: end + back, y1: y, y2: y, class: buffer ? 'arrow buffer' : 'arrow' }),
    s('path', { d: `M${end},${y} l${back},-4 v8 z`, class: 'tip' }),
    label((x1 + x2) / 2, y - 5, text, 'middle', most),
  ];
}

function drawRow(row, k, i, columns) {
  const y = i * ROW + 20, x = columns.x.get(row.from);
  const parts = row.arrows.flatMap((one) => arrowParts(x, columns.x.get(one.to), y, one, columns.most));
  const text = row.arrows.length && !row.fails ? [] : [label(x + 9, y + 4, row.text, 'start', columns.most)];
  return s('g', { class: row.fails ? 'step fails' : 'step', 'data-k': k, onclick: () => go(Math.min(k, session.path.states.length - 1)) },
    s('rect', { x: 0, y: i * ROW, width: columns.width, height: ROW, class: 'row' }),
    s('text', { x: LEFT - 12, y: y + 4, 'text-anchor': 'end', class: 'number' }, k),
    parts, s('circle', { cx: x, cy: y, r: 4, class: 'dot' }), text);
}

// A line from the last row back to the one after which the loop begins.
function drawLoop(first, last) {
  const { loop, states } = session.path, end = states.length - 1;
  if (loop === null || loop < first || last < end || loop >= end) return [];
  const top = (loop - first) * ROW + 4, bottom = (end - first) * ROW - 10;
  return [s('path', { d: `M22,${bottom} H10 V${top} H22`, class: 'loop' }), s('path', { d: `M24,${top} l-7,-4 v8 z`, class: 'loop-tip' }),
    s('title', {}, `The last step returns to the state after step ${loop}`)];
}

function heads(columns) {
  return columns.names.map((name) =>
    s('text', { x: columns.x.get(name), y: 19, 'text-anchor': 'middle' }, name));
}

const lives = (columns, height) =>
  columns.names.map((name) => s('line', { x1: columns.x.get(name), x2: columns.x.get(name), y1: 0, y2: height, class: 'life' }));

// The chart of steps `first` to `last` with texts of `most` letters: {columns, height, heads, body}.
function chart(first, last, most) {
  const rows = session.path.steps.slice(first, last).map(rowOf), columns = columnsOf(rows, most), height = rows.length * ROW + 8;
  return { columns, height, heads: heads(columns),
    body: [...lives(columns, height), ...rows.map((row, i) => drawRow(row, first + i + 1, i, columns)), ...drawLoop(first, last)] };
}

let drawn = null;

function mark() {
  for (const row of document.querySelectorAll('#chart .step.now')) row.classList.remove('now');
  const row = document.querySelector(`#chart .step[data-k="${session.at}"]`);
  if (!row) return;
  row.classList.add('now');
  const box = find('chart-box'), y = Number(row.firstElementChild.getAttribute('y'));
  if (y < box.scrollTop || y + ROW + HEAD > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
}

function draw() {
  if (!isOpen('sequence') || !session.path.states.length) return;
  const count = session.path.steps.length, [first, last] = windowOf(count);
  if (drawn?.path !== session.path || session.at < drawn.first + 1 || session.at > drawn.last - 1) {
    drawn = { path: session.path, first, last };
    const { columns, height, heads: top, body } = chart(first, last, find('chart-box').clientWidth < NARROW ? MOST_ON_NARROW : MOST_LETTERS);
    const summary = `Sequence chart of ${last - first} steps; the list of the path has the same steps`;
    show(find('chart'), count ? [
      s('svg', { class: 'heads', width: columns.width, height: HEAD, 'aria-hidden': 'true' }, top),
      s('svg', { class: 'body', width: columns.width, height, role: 'img', 'aria-label': summary }, body)] : []);
    find('chart-note').textContent = !count ? 'The path has no steps yet.'
      : last - first < count ? `Steps ${first + 1} to ${last} of ${count}.` : '';
    find('export-chart').disabled = !count;
  }
  mark();
}

find('export-chart').onclick = () => {
  const { columns, height, heads: top, body } = chart(0, session.path.steps.length, MOST_LETTERS);
  const svg = s('svg', { width: columns.width, height: height + HEAD, viewBox: `0 0 ${columns.width} ${height + HEAD}` },
    s('g', { class: 'heads' }, top), s('g', { transform: `translate(0,${HEAD})` }, body));
  const text = new XMLSerializer().serializeToString(svg).replace(/^(<svg[^>]*>)/, `$1<style>${EXPORT_STYLE} .loop-tip { fill: #8a5a00 }</style>`);
  save(`${session.model.name}-sequence.svg`, 'image/svg+xml', text);
};

on('path', draw);
document.addEventListener('floe:tab', draw);
