// A path as a sequence chart in SVG: a column for each active instance and each buffer that a step changes. For the page of
// floe explore and for the reports of floe check.
import { cut, h, s, show } from './dom.js';
import { loopText, selectsText } from './records.js';

const WINDOW = 200; // steps that a view shows before and after the present one
const ROW = 30, LEFT = 64, HEAD = 30, LETTER = 6.7, MOST_LETTERS = 36, MOST_ON_NARROW = 14, NARROW = 600;
const EXPORT_STYLE = `svg { background: #fff } text { font: 12px sans-serif; fill: #1b1f27 } .heads text { font-weight: 600 }
.life { stroke: #c3c9d4 } .row { fill: none } .arrow { stroke: #2257c4; fill: none } .tip, .dot { fill: #2257c4 }
.buffer { stroke-dasharray: 5 3 } .fails .dot { fill: #b3261e } .number { fill: #5a6372 }
.cycle { fill: #fdf6e3; stroke: #8a5a00 } .loop { stroke: #8a5a00; stroke-width: 2; fill: none } .loop-tip { fill: #8a5a00 }
.repeated .label { stroke: #fdf6e3 }`;

// First and last step of the window around step `at`.
export const windowOf = (count, at) => [Math.max(0, at - WINDOW), Math.min(count, at + WINDOW)];

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

const withMessage = (label, text) => (text ? `${label} (${text})` : label);

// Arrows and text of a step: {from, text, arrows: [{to, text, buffer, received}]}.
function rowOf(step) {
  const label = (step.label || 'transition') + selectsText(step.selects), from = step.process;
  const others = step.participants.slice(1).filter(({ kind }) => !kind).map(({ name }) => name).filter((name) => name !== from);
  const arrows = others.map((to) => ({ to, text: withMessage(label, step.message?.text) }));
  for (const transfer of step.changes.map(transferOf).filter(Boolean))
    arrows.push({ to: transfer.buffer, text: withMessage(label, bare(transfer.text)), buffer: true, received: transfer.received });
  return { from, text: step.fails ? `${label} fails: ${step.cause}` : label, arrows, fails: step.fails };
}

// Position of each column: instances, then buffers, each in the order of `order`.
function columnsOf(rows, order, most) {
  const arrows = rows.flatMap((row) => row.arrows), buffers = new Set(arrows.filter(({ buffer }) => buffer).map(({ to }) => to));
  const actors = new Set([...rows.map(({ from }) => from), ...arrows.filter(({ buffer }) => !buffer).map(({ to }) => to)]);
  const names = [...new Set([actors, buffers].flatMap((used) => [...order.filter((name) => used.has(name)), ...used]))];
  let longest = 8;
  for (const name of names) longest = Math.max(longest, name.length);
  for (const { text, arrows: all } of rows)
    for (const one of [text, ...all.map((arrow) => arrow.text)]) longest = Math.max(longest, Math.min(one.length, most));
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

function drawRow(row, k, i, columns, take) {
  const y = i * ROW + 20, x = columns.x.get(row.from);
  const parts = row.arrows.flatMap((one) => arrowParts(x, columns.x.get(one.to), y, one, columns.most));
  const text = row.arrows.length && !row.fails ? [] : [label(x + 9, y + 4, row.text, 'start', columns.most)];
  return s('g', { class: `step${row.fails ? ' fails' : ''}${row.repeated ? ' repeated' : ''}`, 'data-k': k, onclick: () => take(k) },
    s('rect', { x: 0, y: i * ROW, width: columns.width, height: ROW, class: 'row' }),
    s('text', { x: LEFT - 12, y: y + 4, 'text-anchor': 'end', class: 'number' }, k),
    parts, s('circle', { cx: x, cy: y, r: 4, class: 'dot' }), text);
}

// A frame around the repeated steps, with an arrow from their end back to their beginning. A run that stays in its last state
// has a row without a step for it.
function drawLoop({ loop, end }, first, width) {
  const stays = loop === end, top = (loop - first) * ROW + 1, bottom = (end + stays - first) * ROW + 2;
  return { frame: s('rect', { x: 20, y: top, width: width - 21, height: bottom - top, rx: 3, class: 'cycle' }), arrow: s('g', { class: 'return' },
    s('title', {}, loopText({ loop, end })),
    s('path', { d: `M20,${bottom - 8} H11 q-5,0 -5,-5 V${top + 14} q0,-5 5,-5 H13`, class: 'loop' }),
    s('path', { d: `M20,${top + 9} l-8,-5 v10 z`, class: 'loop-tip' }),
    stays ? s('text', { x: LEFT, y: top + 19, class: 'label' }, `stays in state ${end}`) : '') };
}

function heads(columns) {
  return columns.names.map((name) =>
    s('text', { x: columns.x.get(name), y: 19, 'text-anchor': 'middle' }, name));
}

const lives = (columns, height) =>
  columns.names.map((name) => s('line', { x1: columns.x.get(name), x2: columns.x.get(name), y1: 0, y2: height, class: 'life' }));

// The chart of steps `first` to `last` with texts of `most` letters: {columns, height, heads, body}.
function chartOf(path, order, first, last, most, take) {
  const rows = path.steps.slice(first, last).map((step, i) => ({ ...rowOf(step), repeated: path.loop !== null && first + i >= path.loop }));
  const columns = columnsOf(rows, order, most), stays = path.loop === last && last === path.end;
  const height = (rows.length + stays) * ROW + 8, loop = path.loop === null ? null : drawLoop(path, first, columns.width);
  return { columns, height, heads: heads(columns), body: [loop?.frame ?? '', ...lives(columns, height),
    ...rows.map((row, i) => drawRow(row, first + i + 1, i, columns, take)), loop?.arrow ?? ''] };
}

// What repeats, for screen readers, which do not see the drawing.
const repetition = ({ loop, end }) =>
  (loop === null ? '' : loop === end ? '; the run stays in the last state' : `; steps ${loop + 1} to ${end} repeat for ever`);

// Below the chart: the way back to the first state of the loop.
function returnLine({ loop, end }, take) {
  const text = `↻ ${loopText({ loop, end })}`;
  return h('p', { class: 'return' }, loop === end ? text : h('button', { type: 'button', onclick: () => take(loop) }, text));
}

// A chart in `box`, which scrolls, with `host` inside it. `order`: names of columns. `take` gets the number of a step that
// the user selects. A path is {steps, loop, end}: `end` is the number of the last state.
export function createChart(box, host, order, take) {
  let drawn = null;

  function mark(at) {
    for (const row of host.querySelectorAll('.step.now')) row.classList.remove('now');
    const row = host.querySelector(`.step[data-k="${at}"]`);
    if (!row) return;
    row.classList.add('now');
    const y = Number(row.firstElementChild.getAttribute('y'));
    if (y < box.scrollTop || y + ROW + HEAD > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
  }

  return {
    // Shows the steps around number `at`, which is marked; returns the first and the last one.
    draw(path, at) {
      const count = path.steps.length;
      if (drawn?.steps !== path.steps || at <= drawn.first && drawn.first > 0 || at >= drawn.last && drawn.last < count) {
        const [first, last] = windowOf(count, at);
        drawn = { steps: path.steps, first, last };
        const { columns, height, heads: top, body } =
          chartOf(path, order, first, last, box.clientWidth < NARROW ? MOST_ON_NARROW : MOST_LETTERS, take);
        const summary = `Sequence chart of ${last - first} steps; the list of the path has the same steps${repetition(path)}`;
        show(host, count ? [
          s('svg', { class: 'heads', width: columns.width, height: HEAD, 'aria-hidden': 'true' }, top),
          s('svg', { class: 'body', width: columns.width, height, role: 'img', 'aria-label': summary }, body),
          path.loop !== null && last === count ? returnLine(path, take) : ''] : []);
      }
      mark(at);
      return [drawn.first, drawn.last];
    },
  };
}

// The whole chart as the text of an SVG file.
export function chartFile(path, order) {
  const { columns, height, heads: top, body } = chartOf(path, order, 0, path.steps.length, MOST_LETTERS, null);
  const svg = s('svg', { width: columns.width, height: height + HEAD, viewBox: `0 0 ${columns.width} ${height + HEAD}` },
    s('g', { class: 'heads' }, top), s('g', { transform: `translate(0,${HEAD})` }, body));
  return new XMLSerializer().serializeToString(svg).replace(/^(<svg[^>]*>)/, `$1<style>${EXPORT_STYLE}</style>`);
}
