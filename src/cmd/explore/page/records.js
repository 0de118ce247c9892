// The records of the library (doc/trace.schema.json) in the form of the views: lists instead of objects, values as text.
const listed = (values) => Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));

// Integers beyond 2^53 become texts, because numbers of JavaScript cannot hold them.
export const parseRecord = (text) => JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
  (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));

// A step: {action, process, label, line, file, participants, selects, changes, message, fails, cause, index, target}. One that
// fails has a cause and no target. `target` is null then, and in reports, which have no ids of states.
export const stepOf = ({ participants, parameters, changes, fails, successor = null, ...step }, index) => ({
  index, ...step, participants, cause: fails ?? '', target: successor, fails: fails !== null,
  process: participants[0].kind ? '' : participants[0].name,
  selects: parameters.map(({ name, value, text }) => ({ name, text: text ?? String(value) })),
  changes: Object.entries(changes).map(([name, [before, after]]) => ({ name, before: String(before), after: String(after) })),
});

// Where a run continues after its last state, number `end`.
export const loopText = ({ loop, end }) =>
  (loop === end ? `No transition is enabled: the run stays in state ${end}` : `From here the run repeats from state ${loop}`);

// " {i=2, j=3}", or "" without selects.
export const selectsText = (selects) =>
  (selects.length ? ` {${selects.map(({ name, text }) => `${name}=${text}`).join(', ')}}` : '');

const pathOf = (path) => path && { ...path, steps: path.steps.map(stepOf) };
const blockedOf = ({ parameters, obstacles, ...one }) => ({
  ...one, selects: Object.entries(parameters).map(([name, value]) => ({ name, text: String(value) })),
  obstacles: obstacles.map(({ values, ...obstacle }) => ({ ...obstacle, values: listed(values) })),
});

const forms = {
  model: (model) => ({ ...model, variables: listed(model.variables), trace: pathOf(model.trace) }),
  state: ({ state, values, steps, ...rest }) => ({ id: state, values: listed(values), steps: steps.map(stepOf), ...rest }),
  blocked: ({ blocked, incomplete }) => ({ blocked: blocked.map(blockedOf), incomplete }),
  replay: pathOf,
  random: pathOf,
  search: (search) => ({ ...search, path: pathOf(search.path) }),
};

// The answer to the request `name` in the form of the views.
export const recordOf = (name, answer) => (forms[name] ?? ((same) => same))(answer);
