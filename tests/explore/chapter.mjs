// What doc/explore.md describes, on a server of doc/examples/lock1.xml.
import { join } from 'node:path';
import { check, equal } from './browser.mjs';
import { press, settled, shown, texts } from './explorer.mjs';

// With PICTURES=FOLDER it writes the pictures of that document.
export async function testChapter(page, api) {
  const clip = async (...selectors) => {
    const boxes = await Promise.all(selectors.map(async (selector) => (await page.$(selector)).boundingBox()));
    const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
    return { x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
  };
  const picture = async (name, ...selectors) => {
    await page.waitForTimeout(300);
    if (!process.env.PICTURES) return;
    const path = join(process.env.PICTURES, `explore-${name}.png`);
    await page.screenshot(selectors.length ? { path, clip: await clip(...selectors) } : { path });
  };
  await page.setViewportSize({ width: 1000, height: 640 });
  await press(page, '1');
  await settled(page, '1 of 1');
  await page.waitForFunction(() => document.getElementById('blocked').textContent.includes('grant[self] is empty'));
  check((await page.textContent('#values tr[data-name="Client[0]"]')).includes('was idle'), 'a changed value is marked');
  check((await texts(page, '#enabled .action')).includes('Server accept {c=0}'), 'the server can accept the request');
  await picture('steps', '#steps', '#state', '#path');

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.click('#properties tr[data-property="mutex"] button');
  await settled(page, '11 of 11');
  await shown(page, api);
  equal(await page.textContent('#properties tr[data-property="mutex"] td'), 'false', 'the counterexample ends in a violation');
  await page.$eval('#chart-box', (box) => { box.scrollTop = 0; });
  check((await texts(page, '#chart .label')).includes('ask (ask)'), 'messages in the chart');
  await picture('chart', '#views', '#watch');

  await page.setViewportSize({ width: 1000, height: 640 });
  await page.click('#restart');
  await press(page, 'f');
  await page.fill('#search-text', 'Client[0].idle and full(grant[0])');
  await page.keyboard.press('Enter');
  await settled(page, '4 of 4');
  check((await page.textContent('#search-note')).startsWith('Search found'), 'the search of the chapter');
  await picture('search', '#views');

  await page.setViewportSize({ width: 1000, height: 800 });
  await press(page, 'Escape', 'Home', 'm');
  await page.waitForSelector('#graph .node.now');
  await page.click('#graph-fit');
  await picture('graph', '#views');
}
