// The tabs of the lower panel: sequence chart, graph, source, run.
import { find } from './dom.js';

const names = ['sequence', 'graph', 'source', 'run'];

// Shows a tab; views listen to the event `floe:tab` to draw when they become visible.
export function openTab(name) {
  for (const other of names) {
    const selected = other === name;
    find('tab-' + other).setAttribute('aria-selected', selected);
    find('tab-' + other).tabIndex = selected ? 0 : -1;
    find('view-' + other).hidden = !selected;
  }
  document.dispatchEvent(new CustomEvent('floe:tab', { detail: name }));
}

export const isOpen = (name) => !find('view-' + name).hidden;

names.forEach((name, i) => {
  const tab = find('tab-' + name);
  tab.onclick = () => openTab(name);
  tab.onkeydown = (event) => {
    const move = { ArrowRight: 1, ArrowLeft: names.length - 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const other = names[(i + move) % names.length];
    openTab(other);
    find('tab-' + other).focus();
  };
});
