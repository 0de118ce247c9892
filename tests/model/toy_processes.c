/* Processes that synchronise, a line each. After a first line `processes`, each line is one of

     value x 0 3            a variable with its range; it starts at the lower end
     channel c 2 0 3        capacity (0: handshake, `all`: broadcast), range of the only field of a message
     process P 2 a b!       number of instances, locations; the first one is initial, ! is committed
     never x 3              a property
     absent x 3             the same as a temporal property: its runs never have x == 3
     repeated x 3           a temporal property: x == 3 infinitely often
     P a b ...              a transition of P from a to b, then any of
       for 0 2                a select, whose value is i
       if x 3                 x == 3
       else
       send c 3
       receive c x            the message goes to x; `receive c = 3`: it is 3; `receive c m`: it is m
       set x 3
       hold                the state after it is transient: only this instance may fire there
       hold first          only its first firing counts there, and an error is raised if it has none
     transient              transitions may have `hold`

   Wherever 3 stands, i, m, self (the number of the instance) or a variable may stand. */
#include "toy_processes.h"

#include "logic/formula.h"
#include "model/compose/compose.h"
#include "model/compose/else.h"
#include "model/notation.h"

#include <stdlib.h>
#include <string.h>

#define HEADER "processes\n"

struct line {
  const char **words;
  size_t n, cap;
  source_at at;
};
struct toy {
  const struct source *source;
  struct line *lines;
  size_t n, cap;
};

static bool recognise(const char *text, size_t length) {
  return length >= strlen(HEADER) && memcmp(text, HEADER, strlen(HEADER)) == 0;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  (void)includer;
  (void)log;
  struct toy *toy = arena_alloc(arena, sizeof *toy);
  toy->source = source;
  for (size_t at = strlen(HEADER), length; at < source->length; at += length + 1) {
    length = strcspn(source->text + at, "\n");
    struct line line = {.at = (source_at)at};
    char *rest = arena_copy(arena, source->text + at, length);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
      *ARENA_PUSH(arena, line.words, line.n, line.cap) = word;
    if (line.n)
      *ARENA_PUSH(arena, toy->lines, toy->n, toy->cap) = line;
  }
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  *outline = (struct outline){.name = "processes", .description = "", .tree = toy};
  *out = outline;
  return FLOE_OK;
}

/* ---- declarations ---------------------------------------------------------------------------- */

struct check {
  const struct toy *toy;
  struct builder build;
  struct compose compose;
  struct variable *variables;
  struct channel *channels;
  struct process *processes;
  struct edge *edges;
  struct property *properties;
  const struct line **edge_lines; /* [edge] */
  struct transient *transient;    /* NULL: no line `transient` */
};

static int64_t number(const char *word) { return strtoll(word, NULL, 10); }

static uint32_t add_variable(struct check *c, struct variable v, int64_t init) {
  v.count = v.count ? v.count : 1;
  v.length = v.kind == VARIABLE_LOCATION ? 1 : v.count;
  v.assigned = true;
  int64_t *values = arena_array(c->build.arena, v.count, sizeof *values);
  for (uint32_t i = 0; i < v.count; i++)
    values[i] = init;
  v.init = values;
  c->variables[c->build.model->variable_count] = v;
  return (uint32_t)c->build.model->variable_count++;
}

static void declare_value(struct check *c, const struct line *line) {
  struct variable v = {
      .name = line->words[1], .lo = number(line->words[2]), .hi = number(line->words[3]), .at = line->at};
  add_variable(c, v, v.lo);
}

static void declare_channel(struct check *c, const struct line *line) {
  uint32_t n = (uint32_t)c->build.model->channel_count++, *fields = arena_alloc(c->build.arena, sizeof *fields);
  struct channel *channel = &c->channels[n];
  struct interval *range = arena_alloc(c->build.arena, sizeof *range);
  *range = (struct interval){number(line->words[3]), number(line->words[4])};
  c->compose.channels[n].fields = range;
  *channel = (struct channel){.name = line->words[1],
                              .size = 1,
                              .broadcast = strcmp(line->words[2], "all") == 0,
                              .capacity = (uint32_t)number(line->words[2]),
                              .field_variables = fields,
                              .field_count = 1};
  if (!channel->capacity)
    return;
  channel->length_variable = add_variable(
      c,
      (struct variable){
          .name = channel->name, .kind = VARIABLE_LENGTH, .owner = n, .hi = channel->capacity, .at = line->at},
      0);
  *fields = add_variable(c,
                         (struct variable){.name = channel->name,
                                           .kind = VARIABLE_FIELD,
                                           .owner = n,
                                           .count = channel->capacity,
                                           .lo = range->lo,
                                           .hi = range->hi,
                                           .at = line->at},
                         range->lo);
}

static void declare_process(struct check *c, const struct line *line) {
  uint32_t n = (uint32_t)c->build.model->process_count++;
  size_t count = line->n - 3;
  struct location *locations = arena_array(c->build.arena, count, sizeof *locations);
  for (size_t i = 0; i < count; i++) {
    const char *word = line->words[3 + i];
    size_t length = strcspn(word, "!");
    locations[i] = (struct location){
        .name = arena_copy(c->build.arena, word, length), .committed = word[length] == '!', .at = line->at};
  }
  struct process *process = &c->processes[n];
  *process = (struct process){.name = line->words[1],
                              .instances = (uint32_t)number(line->words[2]),
                              .locations = locations,
                              .location_count = count};
  process->location_variable = add_variable(c,
                                            (struct variable){.name = process->name,
                                                              .kind = VARIABLE_LOCATION,
                                                              .owner = n,
                                                              .count = process->instances,
                                                              .hi = (int64_t)count - 1,
                                                              .at = line->at},
                                            0);
  c->compose.processes[n] =
      (struct compose_process){.number = n,
                               .process = process,
                               .at = line->at,
                               .edges = arena_array(c->build.arena, c->toy->n, sizeof(struct compose_edge))};
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t unknown(struct check *c, const struct line *line, const char *name) {
  BUILD_ERROR(&c->build, line->at, NULL, "unknown name '%s'", name);
  return COMPOSE_NONE;
}

static uint32_t find_variable(struct check *c, const struct line *line, const char *name) {
  for (uint32_t i = 0; i < c->build.model->variable_count; i++)
    if (c->variables[i].kind == VARIABLE_GLOBAL && strcmp(c->variables[i].name, name) == 0)
      return i;
  return unknown(c, line, name);
}

static uint32_t find_channel(struct check *c, const struct line *line, const char *name) {
  for (uint32_t i = 0; i < c->build.model->channel_count; i++)
    if (strcmp(c->channels[i].name, name) == 0)
      return i;
  return unknown(c, line, name);
}

static uint32_t find_process(struct check *c, const struct line *line) {
  for (uint32_t i = 0; i < c->build.model->process_count; i++)
    if (strcmp(c->processes[i].name, line->words[0]) == 0)
      return i;
  return unknown(c, line, line->words[0]);
}

static uint32_t find_location(struct check *c, const struct line *line, const struct process *process,
                              const char *name) {
  for (uint32_t i = 0; i < process->location_count; i++)
    if (strcmp(process->locations[i].name, name) == 0)
      return i;
  return unknown(c, line, name);
}

/* ---- transitions as written ------------------------------------------------------------------ */

/* The word after which the rest of a clause stands; NULL: there is no such clause. */
static const char *const *clause(const struct line *line, const char *keyword) {
  for (size_t i = 3; i < line->n; i++)
    if (strcmp(line->words[i], keyword) == 0)
      return (const char *const *)&line->words[i];
  return NULL;
}

static struct compose_edge composed_edge(struct check *c, const struct line *line, const struct process *process) {
  uint32_t *from = arena_alloc(c->build.arena, sizeof *from);
  source_at *field_at = arena_alloc(c->build.arena, sizeof *field_at);
  const char *const *send = clause(line, "send"), *const *sync = send ? send : clause(line, "receive");
  *from = find_location(c, line, process, line->words[1]);
  *field_at = line->at;
  return (struct compose_edge){.number = (uint32_t)c->build.model->edge_count,
                               .from = from,
                               .from_count = 1,
                               .to = find_location(c, line, process, line->words[2]),
                               .channel = sync ? find_channel(c, line, sync[1]) : COMPOSE_NONE,
                               .sends = send != NULL,
                               .otherwise = clause(line, "else") != NULL,
                               .uses_field = arena_alloc(c->build.arena, sizeof(bool)),
                               .at = line->at,
                               .guard_at = line->at,
                               .channel_at = line->at,
                               .field_at = field_at};
}

static void declare_transition(struct check *c, const struct line *line) {
  const uint32_t p = find_process(c, line);
  if (p == COMPOSE_NONE)
    return;
  const struct compose_edge edge = composed_edge(c, line, &c->processes[p]);
  c->compose.processes[p].edges[c->compose.processes[p].edge_count++] = edge;
  c->edge_lines[edge.number] = line;
  c->edges[c->build.model->edge_count++] =
      (struct edge){.process = p,
                    .label = "",
                    .from = line->words[1],
                    .to = line->words[2],
                    .channel = edge.channel == COMPOSE_NONE ? NULL : c->channels[edge.channel].name,
                    .channel_number = edge.channel,
                    .sends = edge.sends,
                    .locations = edge.from,
                    .location_count = 1,
                    .select_count = clause(line, "for") != NULL,
                    .otherwise = edge.otherwise,
                    .at = line->at};
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct lowering {
  struct check *c;
  const struct line *line;
  const struct instance_edge *edge;
  const struct part_request *request;
  struct part *part;
};

/* The field of the received message. */
static const struct expr *field(const struct lowering *l, bool within_step) {
  struct compose_edge *written = l->edge->written;
  const struct message *message = l->request->message;
  written->reads_message = true;
  written->uses_field[0] |= within_step;
  if (message)
    return (within_step ? message->within : message->before)[0];
  const struct interval *range = l->c->compose.channels[written->channel].fields;
  return build_temp(&l->c->build, l->line->at, 0, range->lo, range->hi);
}

static const struct expr *value(const struct lowering *l, const char *word, bool within_step) {
  struct builder *b = &l->c->build;
  if (word[0] >= '0' && word[0] <= '9')
    return build_const(b, number(word));
  if (strcmp(word, "self") == 0)
    return build_const(b, l->edge->instance);
  if (strcmp(word, "m") == 0)
    return field(l, within_step);
  if (strcmp(word, "i") == 0 && l->request->chosen)
    return build_const(b, l->request->chosen[0]);
  if (strcmp(word, "i") == 0)
    return build_select(b, l->line->at, l->request->base, l->part->selects[0].lo, l->part->selects[0].hi);
  const uint32_t variable = find_variable(l->c, l->line, word);
  return variable == COMPOSE_NONE ? NULL : build_read(b, l->line->at, variable, NULL);
}

static void lower_select(const struct lowering *l) {
  const char *const *words = clause(l->line, "for");
  l->part->selects = arena_alloc(l->c->build.arena, sizeof *l->part->selects);
  if (words)
    *l->part->selects = (struct select){.name = "i", .lo = number(words[1]), .hi = number(words[2])};
  l->part->select_count = words && !l->request->chosen;
}

static bool lower_guard(const struct lowering *l) {
  struct builder *b = &l->c->build;
  const char *const *words = clause(l->line, "if");
  const struct expr **guard = &l->part->guard;
  l->part->guard = build_const(b, 1);
  if (!words)
    return true;
  if (strcmp(words[1], "m") == 0 || strcmp(words[2], "m") == 0)
    guard = &l->part->message_guard;
  *guard = build_binary(b, EXPR_EQ, l->line->at, value(l, words[1], false), value(l, words[2], false));
  return *guard != NULL;
}

static bool lower_sync(const struct lowering *l) {
  struct arena *arena = l->c->build.arena;
  const char *const *send = clause(l->line, "send"), *const *receive = clause(l->line, "receive");
  if (!send && !receive)
    return true;
  l->part->element = build_const(&l->c->build, 0);
  l->part->values = arena_alloc(arena, sizeof *l->part->values);
  l->part->targets = arena_alloc(arena, sizeof *l->part->targets);
  l->part->targets[0].variable = COMPOSE_NONE;
  if (!send && strcmp(receive[2], "m") == 0)
    return true;
  if (!send && strcmp(receive[2], "=") != 0) {
    l->part->targets[0].variable = find_variable(l->c, l->line, receive[2]);
    return l->part->targets[0].variable != COMPOSE_NONE;
  }
  l->part->values[0] = value(l, send ? send[2] : receive[3], false);
  return l->part->values[0] != NULL;
}

static struct statement assign(struct compose *composed, source_at at, const struct place *target,
                               const struct expr *value) {
  const struct variable *v = &composed->build->model->variables[target->variable];
  return (struct statement){.op = ST_ASSIGN,
                            .at = at,
                            .id = target->variable,
                            .index = target->index,
                            .value = value,
                            .site = build_range_site(composed->build, value, at, v->name, v->lo, v->hi)};
}

/* Value of the holder for the instance: odd, or even if only its first firing counts. */
static int64_t holder_value(const struct check *c, uint32_t process, uint32_t instance, bool first_only) {
  uint32_t number = instance;
  for (uint32_t p = 0; p < process; p++)
    number += c->processes[p].instances;
  return 2 * (int64_t)number + 1 + first_only;
}

/* A receiver that does not hold leaves the holder to the sender. */
static void lower_holder(const struct lowering *l) {
  const char *const *words = clause(l->line, "hold");
  if (!l->c->transient || (!words && clause(l->line, "receive")))
    return;
  const bool first_only =
      words && words + 1 < (const char *const *)l->line->words + l->line->n && strcmp(words[1], "first") == 0;
  const struct place target = {.variable = l->c->transient->variable};
  const uint32_t process = l->c->edges[l->edge->written->number].process;
  const int64_t held = words ? holder_value(l->c, process, l->edge->instance, first_only) : 0;
  l->part->effects[l->part->effect_count++] =
      assign(&l->c->compose, l->line->at, &target, build_const(&l->c->build, held));
}

static bool lower_effect(const struct lowering *l) {
  const char *const *words = clause(l->line, "set");
  l->part->effects = arena_array(l->c->build.arena, 2, sizeof *l->part->effects);
  if (words) {
    const struct place target = {.variable = find_variable(l->c, l->line, words[1])};
    const struct expr *assigned = value(l, words[2], true);
    if (target.variable == COMPOSE_NONE || !assigned)
      return false;
    l->part->effects[l->part->effect_count++] = assign(&l->c->compose, l->line->at, &target, assigned);
  }
  lower_holder(l);
  return true;
}

static bool lower(struct compose *composed, const struct instance_edge *edge, const struct part_request *request,
                  struct part *out) {
  struct check *c = composed->language;
  const struct lowering l = {c, c->edge_lines[edge->written->number], edge, request, out};
  lower_select(&l);
  return lower_guard(&l) && lower_sync(&l) && lower_effect(&l);
}

static const struct compose_operations operations = {.lower = lower, .assign = assign};

/* ---- order of steps -------------------------------------------------------------------------- */

static void start(struct check *c) {
  struct arena *arena = c->build.arena;
  const size_t n = c->toy->n;
  build_start(&c->build);
  c->variables = arena_array(arena, 2 * n, sizeof *c->variables);
  c->channels = arena_array(arena, n, sizeof *c->channels);
  c->processes = arena_array(arena, n, sizeof *c->processes);
  c->edges = arena_array(arena, n, sizeof *c->edges);
  c->edge_lines = arena_array(arena, n, sizeof *c->edge_lines);
  c->properties = arena_array(arena, n + 2, sizeof *c->properties);
  c->compose = (struct compose){.build = &c->build, .operations = &operations, .language = c};
  c->compose.processes = arena_array(arena, n, sizeof *c->compose.processes);
  c->compose.channels = arena_array(arena, n, sizeof *c->compose.channels);
  c->build.model->variables = c->variables;
  c->build.model->channels = c->channels;
  c->build.model->processes = c->processes;
  c->build.model->edges = c->edges;
  c->build.model->properties = c->properties;
}

static bool is_property(const struct line *line) {
  return strcmp(line->words[0], "never") == 0 || strcmp(line->words[0], "absent") == 0 ||
         strcmp(line->words[0], "repeated") == 0;
}

static void declare_transient(struct check *c, const struct line *line) {
  c->transient = arena_alloc(c->build.arena, sizeof *c->transient);
  c->transient->variable = add_variable(c, (struct variable){.name = "holder", .at = line->at}, 0);
}

static void declare(struct check *c, const struct line *line) {
  const char *first = line->words[0];
  if (strcmp(first, "value") == 0)
    declare_value(c, line);
  else if (strcmp(first, "channel") == 0)
    declare_channel(c, line);
  else if (strcmp(first, "process") == 0)
    declare_process(c, line);
  else if (strcmp(first, "transient") == 0)
    declare_transient(c, line);
  else if (!is_property(line))
    declare_transition(c, line);
}

/* Once all processes are declared. */
static void make_holders(struct check *c) {
  struct variable *v = &c->variables[c->transient->variable];
  v->hi = holder_value(c, (uint32_t)c->build.model->process_count, 0, false) - 1;
  struct holder *holders = arena_array(c->build.arena, (size_t)v->hi, sizeof *holders);
  const uint32_t blocked = build_site(&c->build, SITE_ERROR, v->at, "nothing fires in the state", 0, 0);
  for (int64_t i = 0; i < v->hi; i++)
    holders[i] = (struct holder){NO_INITIATOR, i % 2 == 1, i % 2 == 1 ? blocked : NO_SITE};
  c->transient->holders = holders;
  c->transient->exceeded = build_site(&c->build, SITE_ERROR, v->at, "the sequence of firings has no end", 1, 1);
  c->build.model->transient = c->transient;
}

/* Once all transitions are made. */
static void set_initiators(const struct check *c) {
  const struct model *model = c->build.model;
  struct holder *holders = (struct holder *)c->transient->holders;
  for (uint32_t g = 0; g < model->initiator_count; g++) {
    const struct initiator_transitions *initiator = &model->initiators[g];
    const int64_t value = holder_value(c, initiator->process, initiator->instance, false);
    holders[value - 1].initiator = holders[value].initiator = g;
  }
}

static void check_else(struct check *c, const struct compose_process *process) {
  for (size_t i = 0; i < process->edge_count; i++) {
    const struct compose_edge *edge = &process->edges[i];
    if (!edge->otherwise)
      continue;
    const struct else_finding finding = compose_else_find(&c->compose, process, edge);
    if (finding.undecided)
      BUILD_ERROR(&c->build, edge->at, NULL, "other processes decide about else at %s",
                  process->process->locations[finding.location].name);
  }
}

static void compose_all(struct check *c) {
  for (size_t p = 0; p < c->build.model->process_count; p++)
    check_else(c, &c->compose.processes[p]);
  build_places(&c->build);
  build_settle(&c->build);
  compose_priority(&c->compose);
  for (size_t p = 0; p < c->build.model->process_count; p++)
    compose_edges(&c->compose, &c->compose.processes[p]);
  if (!c->build.errors)
    compose_transitions(&c->compose);
}

/* What the steps of no trace need is left out: guards as written and their values. */
static void add_conditions(struct check *c) {
  for (size_t p = 0; p < c->build.model->process_count; p++) {
    const struct compose_process *process = &c->compose.processes[p];
    for (size_t e = 0; e < process->edge_count; e++) {
      struct edge_instance *all = arena_array(c->build.arena, process->process->instances, sizeof *all);
      for (uint32_t i = 0; i < process->process->instances; i++) {
        const struct part *part = process->instances[i * process->edge_count + e].parts;
        all[i] = (struct edge_instance){.selects = part->selects, .element = part->element, .fields = part->values};
      }
      c->edges[process->edges[e].number].instances = all;
    }
  }
}

static const struct temporal *temporal_property(struct check *c, const struct line *line, const struct expr *atom,
                                                const char *text) {
  struct arena *arena = c->build.arena;
  struct temporal *temporal = arena_alloc(arena, sizeof *temporal);
  const struct expr **atoms = arena_alloc(arena, sizeof *atoms);
  const char **texts = arena_alloc(arena, sizeof *texts);
  struct formulas *set = formulas_create(arena);
  const struct formula *holds = formula_atom(set, 0);
  *atoms = atom;
  *texts = text;
  *temporal = (struct temporal){.formulas = set,
                                .formula = strcmp(line->words[0], "absent") == 0
                                               ? formula_always(set, formula_not(set, holds))
                                               : formula_always(set, formula_eventually(set, holds)),
                                .atoms = atoms,
                                .taken = arena_array(arena, 1, sizeof *temporal->taken),
                                .atom_texts = texts,
                                .atom_count = 1};
  return temporal;
}

static void add_properties(struct check *c) {
  struct builder *b = &c->build;
  for (size_t i = 0; i < c->toy->n; i++) {
    const struct line *line = &c->toy->lines[i];
    if (!is_property(line))
      continue;
    const uint32_t variable = find_variable(c, line, line->words[1]);
    if (variable == COMPOSE_NONE)
      continue;
    const char *text = arena_printf(b->arena, "%s == %s", line->words[1], line->words[2]);
    const struct expr *expr = build_binary(b, EXPR_EQ, line->at, build_read(b, line->at, variable, NULL),
                                           build_const(b, number(line->words[2])));
    const bool temporal = strcmp(line->words[0], "never") != 0;
    c->properties[b->model->property_count++] =
        (struct property){.id = text,
                          .description = "",
                          .kind = temporal ? FLOE_LTL : FLOE_NEVER,
                          .expr = temporal ? NULL : expr,
                          .text = text,
                          .at = line->at,
                          .temporal = temporal ? temporal_property(c, line, expr, text) : NULL};
  }
  c->properties[b->model->property_count++] = (struct property){"errors", "", FLOE_ERRORS, NULL, "", NOWHERE, NULL};
}

static floe_status check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                         struct arena *arena, floe_log *log, const struct model **out) {
  (void)definitions;
  (void)definition_count;
  struct check c = {.toy = outline->tree};
  struct model *model = arena_alloc(arena, sizeof *model);
  *model =
      (struct model){.name = outline->name, .description = "", .notation = &default_notation, .source = c.toy->source};
  c.build = (struct builder){.arena = arena, .log = log, .source = c.toy->source, .model = model};
  start(&c);
  for (size_t i = 0; i < c.toy->n; i++)
    declare(&c, &c.toy->lines[i]);
  if (c.transient)
    make_holders(&c);
  if (!c.build.errors)
    compose_all(&c);
  if (c.transient && !c.build.errors)
    set_initiators(&c);
  if (!c.build.errors)
    add_conditions(&c);
  add_properties(&c);
  build_finish(&c.build);
  if (c.build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

static const char *const endings[] = {".processes", NULL};

const struct language toy_processes = {
    .name = "processes",
    .description = "a toy: processes that synchronise",
    .endings = endings,
    .recognise = recognise,
    .parse = parse,
    .check = check,
};
