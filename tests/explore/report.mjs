// Tests of the HTML reports of floe check in headless Chromium.
//
//   node report.mjs FILE...
//
// Each file is checked at three widths, light and dark, and once without scripts.
import { pathToFileURL } from 'node:url';
import { basename } from 'node:path';
import { SCHEMES, check, checkLayout, equal, finish, launch, skip, within } from './browser.mjs';

const WIDTHS = [375, 1280, 1920], LEAST_LETTERS = 15;
const files = process.argv.slice(2);
if (!files.length) skip('no report');

async function openReport(browser, file, options) {
  const context = await browser.newContext(options), page = await context.newPage();
  page.problems = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.problems.push(message.text()));
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('request', (request) => !/^(file|data):/.test(request.url()) && page.problems.push(`request to ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(() => { for (const details of document.querySelectorAll('details')) details.open = true; }).catch(() => null);
  await page.waitForTimeout(100);
  return page;
}

// Elements wider than the window, or cut at its edge, that no scroll container holds.
const outside = (page) => page.$$eval('body *', (all) => all.filter((one) => {
  const { left, right, width, height } = one.getBoundingClientRect(), holder = one.parentElement.closest('.scroll, svg');
  return width && height && !holder && (left < -1 || right > innerWidth + 1);
}).map((one) => `${one.tagName} ${one.className}`));

// Texts smaller than `least` pixels as shown: of a scaled drawing, too.
const smallTexts = (page, least) => page.$$eval('body *', (all, limit) => all.filter((one) => {
  const own = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (!own || !one.getClientRects().length || one.tagName === 'TITLE') return false;
  const scale = one.ownerSVGElement ? Math.abs(one.getScreenCTM().a) : 1;
  return parseFloat(getComputedStyle(one).fontSize) * scale < limit;
}).map((one) => one.textContent.slice(0, 40)), least);

// Letters in a line of each longer text of the table of properties, on average.
const lineLengths = (page) => page.$$eval('main > .rows td, details > .rows td', (cells) => cells.map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  return [cell.textContent.trim().length, lines];
}).filter(([letters]) => letters > 30).map(([letters, lines]) => letters / lines));

// Heads of a box that is scrolled to its end stay at its top.
async function checkHeads(page, what) {
  const moved = await page.$$eval('.sequence, .steps', (boxes) => boxes.map((box) => {
    const head = box.querySelector('svg.heads, thead th');
    if (!head.getClientRects().length) return 0; // rows are blocks
    box.scrollTop = box.scrollHeight;
    const offset = head.getBoundingClientRect().top - box.getBoundingClientRect().top;
    const scrolled = box.scrollTop;
    box.scrollTop = 0;
    return [offset, scrolled];
  }).filter((one) => one && (one[0] < 0 || one[0] > 3)));
  equal(moved, [], `${what}: heads stay when a box scrolls`);
}

async function checkWidth(browser, file, width, scheme) {
  const what = `${width} ${scheme}`, page = await openReport(browser, file, { viewport: { width, height: 900 }, colorScheme: scheme });
  equal(await outside(page), [], `${what}: nothing outside the window`);
  equal(await smallTexts(page, 11), [], `${what}: no text below 11 pixels`);
  const lengths = await lineLengths(page);
  check(lengths.every((letters) => letters >= LEAST_LETTERS), `${what}: properties are not one word wide`, lengths);
  await checkHeads(page, what);
  await checkLayout(page, what);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  equal(ground, scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 29)', `${what}: ground`);
  equal(page.problems, [], `${what}: problems`);
  await page.context().close();
}

// Keys, clicks, and the state, which is that of the table.
async function checkSteps(browser, file) {
  const page = await openReport(browser, file, { viewport: { width: 1280, height: 900 } });
  const sections = await page.$$('section.trace:has(script)');
  for (const [i, section] of sections.entries()) {
    const count = await section.$$eval('tr[data-step]', (rows) => rows.length);
    const chart = await section.$('.sequence'); // null: the model has no processes
    const output = () => section.$eval('output', (one) => one.textContent);
    equal(await output(), `first state, before ${count} steps`, `trace ${i}: start`);
    equal(await section.$$eval('.chart .step', (rows) => rows.length), chart ? Math.min(count, 200) : 0, `trace ${i}: rows of the chart`);
    await section.$eval('.stepper', (one) => one.focus());
    await page.keyboard.press('End');
    check((await output()).startsWith(`after step ${count} of ${count}: `), `trace ${i}: last step`);
    const [stepper, last] = await section.$$eval('.stepper .state, :scope > .state', (states) => states.slice(0, 2).map((one) => [...one.querySelectorAll('code')].map((code) => code.textContent)));
    equal(stepper, last, `trace ${i}: last state`);
    await page.keyboard.press('k');
    equal(await section.$$eval('.now', (all) => all.map((one) => one.dataset.step ?? one.dataset.k)), count > 1 ? Array(chart ? 2 : 1).fill(`${count - 1}`) : [], `trace ${i}: marks`);
    if (chart) {
      await section.$eval('.chart .step', (row) => row.dispatchEvent(new MouseEvent('click', { bubbles: true })));
      check((await output()).startsWith('after step 1 of'), `trace ${i}: a click in the chart`);
    }
    if (await section.$('tfoot')) await checkLoop(page, section, `trace ${i}`, output);
    await section.$eval('tr[data-step]:last-of-type', (row) => row.click());
    check((await output()).startsWith(`after step ${count} of`), `trace ${i}: a click in the table`);
  }
  equal(page.problems, [], 'problems of stepping');
  await page.context().close();
  return sections.length;
}

// The loop of a run: marks, the way back by link and button, and the step after the last one.
async function checkLoop(page, section, what, output) {
  loops++;
  const link = await section.$('tfoot a'), button = await section.$('.chart p.return button');
  const repeated = (rows) => section.$$eval(rows, (all) => all.map((row) => row.dataset.step ?? row.dataset.k));
  equal(await section.$$eval('.cycle', (all) => all.length), 1, `${what}: frame of the loop`);
  equal(await repeated('.chart .step.repeated'), await repeated('tr[data-step].repeated'), `${what}: repeated steps`);
  await section.$eval('.stepper', (one) => one.focus());
  await page.keyboard.press('End');
  check(/(repeats from|stays in) state \d+$/.test(await output()), `${what}: output at the end`, await output());
  if (!link) return check(!button, `${what}: a run that stays has no way back`);
  const loop = Number(await link.getAttribute('data-state')), at = (k) => (k ? `after step ${k} of` : 'first state');
  for (const way of [link, button]) {
    await page.keyboard.press('End');
    await way.focus();
    await page.keyboard.press('Enter');
    check((await output()).startsWith(at(loop)), `${what}: back to state ${loop}`, await output());
  }
  await page.keyboard.press('End');
  await page.keyboard.press('j');
  check((await output()).startsWith(at(loop + 1)) && (await output()).endsWith('(repeated)'), `${what}: the loop begins again`, await output());
}

// The page without scripts shows the first state, all steps and the last state.
async function checkPlain(browser, file) {
  const page = await openReport(browser, file, { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
  const text = await page.textContent('body');
  check(text.includes('First state') === (await page.locator('section.trace').count() > 0), 'without scripts: first state');
  equal(await page.locator('.sequence:visible, .controls:visible').count(), 0, 'without scripts: nothing that needs one');
  await page.context().close();
}

const browser = await launch();
let traces = 0, loops = 0;
for (const file of files) {
  within(basename(file));
  try {
    traces += await checkSteps(browser, file);
    await checkPlain(browser, file);
    for (const scheme of SCHEMES) for (const width of WIDTHS) await checkWidth(browser, file, width, scheme);
  } catch (error) {
    check(false, 'ended early', error.stack);
  }
}
within('all reports');
check(traces > 0, 'a report with a trace');
check(loops > 0, 'a report with a loop');
await browser.close();
finish();
