// Starts the page: loads the model, builds the views, opens the initial state or the one in the address.
import { get } from './api.js';
import { announce, complain, find, forgetError, h, plural, show } from './dom.js';
import { loopText } from './records.js';
import { failingStep, here, lastStep, nameOf, on, open, openAlone, openState, session } from './session.js';
import { buildState } from './state_view.js';
import { buildSource } from './source.js';
import './steps_view.js';
import './trail.js';
import './sequence.js';
import './graph.js';
import './files.js';
import './keys.js';

const SPOKEN_CHANGES = 4;

// {id, foreign} of the address: the state, or undefined, and whether the link is for another model.
function linkInAddress() {
  const parts = new URLSearchParams(location.hash.slice(1)), id = parts.get('state'), digest = parts.get('model');
  return { id: /^[0-9a-f]+$/i.test(id ?? '') ? id : undefined, foreign: digest !== null && digest !== session.model.digest };
}

const FOREIGN = 'this link is for another model or other constants; this is the initial state';
const MISSING = 'the model has no such state as in the address; this is the initial state';

// One sentence about the present state for the status line.
function describe() {
  const step = lastStep(), failing = failingStep(), changes = step?.changes ?? [];
  const parts = changes.slice(0, SPOKEN_CHANGES).map(({ name, before, after }) => `${name} ${before} → ${after}`);
  if (changes.length > SPOKEN_CHANGES) parts.push(`${changes.length - SPOKEN_CHANGES} more`);
  const where = step ? `Step ${session.at}: ${step.action}${parts.length ? `; ${parts.join(', ')}` : ''}.` : `Start: ${nameOf(here())}.`;
  const then = session.state.deadlock ? 'Deadlock.' : `${plural(session.state.steps.length, 'transition')} enabled.`;
  const end = session.path.states.length - 1, { loop } = session.path;
  const again = loop !== null && session.at === end ? ` ${loopText({ loop, end })}.` : '';
  announce(`${where} ${then}${again}${failing ? ` ${failing.action} fails: ${failing.cause}.` : ''}`);
}

function showModel({ name, file, description, version, constants }) {
  document.title = `${name} – floe explore`;
  find('model-name').textContent = name;
  find('model-file').textContent = file;
  find('model-version').textContent = `floe ${version}`;
  find('model-description').textContent = description;
  show(find('constants'), constants.map((constant) => h('li', {}, `${constant.name} = ${constant.value}`)));
}

async function start() {
  const model = session.model = await get('model');
  nameOf(model.initial); // s0
  showModel(model);
  buildState();
  buildSource();
  on('state', describe);
  const { id, foreign } = linkInAddress(), wanted = id && !foreign && id !== model.initial;
  if (wanted) await openState(id);
  const missing = wanted && !session.state;
  if (!session.state) await (model.trace ? open(model.trace, 0) : openAlone(model.initial));
  if (foreign || missing) complain(new Error(foreign ? FOREIGN : MISSING));
}

find('restart').onclick = () => openAlone(session.model.initial);
find('error-close').onclick = forgetError;
addEventListener('hashchange', async () => {
  const { id, foreign } = linkInAddress();
  if (foreign) {
    await openAlone(session.model.initial);
    complain(new Error(FOREIGN));
  } else if (id && id !== here()) openState(id);
});
start().catch(complain);
