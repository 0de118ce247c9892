// Elements of HTML and SVG. Every text becomes a text node; nothing is parsed as HTML.
const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}

// An HTML element. A property `on...` is an event handler, any other an attribute; null and false leave it out.
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

// The same for SVG.
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export const find = (id) => document.getElementById(id);

// Replaces the children of `element` in one operation.
export function show(element, children) {
  const fragment = document.createDocumentFragment();
  fragment.append(...children);
  element.replaceChildren(fragment);
}

// Cuts a text to `most` characters.
export const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);

export const plural = (count, noun, many = noun + 's') => `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;

// Scrolls `box`, and not the page, until `element` inside it is visible.
export function reveal(box, element) {
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 8;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 8;
}

// Shows a message in the status line, which screen readers read.
export function announce(text) {
  find('status').textContent = text;
}

export function complain(error) {
  find('error-text').textContent = error.message + (error.hint ? ` (${error.hint})` : '');
  find('error').hidden = false;
}

export function forgetError() {
  find('error').hidden = true;
}

// Runs an action of the user: the error of an earlier one disappears.
export function guarded(task) {
  forgetError();
  return attempt(task);
}

// Runs `task` and shows the error that it throws.
export async function attempt(task) {
  try {
    return await task();
  } catch (error) {
    complain(error);
    return undefined;
  }
}
