// Chromium with axe-core, and counted checks, for page.mjs and report.mjs. Without playwright-core, axe-core (both found
// through NODE_PATH or node_modules) or Chromium ($CHROMIUM, or one of the usual paths) it prints the reason and exits
// with 77.
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

function needed(name) {
  const folders = (process.env.NODE_PATH ?? '').split(':').filter(Boolean);
  for (const from of [...folders.map((folder) => join(folder, '..', 'x.js')), import.meta.url]) {
    try {
      const require = createRequire(from);
      return name === 'axe-core' ? readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8') : require(name);
    } catch { /* the next folder */ }
  }
  return skip(`${name} is missing (NODE_PATH)`);
}

const { chromium } = needed('playwright-core'), axe = needed('axe-core');
const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path)) ?? skip('Chromium is missing (CHROMIUM)');

export const SCHEMES = ['light', 'dark'];
export const launch = () => chromium.launch({ executablePath, args: ['--no-sandbox'] });

let passed = 0, failed = 0, where = '';

// What the following checks are about.
export function within(name) {
  where = name;
}

export function check(condition, text, detail = '') {
  if (condition) passed++;
  else {
    failed++;
    console.log(`${where}: ${text}${detail === '' ? '' : `: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`}`);
  }
}

export const equal = (found, expected, text) =>
  check(JSON.stringify(found) === JSON.stringify(expected), text, `found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);

// Rules of axe-core that the page violates, and parts of the page that make it scroll horizontally.
export async function checkLayout(page, what) {
  await page.evaluate(axe);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `${what}: no horizontal scrolling`, wide);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  equal(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]), [], `${what}: axe`);
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
