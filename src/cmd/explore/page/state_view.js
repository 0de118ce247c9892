// The present state by process, with the values that the last step changed; properties; watch expressions.
import { find, guarded, h, show } from './dom.js';
import { here, lastStep, linkTo, nameOf, on, session, setWatches } from './session.js';
import { searchProperty } from './run.js';

const rows = new Map(); // by the name of a variable: its row, its value, and the text that the filter compares
const groups = [];      // {card, names}

// Process of a variable: the longest process name before "." or at its end; null: a global variable.
function ownerOf(name, processes) {
  if (processes.has(name)) return name;
  for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1))
    if (processes.has(name.slice(0, at))) return name.slice(0, at);
  return null;
}

// A model without processes is a net: its variables are places.
const isNet = () => session.model.processes.length === 0;

function card(owner, names) {
  const title = owner ?? (isNet() ? 'Places' : 'Global');
  const body = h('tbody');
  for (const name of names) {
    const short = owner === null ? name : name === owner ? 'location' : name.slice(owner.length + 1);
    const value = h('td');
    const row = h('tr', { 'data-name': name }, h('th', { scope: 'row', title: name }, short), value);
    rows.set(name, { row, value, text: `${name} ${title}`.toLowerCase() });
    body.append(row);
  }
  const element = h('table', { class: 'group' }, h('caption', {}, title), body);
  groups.push({ element, names });
  return element;
}

export function buildState() {
  const processes = new Set(session.model.processes), owned = new Map([[null, []]]);
  for (const process of processes) owned.set(process, []);
  for (const { name } of session.model.variables) owned.get(ownerOf(name, processes)).push(name);
  show(find('values'), [...owned].filter(([, names]) => names.length).map(([owner, names]) => card(owner, names)));
  find('empty-box').hidden = !isNet();
  find('filter').oninput = find('changed-only').onchange = find('empty').onchange = filter;
}

// Shows the variables that contain each word of the filter; of places those with tokens, or that the last step changed.
function filter() {
  const all = !isNet() || find('empty').checked;
  const words = find('filter').value.toLowerCase().split(/\s+/).filter(Boolean), changed = find('changed-only').checked;
  let shown = 0;
  for (const { element, names } of groups) {
    let any = false;
    for (const name of names) {
      const { row, value, text } = rows.get(name), differs = row.classList.contains('changed');
      const visible = words.every((word) => text.includes(word)) && (differs || (!changed && (all || value.textContent !== '0')));
      row.hidden = !visible;
      any ||= visible;
      shown += visible;
    }
    element.hidden = !any;
  }
  find('filter-count').textContent = `${shown} of ${rows.size}`;
}

function showValues() {
  const before = new Map((lastStep()?.changes ?? []).map((change) => [change.name, change.before]));
  for (const { name, value } of session.state.values) {
    const entry = rows.get(name);
    if (!entry) continue;
    const changed = before.has(name);
    entry.row.classList.toggle('changed', changed);
    if (changed) show(entry.value, [h('mark', {}, value), h('span', { class: 'was' }, ` was ${before.get(name)}`)]);
    else entry.value.textContent = value;
  }
  const link = find('state-link');
  link.textContent = nameOf(here());
  link.href = linkTo(here());
  find('deadlock').hidden = !session.state.deadlock;
  filter();
}

// Class of a property's value: good, bad or open; null: states have no value of it.
function judge(kind, value) {
  if (value === null) return null;
  if (value !== 'true' && value !== 'false') return 'bad';
  const positive = value === 'true';
  if (kind === 'invariant') return positive ? 'good' : 'bad';
  if (kind === 'reachable') return positive ? 'good' : 'open';
  return positive ? 'bad' : 'open';
}

function propertyRow(property, value) {
  const noun = property.kind === 'reachable' ? 'witness' : 'counterexample';
  return h('tr', { 'data-property': property.id },
    h('th', { scope: 'row', title: property.description || property.text },
      property.id, h('span', { class: 'kind' }, ` ${property.kind}`), h('code', { class: 'expression' }, property.text)),
    h('td', { class: judge(property.kind, value) }, value ?? '–'),
    h('td', {}, h('button', {
      type: 'button', 'aria-label': `Trace: ${noun} of ${property.id}`, title: `Search for a ${noun}`,
      onclick: () => searchProperty(property.id),
    }, 'Trace')));
}

function showProperties() {
  const values = new Map(session.state.properties.map(({ id, value }) => [id, value]));
  show(find('properties'), session.model.properties.map((property) => propertyRow(property, values.get(property.id) ?? null)));
  find('no-properties').hidden = session.model.properties.length > 0;
}

function showWatches() {
  const values = new Map((session.state?.watches ?? []).map((watch) => [watch.expr, watch]));
  show(find('watches'), session.watches.map((text, i) => {
    const watch = values.get(text);
    return h('tr', { 'data-watch': text },
      h('th', { scope: 'row' }, h('code', {}, text)),
      h('td', { class: watch?.error ? 'bad' : null }, watch ? watch.error || watch.value : '…'),
      h('td', {}, h('button', {
        type: 'button', 'aria-label': `Remove watch expression ${text}`,
        onclick: () => {
          setWatches(session.watches.filter((_, k) => k !== i));
          find('watch-text').focus();
        },
      }, 'Remove')));
  }));
}

find('watch-form').onsubmit = (event) => {
  event.preventDefault();
  const text = find('watch-text').value.trim();
  if (!text || session.watches.includes(text)) return;
  find('watch-text').value = '';
  guarded(() => setWatches([...session.watches, text]));
};

on('state', () => {
  showValues();
  showProperties();
  showWatches();
});
on('watches', showWatches);
