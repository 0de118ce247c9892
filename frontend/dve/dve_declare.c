/* Constants, variables, channels and processes. */
#include "frontend/dve/dve_check.h"

#include "model/guess.h"

#include <string.h>

#define FIRST_GUESS 15
#define NO_INFO ((struct dve_variable_info){false, false})

static struct dve_scope scope_of(struct dve_check *c, const struct dve_process_info *process) {
  return (struct dve_scope){.check = c, .process = process};
}

/* ---- variables ----------------------------------------------------------------------------------- */

/* Where the range of the type is left, a guess that includes the initial values. */
static void guess_range(struct dve_check *c, struct variable *v, struct value_range type) {
  int64_t lo = -c->guess - 1, hi = c->guess;
  for (uint32_t i = 0; i < v->count; i++) {
    lo = v->init[i] < lo ? v->init[i] : lo;
    hi = v->init[i] > hi ? v->init[i] : hi;
  }
  const bool below = v->lo == type.lo && v->lo < lo, above = v->hi == type.hi && v->hi > hi;
  v->guessed = below || above;
  if (v->guessed && c->most < type.hi)
    c->most = type.hi;
  v->lo = below ? lo : v->lo;
  v->hi = above ? hi : v->hi;
}

static uint32_t add_variable(struct dve_check *c, struct variable v, struct dve_variable_info info) {
  struct model *model = c->build.model;
  const uint32_t number = (uint32_t)model->variable_count;
  if (c->ranges && v.kind != VARIABLE_LOCATION && v.kind != VARIABLE_LENGTH) {
    const struct value_range type = {v.lo, v.hi};
    v.lo = c->ranges[number].lo;
    v.hi = c->ranges[number].hi;
    guess_range(c, &v, type);
  }
  c->variables[number] = v;
  c->variable_infos[number] = info;
  model->variable_count++;
  return number;
}

/* A number of elements; `what`: "the size of an array". */
static bool size_of(struct dve_check *c, const struct dve_process_info *process, const struct dve_expr *e,
                    const char *what, int64_t lo, uint32_t *out) {
  const struct dve_scope scope = scope_of(c, process);
  int64_t value;
  if (!dve_constant(&scope, e, what, &value))
    return false;
  if (lo <= value && value <= BUILD_MAX_VALUES) {
    *out = (uint32_t)value;
    return true;
  }
  CHECK_ERROR(c, e->at, NULL, "%s is %lld; it must be within %lld..%u", what, (long long)value, (long long)lo,
              BUILD_MAX_VALUES);
  return false;
}

static int64_t wrapped(int64_t value, bool is_int) { return is_int ? (int16_t)value : (uint8_t)value; }

/* Missing values are 0; DiVinE ignores superfluous ones. */
static const int64_t *initial_values(struct dve_check *c, const struct dve_process_info *process,
                                     const struct dve_variable *written, uint32_t count) {
  const struct dve_scope scope = scope_of(c, process);
  int64_t *values = arena_array(c->build.arena, count, sizeof *values);
  if (written->listed != (written->size != NULL) && written->initial.n) {
    CHECK_ERROR(c, written->initial.items[0]->at, NULL,
                written->size ? "'%s' is an array: its values are a list in braces" : "'%s' is not an array",
                written->name.text);
    return NULL;
  }
  bool known = true;
  for (size_t i = 0; i < written->initial.n; i++) {
    int64_t value = 0;
    known = dve_constant(&scope, written->initial.items[i], "an initial value", &value) && known;
    if (i < count)
      values[i] = wrapped(value, written->is_int);
  }
  return known ? values : NULL;
}

static void declare_constant(struct dve_check *c, const struct dve_process_info *process, struct dve_table *table,
                             const struct dve_variable *written) {
  const char *name = written->name.text;
  const struct definition *d = process ? NULL : definition_find(c->definitions, c->definition_count, name);
  const int64_t *values = initial_values(c, process, written, 1);
  int64_t value = values ? values[0] : 0;
  if (d && definition_number(d, &value) && value != wrapped(value, written->is_int))
    CHECK_ERROR(c, written->name.at, NULL, "-D %s=%s: the value is outside %d..%d", name, d->value,
                written->is_int ? INT16_MIN : 0, written->is_int ? INT16_MAX : BYTE_MAX);
  dve_declare(c, table, (struct dve_symbol){name, DVE_CONSTANT, 0, value, written->name.at});
  if (!process)
    c->constants[c->build.model->constant_count++] =
        (struct constant){.name = name, .value = value, .given = d != NULL};
}

static void declare_variable(struct dve_check *c, const struct dve_process_info *process, struct dve_table *table,
                             const struct dve_variable *written) {
  if (written->is_constant && !written->size) {
    declare_constant(c, process, table, written);
    return;
  }
  uint32_t count = 1;
  if (written->size && !size_of(c, process, written->size, "the size of an array", 1, &count))
    count = 1;
  c->elements += count;
  if (c->elements > BUILD_MAX_VALUES) { /* before there is memory for them */
    build_too_large(&c->build, written->name.at, "its arrays have more than 1048576 elements");
    count = 1;
  }
  const int64_t *values = initial_values(c, process, written, count);
  const uint32_t number =
      add_variable(c,
                   (struct variable){.name = written->name.text,
                                     .kind = process ? VARIABLE_LOCAL : VARIABLE_GLOBAL,
                                     .owner = process ? process->number : 0,
                                     .count = count,
                                     .length = count,
                                     .is_array = written->size != NULL,
                                     .lo = written->is_int ? INT16_MIN : 0,
                                     .hi = written->is_int ? INT16_MAX : BYTE_MAX,
                                     .init = values ? values : arena_array(c->build.arena, count, sizeof *values),
                                     .at = written->name.at},
                   (struct dve_variable_info){written->is_constant, written->is_int});
  dve_declare(
      c, table,
      (struct dve_symbol){.name = written->name.text, .kind = DVE_VARIABLE, .id = number, .at = written->name.at});
}

/* ---- channels ------------------------------------------------------------------------------------ */

static void declare_channel(struct dve_check *c, const struct dve_process_info *process, struct dve_table *table,
                            const struct dve_channel *written) {
  const uint32_t number = (uint32_t)c->build.model->channel_count++;
  const char *name = written->name.text;
  uint32_t capacity = 0;
  if (written->capacity && !size_of(c, process, written->capacity, "the capacity of a channel", 0, &capacity))
    capacity = 0;
  if (process)
    name = arena_printf(c->build.arena, "%s->%s", process->written->name.text, name);
  c->channels[number] = (struct channel){.name = name, .size = 1, .capacity = capacity};
  c->channel_infos[number] = (struct dve_channel_info){.written = written,
                                                       .field_count = written->field_count,
                                                       .is_int = written->typed ? written->is_int : NULL,
                                                       .first_use = NOWHERE};
  dve_declare(
      c, table,
      (struct dve_symbol){.name = written->name.text, .kind = DVE_CHANNEL, .id = number, .at = written->name.at});
}

static const struct dve_symbol *find_channel(struct dve_check *c, const struct dve_process_info *process,
                                             const struct dve_sync *sync) {
  const unsigned kind = 1u << DVE_CHANNEL;
  const char *name = sync->channel.text;
  if (!sync->process.text) {
    const struct dve_symbol *symbol = dve_find_in_scope(c, process, name, kind);
    if (!symbol)
      CHECK_ERROR(c, sync->channel.at, dve_suggestion(c, process, name, kind), "there is no channel '%s'", name);
    return symbol;
  }
  const struct dve_process_info *owner = dve_find_process(c, &sync->process);
  const struct dve_symbol *symbol = owner ? dve_find(&owner->names, name) : NULL;
  if (owner && (!symbol || symbol->kind != DVE_CHANNEL)) {
    CHECK_ERROR(c, sync->channel.at, NULL, "process '%s' has no channel '%s'", sync->process.text, name);
    return NULL;
  }
  return symbol;
}

uint32_t dve_resolve_channel(struct dve_check *c, const struct dve_process_info *process, const struct dve_sync *sync) {
  const struct dve_symbol *symbol = find_channel(c, process, sync);
  if (!symbol)
    return COMPOSE_NONE;
  struct dve_channel_info *info = &c->channel_infos[symbol->id];
  if (!info->is_int && info->first_use == NOWHERE) {
    info->first_use = sync->at;
    info->field_count = sync->values.n;
  }
  if (info->field_count == sync->values.n)
    return symbol->id;
  unsigned line = 0, column;
  source_position(c->build.source, info->is_int ? symbol->at : info->first_use, &line, &column);
  CHECK_ERROR(c, sync->at, arena_printf(c->build.arena, "see line %u", line),
              "a message of channel '%s' has %zu value%s, not %zu", sync->channel.text, info->field_count,
              info->field_count == 1 ? "" : "s", sync->values.n);
  return COMPOSE_NONE;
}

static const int64_t *filled(struct dve_check *c, uint32_t count, int64_t value) {
  int64_t *values = arena_array(c->build.arena, count, sizeof *values);
  for (uint32_t i = 0; i < count; i++)
    values[i] = value;
  return values;
}

/* Values in a buffer have the type of the field, without types int; others are 32-bit integers. */
static void declare_buffer(struct dve_check *c, uint32_t number) {
  struct channel *channel = &c->channels[number];
  const struct dve_channel_info *info = &c->channel_infos[number];
  struct interval *fields = arena_array(c->build.arena, info->field_count, sizeof *fields);
  uint32_t *variables = arena_array(c->build.arena, info->field_count, sizeof *variables);
  bool *guessed = arena_array(c->build.arena, info->field_count, sizeof *guessed);
  for (size_t f = 0; f < info->field_count; f++) {
    const bool is_int = !info->is_int || info->is_int[f];
    fields[f] = !info->is_int && !channel->capacity ? (struct interval){INT32_MIN, INT32_MAX}
                : is_int                            ? (struct interval){INT16_MIN, INT16_MAX}
                                                    : (struct interval){0, BYTE_MAX};
  }
  c->compose.channels[number].fields = fields;
  c->compose.channels[number].guessed = guessed;
  channel->field_count = info->field_count;
  channel->field_variables = variables;
  if (!channel->capacity)
    return;
  const struct variable buffer = {
      .name = channel->name, .owner = number, .count = 1, .length = 1, .assigned = true, .at = info->written->name.at};
  struct variable length = buffer;
  length.kind = VARIABLE_LENGTH;
  length.hi = channel->capacity;
  length.init = filled(c, 1, 0);
  channel->length_variable = add_variable(c, length, NO_INFO);
  for (size_t f = 0; f < info->field_count; f++) {
    struct variable field = buffer;
    field.kind = VARIABLE_FIELD;
    field.field = (uint32_t)f;
    field.count = field.length = channel->capacity;
    field.lo = fields[f].lo;
    field.hi = fields[f].hi;
    field.init = filled(c, channel->capacity, 0);
    variables[f] = add_variable(c, field, NO_INFO);
    fields[f] = (struct interval){c->variables[variables[f]].lo, c->variables[variables[f]].hi};
    guessed[f] = c->variables[variables[f]].guessed;
  }
}

/* The number of elements is checked before there is memory for them. */
static size_t count_fields(struct dve_check *c) {
  uint64_t elements = 0;
  size_t fields = 0;
  for (size_t i = 0; i < c->build.model->channel_count; i++) {
    fields += c->channel_infos[i].field_count;
    elements += (uint64_t)c->channels[i].capacity * c->channel_infos[i].field_count;
    if (elements > BUILD_MAX_VALUES) {
      build_too_large(&c->build, c->channel_infos[i].written->name.at,
                      "the buffers of its channels have more than 1048576 places");
      return 0;
    }
  }
  return fields;
}

/* Room for `more` variables behind those that are declared. */
static void make_room(struct dve_check *c, size_t more) {
  struct model *model = c->build.model;
  const size_t n = model->variable_count;
  struct variable *variables = arena_array(c->build.arena, n + more, sizeof *variables);
  struct dve_variable_info *infos = arena_array(c->build.arena, n + more, sizeof *infos);
  if (n) {
    memcpy(variables, c->variables, n * sizeof *variables);
    memcpy(infos, c->variable_infos, n * sizeof *infos);
  }
  model->variables = c->variables = variables;
  c->variable_infos = infos;
}

void dve_declare_buffers(struct dve_check *c) {
  const size_t channels = c->build.model->channel_count, fields = count_fields(c);
  if (c->build.errors)
    return;
  make_room(c, channels + fields);
  for (uint32_t i = 0; i < channels; i++)
    declare_buffer(c, i);
}

/* ---- processes ----------------------------------------------------------------------------------- */

static void declare_states(struct dve_check *c, struct dve_process_info *info) {
  const struct dve_process *written = info->written;
  for (uint32_t i = 0; i < written->states.n; i++)
    dve_declare(
        c, &info->states,
        (struct dve_symbol){
            .name = written->states.items[i].text, .kind = DVE_LOCATION, .id = i, .at = written->states.items[i].at});
  if (!written->states.n)
    CHECK_ERROR(c, written->name.at, "write 'state NAME, ...;'", "process '%s' has no state", written->name.text);
  else if (!written->initial.text)
    CHECK_ERROR(c, written->name.at, "write 'init STATE;'", "process '%s' has no initial state", written->name.text);
}

static const struct location *locations_of(struct dve_check *c, const struct dve_process_info *info) {
  const struct dve_process *written = info->written;
  struct location *locations = arena_array(c->build.arena, written->states.n, sizeof *locations);
  for (size_t i = 0; i < written->states.n; i++)
    locations[i] = (struct location){.name = written->states.items[i].text, .at = written->states.items[i].at};
  if (written->committed.n && c->system->synchronous)
    CHECK_ERROR(c, written->committed.items[0].at, "all processes step together",
                "committed states have no use in 'system sync'");
  for (size_t i = 0; i < written->committed.n; i++) {
    const uint32_t state = dve_find_state(c, info, &written->committed.items[i]);
    if (state != COMPOSE_NONE)
      locations[state].committed = true;
  }
  return locations;
}

static void declare_process(struct dve_check *c, struct dve_process_info *info) {
  const struct dve_process *written = info->written;
  struct process *process = &c->processes[info->number];
  declare_states(c, info);
  const uint32_t initial = written->initial.text ? dve_find_state(c, info, &written->initial) : COMPOSE_NONE;
  *process = (struct process){.name = written->name.text,
                              .instances = 1,
                              .single = true,
                              .locations = locations_of(c, info),
                              .location_count = written->states.n};
  process->location_variable =
      add_variable(c,
                   (struct variable){.name = written->name.text,
                                     .kind = VARIABLE_LOCATION,
                                     .owner = info->number,
                                     .count = 1,
                                     .length = 1,
                                     .assigned = true,
                                     .hi = written->states.n ? (int64_t)written->states.n - 1 : 0,
                                     .init = filled(c, 1, initial == COMPOSE_NONE ? 0 : initial),
                                     .at = written->name.at},
                   NO_INFO);
  for (size_t i = 0; i < written->variables.n; i++)
    declare_variable(c, info, &info->names, &written->variables.items[i]);
  for (size_t i = 0; i < written->channels.n; i++)
    declare_channel(c, info, &info->names, &written->channels.items[i]);
  c->compose.processes[info->number] = (struct compose_process){
      .number = info->number,
      .process = process,
      .at = written->name.at,
      .edges = arena_array(c->build.arena, written->transitions.n, sizeof(struct compose_edge))};
}

/* Its variables and channels are refused later (dve_automaton.c). */
static void declare_property_process(struct dve_check *c, struct dve_process_info *info) {
  declare_states(c, info);
  for (size_t i = 0; i < info->written->variables.n; i++)
    if (info->written->variables.items[i].is_constant)
      declare_variable(c, info, &info->names, &info->written->variables.items[i]);
}

static void declare_processes(struct dve_check *c) {
  const struct dve_system *system = c->system;
  uint32_t number = 0;
  for (uint32_t i = 0; i < system->process_count; i++) {
    c->infos[i] = (struct dve_process_info){.written = &system->processes[i],
                                            .number = i == c->property ? COMPOSE_NONE : number++};
    dve_declare(
        c, &c->names,
        (struct dve_symbol){
            .name = system->processes[i].name.text, .kind = DVE_PROCESS, .id = i, .at = system->processes[i].name.at});
  }
  c->build.model->process_count = number;
  for (uint32_t i = 0; i < system->process_count; i++)
    (i == c->property ? declare_property_process : declare_process)(c, &c->infos[i]);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void start(struct dve_check *c) {
  const struct dve_system *system = c->system;
  struct arena *arena = c->build.arena;
  size_t variables = system->variables.n, channels = system->channels.n, edges = 0;
  for (size_t i = 0; i < system->process_count; i++) {
    variables += system->processes[i].variables.n + 1;
    channels += system->processes[i].channels.n;
    edges += system->processes[i].transitions.n;
  }
  make_room(c, variables);
  struct model *model = c->build.model;
  c->infos = arena_array(arena, system->process_count, sizeof *c->infos);
  model->channels = c->channels = arena_array(arena, channels, sizeof *c->channels);
  c->channel_infos = arena_array(arena, channels, sizeof *c->channel_infos);
  model->processes = c->processes = arena_array(arena, system->process_count, sizeof *c->processes);
  model->edges = c->edges = arena_array(arena, edges, sizeof *c->edges);
  c->written = arena_array(arena, edges, sizeof *c->written);
  model->constants = c->constants = arena_array(arena, system->variables.n + 1, sizeof *c->constants);
  c->compose.processes = arena_array(arena, system->process_count, sizeof *c->compose.processes);
  c->compose.channels = arena_array(arena, channels, sizeof *c->compose.channels);
}

/* An error in -D has no place in the file. */
static void check_definitions(struct dve_check *c) {
  for (size_t i = 0; i < c->definition_count; i++) {
    const struct definition *d = &c->definitions[i];
    const struct dve_symbol *symbol = dve_find(&c->names, d->name);
    const bool known = symbol && symbol->kind == DVE_CONSTANT;
    int64_t value;
    if ((known && definition_number(d, &value)) || strcmp(d->name, DVE_GUESS) == 0)
      continue;
    c->build.errors++;
    if (known)
      diag_error(c->build.log, NULL, NOWHERE, "a decimal integer, true or false", "-D %s=%s: '%s' is no value", d->name,
                 d->value, d->value);
    else
      diag_error(c->build.log, NULL, NOWHERE, dve_suggestion(c, NULL, d->name, 1u << DVE_CONSTANT),
                 "-D %s=%s: the model '%s' has no constant '%s'", d->name, d->value, c->build.model->name, d->name);
  }
}

static void find_property(struct dve_check *c) {
  const struct dve_system *system = c->system;
  c->property = COMPOSE_NONE;
  if (!system->property.text)
    return;
  for (uint32_t i = 0; i < system->process_count; i++)
    if (strcmp(system->processes[i].name.text, system->property.text) == 0)
      c->property = i;
}

void dve_declare_all(struct dve_check *c) {
  const struct dve_system *system = c->system;
  const struct definition *guess = definition_find(c->definitions, c->definition_count, DVE_GUESS);
  c->guess = guess_value(&c->build, guess, DVE_GUESS, FIRST_GUESS, INT16_MAX);
  find_property(c);
  start(c);
  for (size_t i = 0; i < system->variables.n; i++)
    declare_variable(c, NULL, &c->names, &system->variables.items[i]);
  for (size_t i = 0; i < system->channels.n; i++)
    declare_channel(c, NULL, &c->names, &system->channels.items[i]);
  check_definitions(c);
  declare_processes(c);
  if (system->property.text && c->property == COMPOSE_NONE)
    dve_find_process(c, &system->property);
}

void dve_declare_guess(struct dve_check *c) {
  struct model *model = c->build.model;
  const struct definition *defined = definition_find(c->definitions, c->definition_count, DVE_GUESS);
  if (!c->most && !defined)
    return;
  c->constants[model->constant_count++] = guess_constant(DVE_GUESS, c->guess, defined);
  guess_add(&c->build, defined, guess_after(DVE_GUESS, c->guess, c->most, c->build.arena));
}
