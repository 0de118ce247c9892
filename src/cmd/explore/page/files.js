// Trace files: loading one, choosing a trace in it, saving the path.
import { post } from './api.js';
import { announce, find, guarded, h, plural, show } from './dom.js';
import { save } from './save.js';
import { lengthOf, open, session } from './session.js';

async function replay(trace) {
  const path = await post('replay', { trace });
  await open(path, 0);
  announce(`Trace loaded: ${lengthOf(path)}.`);
}

// A file may hold a trace for each property.
function choose(file) {
  const dialog = find('choose');
  show(find('choices'), file.traces.map((trace, i) => h('li', {}, h('button', {
    type: 'button',
    onclick: () => {
      dialog.close();
      guarded(() => replay({ ...file, traces: [trace] }));
    },
  }, `${trace.property ?? `trace ${i + 1}`}: ${plural(trace.steps?.length ?? 0, 'step')}`))));
  dialog.showModal();
}

async function loadFile(file) {
  const text = await file.text();
  let trace;
  try {
    trace = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file.name} is no trace file: ${error.message}`);
  }
  if (trace?.traces?.length > 1) choose(trace);
  else await replay(trace);
}

export function saveTrace() {
  return guarded(async () => {
    const { states, steps } = session.path;
    const trace = await post('trace', { states, indices: steps.map(({ index }) => index) });
    save(`${session.model.name}-trace.json`, 'application/json', JSON.stringify(trace, null, 2) + '\n');
    announce(`Trace saved: ${plural(steps.length, 'step')}.`);
  });
}

find('load').onclick = () => find('trace-file').click();
find('trace-file').onchange = (event) => {
  const [file] = event.target.files;
  event.target.value = '';
  if (file) guarded(() => loadFile(file));
};
find('save').onclick = saveTrace;
