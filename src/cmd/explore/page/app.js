// Starts the page: loads the model, builds the views, opens the initial state or the one in the address.
import { get } from './api.js';
import { announce, complain, find, forgetError, h, plural, show } from './dom.js';
import { failingStep, here, lastStep, nameOf, on, open, openState, session } from './session.js';
import { buildState } from './state_view.js';
import { buildSource } from './source.js';
import './steps_view.js';
import './trail.js';
import './sequence.js';
import './graph.js';
import './files.js';
import './keys.js';

const SPOKEN_CHANGES = 4;
const stateInAddress = () => /^#state=([0-9a-f]+)$/i.exec(location.hash)?.[1];

// One sentence about the present state for the status line.
function describe() {
  const step = lastStep(), failing = failingStep(), changes = step?.changes ?? [];
  const parts = changes.slice(0, SPOKEN_CHANGES).map(({ name, before, after }) => `${name} ${before} → ${after}`);
  if (changes.length > SPOKEN_CHANGES) parts.push(`${changes.length - SPOKEN_CHANGES} more`);
  const where = step ? `Step ${session.at}: ${step.action}${parts.length ? `; ${parts.join(', ')}` : ''}.` : `Start: ${nameOf(here())}.`;
  const then = session.state.deadlock ? 'Deadlock.' : `${plural(session.state.steps.length, 'transition')} enabled.`;
  announce(`${where} ${then}${failing ? ` ${failing.action} fails: ${failing.cause}.` : ''}`);
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
  const id = stateInAddress();
  if (id && id !== model.initial) await openState(id);
  const missing = id && id !== model.initial && !session.state;
  if (!session.state) await open(model.trace ?? { states: [model.initial], steps: [], loop: null }, 0);
  if (missing) complain(new Error('the model has no such state as in the address; this is the initial state'));
}

find('restart').onclick = () => open({ states: [session.model.initial], steps: [], loop: null }, 0);
find('error-close').onclick = forgetError;
addEventListener('hashchange', () => {
  const id = stateInAddress();
  if (id && id !== here()) openState(id);
});
start().catch(complain);
