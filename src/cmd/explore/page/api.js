// Requests to the server, relative to the folder of the page.
import { parseRecord, recordOf } from './records.js';

async function ask(name, options) {
  let response;
  try {
    response = await fetch('api/' + name, options);
  } catch {
    throw new Error('floe explore does not answer: it has ended, or the connection is lost');
  }
  const answer = await response.text().then(parseRecord).catch(() => ({ error: `unreadable answer, status ${response.status}` }));
  if (response.ok && !answer.error) return recordOf(name, answer);
  throw Object.assign(new Error(answer.error || `status ${response.status}`), { hint: answer.hint });
}

export const get = (name) => ask(name, {});

export const post = (name, body) =>
  ask(name, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
