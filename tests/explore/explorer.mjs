// The page of floe explore, and its server, as tests use them.
import { readFileSync } from 'node:fs';

// The server, without the page, but in the form of its views. Node takes the module for one by its address.
const records = new URL('../../src/cmd/explore/page/records.js', import.meta.url);
export const { parseRecord, recordOf } = await import('data:text/javascript,' + encodeURIComponent(readFileSync(records, 'utf8')));
export const server = (base) => ({
  get: async (name) => recordOf(name, await (await fetch(base + 'api/' + name)).json()),
  post: async (name, body) => recordOf(name, await (await fetch(base + 'api/' + name,
    { method: 'POST', headers: { 'content-type': 'application/json', origin: new URL(base).origin }, body: JSON.stringify(body) })).json()),
});

// A page whose errors and requests are counted
export async function openPage(browser, base, { width = 1280, height = 800, scheme = 'light', hash = '', route } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.problems = [];
  page.assets = new Map();
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.problems.push(message.text()));
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('response', async (response) => {
    const address = response.url();
    if (!address.startsWith(base) && !/^(data|blob):/.test(address)) page.problems.push(`request to ${address}`);
    if (!address.startsWith(base + 'api/') && address.startsWith(base)) page.assets.set(address, (await response.body().catch(() => '')).length);
  });
  if (route) await route(page);
  await page.goto(base + hash);
  await page.waitForFunction(() => document.getElementById('position').textContent !== '0 of 0' || document.querySelector('#values td:not(:empty)'));
  return page;
}

export const stateOf = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('state'));
export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
export const position = (page) => page.textContent('#position');
export const settled = (page, text) => page.waitForFunction((t) => document.getElementById('position').textContent === t, text);

// Waits until the views show the state in the address.
export async function shown(page, api) {
  const id = await stateOf(page), state = await api.post('state', { state: id });
  await page.waitForFunction((n) => document.querySelectorAll('#enabled button.step').length === n, state.steps.length);
  await page.waitForTimeout(30);
  return state;
}

export async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(60);
  }
}
