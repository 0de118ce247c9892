// Tests of the page of `floe explore` in headless Chromium, against running servers.
//
//   node page.mjs ADDRESS...
//
// Needs playwright-core and axe-core (found through NODE_PATH or node_modules) and Chromium ($CHROMIUM, or one of the
// usual paths); without one of them it prints the reason and exits with 77. Every address gets the general tests, whose
// expected values are the answers of the server itself. A server of one of these models gets tests of its own as well:
// philosophers with N=3 and LEFT=0 (deadlock, loop), slidingwindow (messages of buffers), altbit with BROKEN=1 (a step
// that fails), fischer (several participants), large (50 processes with 400 variables: first paint, cancelled search).
// Servers of handshake (messages of handshakes), lock (the chapter's pictures), net (no processes), turns and stops (loops of
// runs) get only their own.
import { readFileSync } from 'node:fs';
import { SCHEMES, check, checkLayout, equal, finish, launch, skip, within } from './browser.mjs';
import { testChapter } from './chapter.mjs';
import { openPage, parseRecord, position, press, server, settled, shown, stateOf, texts } from './explorer.mjs';

const WIDTHS = [375, 768, 1280, 1920], TABS = ['sequence', 'graph', 'source', 'run'];
const MOST_BYTES = 1 << 20, MOST_PAINT_MS = 200, HOSTILE = '<img src=x onerror="document.title=1">&amp;';

const addresses = process.argv.slice(2);
if (!addresses.length) skip('no address of a server');

async function testState(page, api, model) {
  const state = await shown(page, api);
  const values = await page.$$eval('#values tr', (rows) => rows.map((row) => {
    const was = row.querySelector('.was');
    const text = was ? row.querySelector('mark').textContent : row.querySelector('td').textContent;
    return [row.dataset.name, text, row.closest('table').caption.textContent];
  }));
  equal(new Map(values.map(([name, value]) => [name, value])).size, model.variables.length, 'every variable is shown once');
  const wrong = state.values.filter(({ name, value }) => values.find(([n]) => n === name)?.[1] !== value);
  equal(wrong, [], 'values of the state');
  const misplaced = values.filter(([name, , caption]) => model.processes.includes(caption)
    ? name !== caption && !name.startsWith(caption + '.') : caption !== (model.processes.length ? 'Global' : 'Places') || model.processes.some((p) => name === p || name.startsWith(p + '.')));
  equal(misplaced, [], 'variables grouped by process');
  equal((await texts(page, '#enabled .action')), state.steps.map(({ action }) => action), 'actions of the enabled transitions');
  const items = await texts(page, '#enabled li');
  state.steps.forEach((step, i) => {
    const effects = step.changes.slice(0, 12).map(({ name, before, after }) => `${name} ${before} → ${after}`);
    check(effects.every((text) => items[i].includes(text)), `effect of ${step.action}`, items[i]);
    check(step.target === null ? items[i].includes('fails') : /→ s\d+/.test(items[i]), `target of ${step.action}`, items[i]);
  });
  const properties = await page.$$eval('#properties tr', (rows) => rows.map((row) => [row.dataset.property, row.cells[1].textContent]));
  const expected = new Map(state.properties.map(({ id, value }) => [id, value]));
  check(properties.every(([id, value]) => value === (expected.get(id) ?? '–')), 'values of the properties', properties);
  equal(properties.length, model.properties.length, 'number of properties');
  return state;
}

async function testBlocked(page, api) {
  const answer = await api.post('blocked', { state: await stateOf(page) });
  await page.waitForFunction((n) => document.querySelectorAll('#blocked > li > ul > li').length === n, answer.blocked.length);
  const text = await page.textContent('#blocked');
  const reasons = answer.blocked.flatMap(({ obstacles }) => obstacles.map((obstacle) => obstacle.text));
  check(reasons.every((reason) => text.includes(reason)), 'reasons of the blocked transitions');
  equal(await page.textContent('#blocked-count'), answer.blocked.length + (answer.incomplete ? '+' : ''), 'number of blocked transitions');
}

// Steps, marks, undo and redo, keys, the list of the path
async function testPath(page, api) {
  const before = await shown(page, api), step = before.steps.find(({ target }) => target !== null);
  await page.click(`#enabled button[data-index="${step.index}"]`);
  await settled(page, '1 of 1');
  equal(await stateOf(page), step.target, 'state in the address');
  await shown(page, api);
  equal(await page.$$eval('#values tr.changed', (rows) => rows.map((row) => row.dataset.name).sort()), step.changes.map(({ name }) => name).sort(),
    'marks of the changed values');
  for (const change of step.changes.slice(0, 3))
    check((await page.textContent(`#values tr[data-name="${change.name}"]`)).includes(`was ${change.before}`), 'value before the step');
  const status = await page.textContent('#status');
  check(status.includes(step.action) && /enabled|Deadlock/.test(status), 'status line', status);
  await press(page, 'u');
  equal([await position(page), await stateOf(page)], ['0 of 1', before.id], 'undo by key');
  check(await page.$eval('#trail li:nth-child(2)', (item) => item.classList.contains('redo')), 'the undone step stays for redo');
  await press(page, 'ArrowRight');
  equal(await position(page), '1 of 1', 'redo by key');
  const second = (await shown(page, api)).steps.find(({ target }) => target !== null);
  await page.click(`#enabled button[data-index="${second.index}"]`);
  await settled(page, '2 of 2');
  await page.click('#undo');
  await page.click('#undo');
  await settled(page, '0 of 2');
  await shown(page, api);
  await press(page, String(before.steps.indexOf(step) + 1));
  equal(await position(page), '1 of 2', 'the same step again keeps the path');
  await press(page, 'u');
  const other = (await shown(page, api)).steps.find(({ target, index }) => target !== null && index !== step.index);
  if (other) {
    await page.click(`#enabled button[data-index="${other.index}"]`);
    await settled(page, '1 of 1');
  } else await press(page, 'r');
}

async function testWalk(page, api) {
  await press(page, 'f', 'Escape');
  await page.fill('#walk-steps', '6');
  await page.fill('#walk-seed', '7');
  const at = Number((await position(page)).split(' ')[0]), from = await stateOf(page);
  const expected = await api.post('random', { state: from, steps: 6, seed: 7, until: [] });
  await page.click('#walk-form button');
  await settled(page, `${at + expected.states.length - 1} of ${at + expected.states.length - 1}`);
  equal(await stateOf(page), expected.states.at(-1), 'end of the random walk');
  equal((await texts(page, '#trail li[data-k] .action')).slice(at + 1), expected.steps.slice(0, expected.states.length - 1).map(({ action }) => action),
    'list of the path');
  const last = at + expected.states.length - 1;
  await press(page, 'Home');
  equal(await position(page), `0 of ${last}`, 'first state by key');
  await page.click('#trail li[data-k="2"] button');
  await settled(page, `2 of ${last}`);
  equal(await page.getAttribute('#trail li[data-k="2"] button', 'aria-current'), 'step', 'present step in the list');
  await press(page, 'End');
  equal(await position(page), `${last} of ${last}`, 'last state by key');
  await shown(page, api);
}

async function testChart(page) {
  await press(page, 'c');
  const count = Number((await position(page)).split(' ')[2]);
  const rows = await page.$$eval('#chart .step', (all) => all.length);
  check(rows >= count, 'a row of the chart for each step', rows);
  check(await page.$eval('#chart svg.heads', (svg) => getComputedStyle(svg).position === 'sticky'), 'heads of the chart stay in view');
  await page.$eval('#chart .step[data-k="1"]', (row) => row.dispatchEvent(new MouseEvent('click', { bubbles: true })));
  await settled(page, `1 of ${count}`);
  check(await page.$eval('#chart .step[data-k="1"]', (row) => row.classList.contains('now')), 'present step in the chart');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export-chart')]);
  const svg = readFileSync(await download.path(), 'utf8');
  const blank = await page.context().newPage(); // without the policy of the server, which refuses the styles of the file
  const parsed = await blank.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, 'image/svg+xml');
    return [document.querySelectorAll('parsererror, script').length, document.querySelectorAll('.step').length, document.documentElement.localName];
  }, svg);
  await blank.close();
  equal(parsed, [0, rows, 'svg'], 'exported chart');
  await press(page, 'End');
}

async function testFiles(page) {
  const count = Number((await position(page)).split(' ')[2]), actions = await texts(page, '#trail li[data-k] .action');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
  const trace = readFileSync(await download.path());
  equal(JSON.parse(trace).format, 'floe-traces', 'saved trace file');
  await page.click('#restart');
  await settled(page, '0 of 0');
  await page.setInputFiles('#trace-file', { name: 'trace.json', mimeType: 'application/json', buffer: trace });
  await settled(page, `0 of ${count}`);
  equal(await texts(page, '#trail li[data-k] .action'), actions, 'loaded trace file');
  await testChoice(page, JSON.parse(trace), count);
  await page.setInputFiles('#trace-file', { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{') });
  await page.waitForSelector('#error:not([hidden])');
  check((await page.textContent('#error')).includes('x.json'), 'message for a file that is no trace');
  equal(await position(page), `0 of ${count}`, 'the path stays after an error');
  await page.click('#restart');
  await settled(page, '0 of 0');
  await press(page, 'o');
  await settled(page, `0 of ${count}`);
}

// A file with two traces, of which the second has a loop.
async function testChoice(page, trace, count) {
  const [one] = trace.traces, two = { ...trace, traces: [{ ...one, property: 'first' }, { ...one, property: 'second' }] };
  let sent = null;
  await page.route('**/api/replay', async (route) => {
    sent = route.request().postDataJSON().trace.traces.map(({ property }) => property);
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), loop: 1 } });
  });
  await page.setInputFiles('#trace-file', { name: 'two.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(two)) });
  await page.click('#choices li:nth-child(2) button');
  await page.waitForSelector('#trail li[data-k="1"] .loop-note');
  equal(sent, ['second'], 'the chosen trace is loaded');
  const items = await page.$$eval('#trail li[data-k]', (all) => all.map((item) => [item.classList.contains('loop'), item.textContent]));
  check(items.slice(0, 2).every(([loop]) => !loop) && items.slice(2).every(([loop]) => loop), 'steps of the loop in the list');
  check(items[1][1].includes('repeated from here'), 'begin of the loop in the list', items);
  await page.unroute('**/api/replay');
  equal(await position(page), `0 of ${count}`, 'start of the chosen trace');
}

async function testSource(page, api, model) {
  await press(page, 'Home', 'r', 'l');
  await shown(page, api);
  const expected = (await api.post('state', { state: model.initial })).steps
    .filter(({ target }) => target === null ? false : true).map(({ line }) => line);
  const lines = await page.$$eval('#source-lines tr.now', (rows) => rows.map((row) => Number(row.cells[0].textContent)));
  check(lines.length > 0 && lines.some((line) => expected.includes(line)), 'line of the last step', lines);
  equal((await texts(page, '#source-lines .code')).length, model.source.replace(/\n$/, '').split('\n').length, 'lines of the source');
  const button = await page.$('#enabled button.line');
  if (button) {
    const line = /line (\d+)/.exec(await button.textContent())?.[1];
    await button.click();
    if (line) check((await texts(page, '#source-lines tr.now .number')).includes(line), 'line of an enabled transition');
  }
}

async function testValues(page, api, model) {
  const [{ name, value }] = (await api.post('state', { state: model.initial })).values;
  await press(page, 'End', 'f', 'Escape');
  await page.fill('#values-text', `${name} = ${value}`);
  await page.press('#values-text', 'Enter');
  await page.waitForFunction((id) => document.getElementById('state-link').hash.startsWith(`#state=${id}&`), model.initial);
  equal(await position(page), '0 of 0', 'a state from values begins a path');
  await page.fill('#values-text', `${name}`);
  await page.press('#values-text', 'Enter');
  await page.waitForSelector('#error:not([hidden])');
  await press(page, 'Escape', 'o');
  await page.waitForFunction(() => document.getElementById('position').textContent !== '0 of 0');
}

async function testFilter(page, model) {
  const name = model.variables.at(-1).name;
  await press(page, '/');
  await page.keyboard.type(name);
  const visible = await page.$$eval('#values tr', (rows) => rows.filter((row) => row.offsetParent).map((row) => row.dataset.name));
  check(visible.includes(name) && visible.every((one) => one.toLowerCase().includes(name.toLowerCase())), 'filter', visible);
  await page.fill('#filter', '');
  await page.check('#changed-only');
  equal(await page.$$eval('#values tr', (rows) => rows.filter((row) => row.offsetParent && !row.classList.contains('changed')).length), 0, 'changed values only');
  await page.uncheck('#changed-only');
  equal(await page.$$eval('#values tr', (rows) => rows.filter((row) => row.offsetParent).length), model.variables.length, 'no filter');
  await press(page, 'Escape');
}

async function testExpressions(page, api) {
  for (const text of ['1 + 1', '1 +']) {
    await page.fill('#watch-text', text);
    await page.press('#watch-text', 'Enter');
    await page.waitForFunction((t) => document.querySelector(`[data-watch="${t}"] td`)?.textContent !== '…' && document.querySelector(`[data-watch="${t}"]`), text);
  }
  equal(await page.textContent('[data-watch="1 + 1"] td'), '2', 'value of a watch expression');
  check(await page.$eval('[data-watch="1 +"] td', (cell) => cell.classList.contains('bad') && cell.textContent.length > 0), 'error of a watch expression');
  await page.click('[data-watch="1 +"] button');
  equal(await page.$$eval('#watches tr', (rows) => rows.length), 1, 'a watch expression is removed');
  await press(page, 'Escape', 'k');
  await page.keyboard.type('1 +');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#error:not([hidden])');
  equal(await page.$$eval('#breakpoints li', (all) => all.length), 0, 'a wrong breakpoint is refused');
  await page.fill('#breakpoint-text', '1 == 1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#breakpoints li');
  await press(page, 'Escape', 'Home', 'n');
  await settled(page, '1 of 1');
  await page.waitForFunction(() => document.getElementById('walk-note').textContent.includes('breakpoint'));
  await page.click('#run');
  await page.waitForFunction(() => /found/.test(document.getElementById('search-note').textContent));
  equal(await position(page), '1 of 1', 'run to a breakpoint that is true here');
  await page.click('#breakpoints button');
  check(await page.isDisabled('#run'), 'no breakpoint, no run');
}

// In every model but the large one, whose search does not end soon
async function testSearch(page, api, model) {
  await page.fill('#search-text', '1 +');
  await page.press('#search-text', 'Enter');
  await page.waitForSelector('#error:not([hidden])');
  await page.fill('#search-text', '1 == 2');
  await page.press('#search-text', 'Enter');
  if (model.name === 'large') {
    await page.waitForFunction(() => /Searching: [1-9]/.test(document.getElementById('search-note').textContent));
    check(await page.isVisible('#progress'), 'progress of a search');
    await press(page, 'Escape', 'x');
    await page.waitForFunction(() => /cancelled/.test(document.getElementById('search-note').textContent));
    check(await page.isHidden('#progress'), 'a cancelled search shows no progress');
    return;
  }
  await page.waitForFunction(() => /not found/.test(document.getElementById('search-note').textContent));
  check(await page.isHidden('#error'), 'an action hides the error of an earlier one');
}

async function testGraph(page, api, model) {
  await press(page, 'Home', 'm');
  const expected = await api.post('graph', { state: await stateOf(page), depth: 2 });
  await page.waitForFunction((n) => document.querySelectorAll('#graph .node').length === n, expected.nodes.length, { timeout: 20000 });
  equal(await page.getAttribute('#graph .node.now', 'data-id'), await stateOf(page), 'present state in the graph');
  check((await page.textContent('#graph-note')).includes('Incomplete') === !expected.complete, 'note of an incomplete graph');
  const outside = await page.$$eval('#graph .node rect', (all) => {
    const { width, height } = all[0].ownerSVGElement.viewBox.baseVal;
    return all.filter(({ x, y }) => x.baseVal.value < 0 || y.baseVal.value < 0 || x.baseVal.value > width || y.baseVal.value > height).length;
  });
  equal(outside, 0, 'nodes inside the drawing');
  const other = expected.nodes.map(({ id }) => id).findLast((id) => id !== expected.nodes[0].id);
  await page.focus(`#graph .node[data-id="${other}"]`);
  await page.keyboard.press('Enter');
  await page.waitForFunction((id) => location.hash.startsWith(`#state=${id}&`), other);
  check(Number((await position(page)).split(' ')[0]) > 0, 'a node of the graph is reached by a path', await position(page));
  const whole = await api.post('graph', {});
  await press(page, 'a');
  await page.waitForFunction(([n]) => document.querySelectorAll('#graph .node').length === n && document.getElementById('graph-note').textContent.startsWith('Graph'),
    [whole.nodes.length], { timeout: 20000 });
  check((await page.textContent('#graph-note')).includes('Incomplete') === !whole.complete, 'note of the graph of the model');
  equal((await texts(page, '#graph .node.bad')).length, whole.nodes.filter(({ violates, deadlock }) => deadlock || violates.length).length,
    'states with violations and deadlocks');
  await testLateGraph(page);
  check(model.initial === whole.nodes.find(({ initial }) => initial)?.id, 'initial state');
}

// A late answer does not replace the graph that was asked for after it.
async function testLateGraph(page) {
  await page.route('**/api/graph', async (route) => {
    if (route.request().postDataJSON().state) await new Promise((resolve) => setTimeout(resolve, 600));
    await route.continue();
  });
  const count = await page.$$eval('#graph .node', (all) => all.length);
  await press(page, 'm', 'a');
  await page.waitForTimeout(1200);
  check((await page.textContent('#graph-note')).startsWith('Graph'), 'note after a late answer of the server');
  equal(await page.$$eval('#graph .node', (all) => all.length), count, 'graph after a late answer of the server');
  await page.unroute('**/api/graph');
}

async function testHelp(page) {
  const at = await position(page);
  await press(page, '?');
  check(await page.isVisible('#help'), 'list of keys');
  const listed = await texts(page, '#key-list th');
  check(['u', 'r', '/', 'n', 'f', '?'].every((key) => listed.some((text) => text.includes(key))), 'keys in the list', listed);
  await page.uncheck('#single-keys');
  await press(page, 'Escape');
  check(await page.isHidden('#help'), 'Escape closes the list of keys');
  await press(page, 'u');
  equal(await position(page), at, 'keys that are off do nothing');
  await press(page, '?');
  await page.check('#single-keys');
  await press(page, 'Escape');
}

async function testLinks(browser, base, api, model) {
  const next = (await api.post('state', { state: model.initial })).steps.find(({ target }) => target !== null && target !== model.initial)?.target;
  const page = await openPage(browser, base, { hash: `#state=${next}&model=${model.digest}` });
  equal((await shown(page, api)).id, next, 'link to a state');
  equal(await page.getAttribute('#state-link', 'href'), `#state=${next}&model=${model.digest}`, 'link of the state');
  await testState(page, api, model);
  await page.evaluate((id) => { location.hash = '#state=' + id; }, model.initial);
  await page.waitForFunction((id) => document.getElementById('state-link').hash.startsWith(`#state=${id}&`), model.initial);
  equal(page.problems, [], 'problems of a linked page');
  await page.evaluate((id) => { location.hash = `#state=${id}&model=0123456789abcdef`; }, next);
  await page.waitForSelector('#error:not([hidden])');
  check((await page.textContent('#error')).includes('another model or other constants'), 'a foreign address in an open page');
  await page.context().close();
  for (const [hash, message] of [['#state=00ff', 'no such state'], [`#state=${next}&model=0123456789abcdef`, 'another model or other constants']]) {
    const wrong = await openPage(browser, base, { hash });
    await wrong.waitForSelector('#error:not([hidden])');
    check((await wrong.textContent('#error')).includes(message), 'message for a wrong link', await wrong.textContent('#error'));
    equal(await stateOf(wrong), model.initial, 'a wrong link opens the initial state');
    await wrong.context().close();
  }
}

// Text of the server that looks like HTML, and a server that ends
async function testHostile(browser, base) {
  const replace = async (route) => {
    const response = await route.fetch(), body = await response.json();
    const put = (value) => Array.isArray(value) ? value.map(put) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value)
      .map(([key, inner]) => [key, ['action', 'label', 'description', 'text', 'before', 'value', 'source', 'cause'].includes(key) && typeof inner === 'string'
        ? inner + HOSTILE : put(inner)])) : value;
    await route.fulfill({ response, json: put(body) });
  };
  const page = await openPage(browser, base, { route: (p) => p.route('**/api/**', replace) });
  await page.waitForSelector('#enabled button.step');
  await press(page, '1', 'c', 'm', 'l', 'b');
  await page.waitForTimeout(300);
  equal(await page.$$eval('img, script:not([src])', (all) => all.length), 0, 'text of the server is not HTML');
  check((await page.textContent('#enabled')).includes(HOSTILE), 'text of the server is shown as it is');
  await page.unroute('**/api/**');
  await page.route('**/api/**', (route) => route.abort());
  await press(page, 'n');
  await page.waitForSelector('#error:not([hidden])');
  check((await page.textContent('#error')).includes('does not answer'), 'message when the server has ended');
  await page.context().close();
}

async function testWidths(browser, base) {
  const grounds = new Set();
  for (const scheme of SCHEMES) for (const width of WIDTHS) {
    const page = await openPage(browser, base, { width, scheme });
    await page.waitForSelector('#enabled button.step');
    await press(page, '1', 'n');
    await page.waitForTimeout(150);
    grounds.add(scheme + await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    for (const tab of [...TABS, 'help']) {
      if (tab === 'help') await page.click('#help-button');
      else await page.click('#tab-' + tab);
      await page.waitForTimeout(150);
      await checkLayout(page, `${width} ${scheme} ${tab}`);
      const outside = await page.$$eval('button, input, select, h2', (all) => all.filter((one) => {
        const { left, right, width: own } = one.getBoundingClientRect();
        return own && !one.closest('.box') && (left < -1 && !one.closest('.skip') || right > innerWidth + 1);
      }).map((one) => one.id || one.textContent));
      equal(outside, [], `${width} ${scheme} ${tab}: controls inside the window`);
    }
    equal(page.problems, [], `${width} ${scheme}: problems`);
    await page.context().close();
  }
  equal([grounds.size, new Set([...grounds].map((text) => text.replace(/^\w+rgb/, ''))).size], [2, 2], 'a light and a dark ground');
}

// Focus: the first Tab reaches the skip link; every stop has a visible mark; the order is that of the page.
async function testFocus(browser, base) {
  const page = await openPage(browser, base);
  await page.waitForSelector('#enabled button.step');
  await press(page, 'Tab');
  check(await page.evaluate(() => document.activeElement.classList.contains('skip')), 'the first stop is the skip link');
  const stops = [];
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    stops.push(await page.evaluate(() => {
      const one = document.activeElement, style = getComputedStyle(one);
      return { tag: one.tagName, id: one.id, panel: one.closest('header, section')?.id ?? '', visible: one === document.body || style.outlineStyle !== 'none' || style.boxShadow !== 'none' };
    }));
  }
  equal(stops.filter(({ visible }) => !visible), [], 'focus is visible');
  const panels = [...new Set(stops.map(({ panel }) => panel).filter(Boolean))], order = ['steps', 'state', 'path', 'watch', 'views'];
  equal(panels, order.slice(0, panels.length), 'order of the focus');
  await page.focus('#enabled button.step');
  await press(page, 'Enter');
  await page.waitForTimeout(100);
  check(await page.evaluate(() => !!document.activeElement.closest('#steps')), 'the focus stays in the enabled transitions');
  await page.context().close();
}

async function testDelivery(base, page) {
  const response = await fetch(base), policy = response.headers.get('content-security-policy') ?? '';
  check(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), 'content security policy', policy);
  const html = await response.text();
  check(!/ style=| on[a-z]+=|<style|<script(?![^>]*src=)/.test(html), 'no inline scripts or styles');
  let bytes = 0;
  for (const size of page.assets.values()) bytes += size;
  check(page.assets.size > 10 && bytes <= MOST_BYTES, 'size of the assets', `${page.assets.size} files, ${bytes} bytes`);
}

// ---- tests of known models ----

async function testPhilosophers(page, api) {
  await page.click('#restart');
  await settled(page, '0 of 0');
  const start = await shown(page, api), cycle = ['take_first', 'take_second', 'put_down'], of = start.steps[0].process;
  for (const label of cycle) {
    const state = await shown(page, api), step = state.steps.find((one) => one.process === of && one.label === label);
    await page.click(`#enabled button[data-index="${step.index}"]`);
    await page.waitForFunction((id) => document.getElementById('state-link').hash.startsWith(`#state=${id}&`), step.target);
  }
  equal(await position(page), '3 of 3', 'three steps of one philosopher');
  const trail = await texts(page, '#trail li');
  check(trail[0].includes('loop begins') && trail[3].includes('returns to step 0'), 'loop in the list', trail);
  await press(page, 'c');
  equal(await page.$$eval('#chart path.loop', (all) => all.length), 1, 'loop in the chart');
  await page.click('#properties tr[data-property="deadlock"] button');
  await page.waitForSelector('#deadlock:not([hidden])');
  equal([await position(page), (await texts(page, '#enabled button')).length], ['3 of 3', 0], 'counterexample of the deadlock');
  await page.waitForFunction(() => document.getElementById('blocked').textContent.includes('taken[second]'));
  check(await page.isEnabled('#previous'), 'the path before the counterexample is kept');
  await page.click('#restart');
  await settled(page, '0 of 0');
  await press(page, 'f');
  await page.fill('#search-text', 'Phil[0].hungry and Phil[1].hungry');
  await page.keyboard.press('Enter');
  await settled(page, '2 of 2');
}

async function testMessages(page, api) {
  await page.click('#restart');
  await settled(page, '0 of 0');
  await shown(page, api);
  for (const [process, label] of [['Sender', 'send'], ['Receiver', 'take'], ['Receiver', 'acknowledge']]) {
    const step = (await shown(page, api)).steps.find((one) => one.process === process && one.label === label);
    await page.click(`#enabled button[data-index="${step.index}"]`);
    await page.waitForFunction((id) => document.getElementById('state-link').hash.startsWith(`#state=${id}&`), step.target);
  }
  await press(page, 'c');
  equal(await texts(page, '#chart .heads text'), ['Sender', 'Receiver', 'data', 'ack'], 'columns of the chart');
  equal(await texts(page, '#chart .label'), ['send (0)', 'take {d=0} (0)', 'acknowledge (1)'], 'messages of the chart');
}

// The server of turns.xml: a violating run with a loop, of which everything is reached by the keyboard.
async function testLoop(page, api) {
  await page.click('#properties tr[data-property="served"] button');
  await settled(page, '7 of 7');
  await shown(page, api);
  equal(await page.textContent('#properties tr[data-property="served"] td'), '–', 'states have no value of a temporal property');
  check((await page.textContent('#status')).includes('of which the last 3 repeat for ever'), 'status line of the search');
  equal(await page.$$eval('#trail li.loop[data-k]', (all) => all.map((item) => item.dataset.k)), ['5', '6', '7'], 'repeated steps in the list');
  equal(await page.$$eval('#chart .step.repeated', (all) => all.map((row) => row.dataset.k)), ['5', '6', '7'], 'repeated steps in the chart');
  check((await page.getAttribute('#chart svg.body', 'aria-label')).includes('steps 5 to 7 repeat for ever'), 'name of the chart');
  const [frame, tip, line, first, last] = await page.evaluate(() => ['.cycle', '.loop-tip', 'path.loop', '.step[data-k="5"] .row', '.step[data-k="7"] .row']
    .map((selector) => document.querySelector('#chart ' + selector).getBBox()).map(({ y, height }) => [y, y + height]));
  check(Math.abs(frame[0] - first[0]) < 4 && Math.abs(frame[1] - last[1]) < 4, 'the frame holds the repeated steps', [frame, first, last]);
  check(tip[0] >= first[0] && tip[1] <= first[1] && line[1] > last[0] && line[1] <= last[1], 'the arrow leads from the last step to the first', [tip, line]);
  await press(page, 'p', 'ArrowDown', 'Enter');
  await settled(page, '4 of 7');
  equal(await page.evaluate(() => document.activeElement.parentElement.dataset.k), '4', 'the way back in the list');
  await shown(page, api);
  await press(page, 'End');
  await settled(page, '7 of 7');
  await shown(page, api);
  check((await page.textContent('#status')).includes('From here the run repeats from state 4.'), 'status line at the end of the loop');
  equal(await texts(page, '#enabled li.next .action'), ['Client[0] done'], 'the next step of the loop is marked');
  await press(page, '1');
  await settled(page, '5 of 7');
  await press(page, 'End');
  await settled(page, '7 of 7');
  await press(page, 'r');
  await settled(page, '5 of 7');
  await page.focus('#chart p.return button');
  await page.keyboard.press('Enter');
  await settled(page, '4 of 7');
  for (const scheme of SCHEMES) for (const width of [375, 1280]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    await checkLayout(page, `loop ${width} ${scheme}`);
  }
}

// The server of stops.xml: a violating run that stays in its last state.
async function testStay(page, api) {
  await page.click('#properties tr[data-property="nine"] button');
  await settled(page, '3 of 3');
  await shown(page, api);
  check((await page.textContent('#status')).includes('the run stays in that state'), 'status line of the search');
  check((await page.textContent('#trail li.return')).includes('the run stays in state 3'), 'the end in the list');
  equal(await texts(page, '#chart .return text'), ['stays in state 3'], 'the end in the chart');
  check(await page.isDisabled('#redo'), 'no step follows');
}

// The server of handshake.xml gets this test alone.
async function testHandshake(page, api) {
  const first = await shown(page, api);
  equal(first.steps[0].message, { channel: 'hand', text: '2, blue' }, 'message of a handshake');
  check((await texts(page, '#enabled li'))[0].includes('hand(2, blue)'), 'message of an enabled transition');
  await press(page, '1', '1', 'c');
  await settled(page, '2 of 2');
  equal(await texts(page, '#chart .heads text'), ['Giver', 'Taker[0]'], 'columns of handshakes');
  equal(await texts(page, '#chart .label'), ['give {n=2} (2, blue)', 'ring'], 'messages of handshakes');
}

async function testFailure(page) {
  await page.click('#restart');
  await settled(page, '0 of 0');
  await press(page, 'f', 'Escape');
  await page.fill('#walk-steps', '2000');
  await page.fill('#walk-seed', '1');
  await page.click('#walk-form button');
  await page.waitForSelector('#trail .fails');
  check((await page.textContent('#trail .fails')).includes('fails: '), 'a step that fails in the list');
  await page.waitForSelector('#failure:not([hidden])');
  await press(page, 'c');
  equal(await page.$$eval('#chart .fails', (all) => all.length), 1, 'a step that fails in the chart');
}

async function testParticipants(page, api) {
  await page.click('#restart');
  await settled(page, '0 of 0');
  for (let i = 0; i < 8; i++) {
    const { id, steps } = await shown(page, api);
    const step = steps.find(({ participants, target }) => target && participants.length > 1) ?? steps.find(({ target }) => target && target !== id);
    await page.click(`#enabled button[data-index="${step.index}"]`);
    await page.waitForFunction((id) => document.getElementById('state-link').hash.startsWith(`#state=${id}&`), step.target);
    if (step.participants.length < 2) continue;
    await press(page, 'c');
    equal(await page.$$eval('#chart .step.now line.arrow', (all) => all.length), step.participants.length - 1, 'an arrow for each further participant');
    return;
  }
  check(false, 'a step with several participants');
}

const paintTime = async (page) => {
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    const last = (name) => performance.getEntriesByName(name).at(-1).startTime;
    return last('floe:painted') - last('floe:answer');
  });
};

// Time from the answer of the server to the paint, of the start and of a step: the least of three, as others use the
// processors, too.
async function testPaint(browser, base, model) {
  equal(model.variables.length, 400, 'variables of the large model');
  const starts = [], steps = [];
  for (let i = 0; i < 3; i++) {
    const page = await openPage(browser, base);
    starts.push(await paintTime(page));
    await press(page, '1');
    steps.push(await paintTime(page));
    await page.context().close();
  }
  for (const [what, times] of [['start', starts], ['step', steps]]) {
    check(Math.min(...times) > 0 && Math.min(...times) <= MOST_PAINT_MS, `paint of the ${what}`, times);
    console.log(`${what}: painted ${times.map(Math.round).join(', ')} ms after the answer`);
  }
}

// A model without processes: one group of variables, steps and blocked transitions by their names, no chart.
async function testNet(page, api, model) {
  equal(model.processes, [], 'processes');
  await testState(page, api, model);
  await testBlocked(page, api);
  equal(await texts(page, '#values caption'), ['Places'], 'one group of variables');
  const places = () => page.$$eval('#values tr', (rows) => rows.filter((row) => !row.hidden).map((row) => row.dataset.name));
  equal(await places(), ['p'], 'places with tokens');
  await page.click('#empty');
  equal(await places(), ['p', 'q', 'r'], 'all places');
  await page.click('#empty');
  equal(await texts(page, '#blocked h3'), [], 'no headings of instances');
  equal(await texts(page, '#blocked .action'), ['join', 'spill {k=1}', 'stuck'], 'blocked transitions');
  equal(await texts(page, '#enabled .partner'), [' place p', ' place q'], 'objects of a step');
  await page.click('#enabled button.step');
  await settled(page, '1 of 1');
  equal(await texts(page, '#values mark'), ['2', '1'], 'changed values');
  await page.click('#tab-sequence');
  equal(await page.textContent('#chart-note'), 'The model has no processes.', 'no chart');
}

const OWN = { philosophers: testPhilosophers, slidingwindow: testMessages, altbit: testFailure, fischer: testParticipants };
const ALONE = { handshake: testHandshake, lock: testChapter, net: testNet, turns: testLoop, stops: testStay };

async function testAddress(browser, base) {
  const api = server(base), model = await api.get('model');
  within(model.name);
  const page = await openPage(browser, base);
  equal(await page.textContent('#model-name'), model.name, 'name of the model');
  await shown(page, api);
  if (ALONE[model.name]) {
    await ALONE[model.name](page, api, model);
    equal(page.problems, [], 'problems');
    await page.context().close();
    return;
  }
  if (model.name === 'large') await testPaint(browser, base, model);
  await testState(page, api, model);
  await testBlocked(page, api);
  await testPath(page, api);
  await testState(page, api, model);
  await testWalk(page, api);
  await testChart(page);
  await testFiles(page);
  await testSource(page, api, model);
  await testValues(page, api, model);
  await testFilter(page, model);
  await testGraph(page, api, model);
  await testHelp(page);
  await testExpressions(page, api);
  equal(page.problems.filter((text) => !/status of 400/.test(text)), [], 'problems before the searches');
  await testSearch(page, api, model);
  await OWN[model.name]?.(page, api, model);
  equal(page.problems.filter((text) => !/status of 400/.test(text)), [], 'problems');
  await testDelivery(base, page);
  await page.context().close();
  await testLinks(browser, base, api, model);
  await testHostile(browser, base);
  await testFocus(browser, base);
  await testWidths(browser, base);
}

within('records');
equal(parseRecord('{"a": 9007199254740993, "b": [-12345678901234567, 1.2345678901234567, 12], "c": "x 9007199254740993 \\" 9"}'),
  { a: '9007199254740993', b: ['-12345678901234567', 1.2345678901234567, 12], c: 'x 9007199254740993 " 9' }, 'integers beyond 2^53');
const browser = await launch();
for (const address of addresses) {
  try {
    await testAddress(browser, address.endsWith('/') ? address : address + '/');
  } catch (error) {
    check(false, 'ended early', `${error.stack}`);
  }
}
await browser.close();
finish();
