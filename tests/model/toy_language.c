/* Counters that count up, one step of one counter at a time. After a first line `counters`, each line is one of

     let N 9         a constant, which may be redefined
     x 0..N          a counter that starts at the lower end and stops at the upper one
     x 0..N by -4    one that wraps, in steps, without end
     never x 7       a property */
#include "toy_language.h"

#include "model/build.h"
#include "model/notation.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "counters\n"

struct line {
  const char *name, *low, *high; /* of `let` and `never` the value is `low` */
  int step;                      /* of a counter that wraps; 0: it stops */
  source_at at, end;
};
struct lines {
  struct line *items;
  size_t n, cap;
};
struct toy {
  const struct source *source;
  struct lines constants, counters, nevers;
};

static bool recognise(const char *text, size_t length) {
  return length >= strlen(HEADER) && memcmp(text, HEADER, strlen(HEADER)) == 0;
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool read_line(struct toy *toy, struct arena *arena, const char *text, struct line line) {
  char name[32], low[32], high[32] = "";
  struct lines *lines;
  if (sscanf(text, "let %31[A-Z] %31[0-9]", name, low) == 2)
    lines = &toy->constants;
  else if (sscanf(text, "never %31[a-z] %31[0-9]", name, low) == 2)
    lines = &toy->nevers;
  else if (sscanf(text, "%31[a-z] %31[0-9A-Z]..%31[0-9A-Z] by %d", name, low, high, &line.step) >= 3)
    lines = &toy->counters;
  else
    return !*text;
  line.name = arena_printf(arena, "%s", name);
  line.low = arena_printf(arena, "%s", low);
  line.high = arena_printf(arena, "%s", high);
  *ARENA_PUSH(arena, lines->items, lines->n, lines->cap) = line;
  return true;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  (void)includer; /* this language has no includes */
  struct toy *toy = arena_alloc(arena, sizeof *toy);
  floe_status status = FLOE_OK;
  toy->source = source;
  for (size_t at = strlen(HEADER), length; at < source->length; at += length + 1) {
    const char *text = source->text + at;
    const char *end = memchr(text, '\n', source->length - at);
    length = end ? (size_t)(end - text) : source->length - at;
    struct line line = {.at = (source_at)at, .end = (source_at)(at + length)};
    if (read_line(toy, arena, arena_copy(arena, text, length), line))
      continue;
    diag_error(log, source, line.at, NULL, "expected a constant, a counter or a property");
    status = FLOE_ERROR_MODEL;
  }
  const char **names = arena_array(arena, toy->constants.n, sizeof *names);
  for (size_t i = 0; i < toy->constants.n; i++)
    names[i] = toy->constants.items[i].name;
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  *outline = (struct outline){
      .name = "counters", .description = "", .constants = names, .constant_count = toy->constants.n, .tree = toy};
  *out = outline;
  return status;
}

/* ---- the ground model ------------------------------------------------------------------------ */

struct check {
  const struct toy *toy;
  struct builder build;
  struct constant *constants;
  struct edge *edges;
  struct transition *transitions;
};

static void check_constants(struct check *c, const struct definition *definitions, size_t count) {
  const struct lines *lines = &c->toy->constants;
  struct constant *constants = arena_array(c->build.arena, lines->n, sizeof *constants);
  for (size_t i = 0; i < lines->n; i++) {
    constants[i] = (struct constant){.name = lines->items[i].name, .value = strtoll(lines->items[i].low, NULL, 10)};
    for (size_t d = 0; d < count; d++)
      if (strcmp(definitions[d].name, constants[i].name) == 0)
        constants[i] = (struct constant){
            .name = constants[i].name, .value = strtoll(definitions[d].value, NULL, 10), .given = true};
  }
  c->build.model->constants = c->constants = constants;
  c->build.model->constant_count = lines->n;
}

static int64_t value_of(struct check *c, const struct line *line, const char *text) {
  if (isdigit((unsigned char)*text))
    return strtoll(text, NULL, 10);
  for (size_t i = 0; i < c->build.model->constant_count; i++)
    if (strcmp(c->constants[i].name, text) == 0)
      return c->constants[i].value;
  BUILD_ERROR(&c->build, line->at, NULL, "unknown constant '%s'", text);
  return 0;
}

static struct variable variable(struct check *c, const struct line *line) {
  struct variable v = {.name = line->name, .count = 1, .length = 1, .assigned = true, .at = line->at};
  int64_t *init = arena_alloc(c->build.arena, sizeof *init);
  v.lo = *init = value_of(c, line, line->low);
  v.hi = value_of(c, line, line->high);
  v.init = init;
  if (v.lo > v.hi)
    BUILD_ERROR(&c->build, line->at, NULL, "the range of '%s' is empty", line->name);
  return v;
}

/* A location after the counters, because each transition belongs to a process. */
static void check_variables(struct check *c) {
  static const int64_t there = 0;
  static const struct location locations[] = {{.name = "counting", .at = NOWHERE}};
  const struct lines *lines = &c->toy->counters;
  struct variable *variables = arena_array(c->build.arena, lines->n + 1, sizeof *variables);
  struct process *process = arena_alloc(c->build.arena, sizeof *process);
  for (size_t i = 0; i < lines->n; i++)
    variables[i] = variable(c, &lines->items[i]);
  variables[lines->n] = (struct variable){
      .name = "all", .kind = VARIABLE_LOCATION, .count = 1, .length = 1, .init = &there, .at = NOWHERE};
  *process = (struct process){.name = "all",
                              .instances = 1,
                              .single = true,
                              .location_variable = (uint32_t)lines->n,
                              .locations = locations,
                              .location_count = 1};
  c->build.model->variables = variables;
  c->build.model->variable_count = lines->n + 1;
  c->build.model->processes = process;
  c->build.model->process_count = 1;
  build_places(&c->build);
  build_settle(&c->build);
}

/* Next value of the counter; one that stops gets a guard. */
static const struct expr *next_value(struct builder *b, const struct line *line, const struct variable *v,
                                     const struct expr *now) {
  if (!line->step)
    return build_binary(b, EXPR_ADD, line->at, build_narrowed(b, now, v->lo, v->hi - 1), build_const(b, 1));
  const struct expr *sum = build_binary(b, EXPR_ADD, line->at, now, build_const(b, line->step));
  return build_wrapped(b, line->at, sum, v->lo, v->hi);
}

static void check_counter(struct check *c, uint32_t number) {
  struct builder *b = &c->build;
  const struct line *line = &c->toy->counters.items[number];
  const struct variable *v = &b->model->variables[number];
  const struct expr **guard = arena_alloc(b->arena, sizeof *guard), *now = build_read(b, line->at, number, NULL);
  struct statement *up = arena_alloc(b->arena, sizeof *up);
  struct participant *participant = arena_alloc(b->arena, sizeof *participant);
  struct source_excerpt *written = arena_alloc(b->arena, sizeof *written);
  struct edge_instance *conditions = arena_alloc(b->arena, sizeof *conditions);
  static const uint32_t first_location = 0;
  static bool reads_none = false;
  const size_t guards = line->step ? 0 : 1;
  *guard = build_binary(b, EXPR_LT, line->at, now, build_const(b, v->hi));
  conditions->guards = guard;
  *participant = (struct participant){.edge = number};
  *written = (struct source_excerpt){arena_printf(b->arena, "%s < %s", line->name, line->high), line->at, line->end};
  c->edges[number] = (struct edge){.label = arena_printf(b->arena, "%s up", line->name),
                                   .from = "counting",
                                   .to = "counting",
                                   .guards = written,
                                   .guard_count = guards,
                                   .locations = &first_location,
                                   .location_count = 1,
                                   .reads_message = &reads_none,
                                   .instances = conditions,
                                   .at = line->at};
  const struct expr *next = next_value(b, line, v, now);
  if (!*guard || !next || (guards && is_constant_false(*guard)))
    return;
  *up = (struct statement){.op = ST_ASSIGN, .at = line->at, .id = number, .value = next};
  up->site = build_range_site(b, next, line->at, v->name, v->lo, v->hi);
  c->transitions[b->model->transition_count++] = (struct transition){.guards = guard,
                                                                     .guard_count = guards,
                                                                     .statements = up,
                                                                     .statement_count = 1,
                                                                     .participants = participant,
                                                                     .participant_count = 1};
}

static void check_transitions(struct check *c) {
  struct model *model = c->build.model;
  struct initiator_transitions *group = arena_alloc(c->build.arena, sizeof *group);
  size_t n = c->toy->counters.n;
  model->edges = c->edges = arena_array(c->build.arena, n, sizeof *c->edges);
  model->edge_count = n;
  model->transitions = c->transitions = arena_array(c->build.arena, n, sizeof *c->transitions);
  for (uint32_t i = 0; i < n; i++)
    check_counter(c, i);
  group->end = model->transition_count;
  model->initiators = group;
  model->initiator_count = group->end > 0;
}

static void check_properties(struct check *c) {
  struct builder *b = &c->build;
  const struct lines *lines = &c->toy->nevers;
  struct property *properties = arena_array(b->arena, lines->n + 1, sizeof *properties);
  for (size_t i = 0; i < lines->n; i++) {
    const struct line *line = &lines->items[i];
    const char *text = arena_printf(b->arena, "%s == %s", line->name, line->low);
    properties[i] = (struct property){.id = text, .description = "", .kind = FLOE_NEVER, .text = text, .at = line->at};
    for (uint32_t v = 0; v < c->toy->counters.n; v++)
      if (strcmp(c->toy->counters.items[v].name, line->name) == 0)
        properties[i].expr = build_binary(b, EXPR_EQ, line->at, build_read(b, line->at, v, NULL),
                                          build_const(b, value_of(c, line, line->low)));
    if (!properties[i].expr)
      BUILD_ERROR(b, line->at, NULL, "unknown counter '%s'", line->name);
  }
  properties[lines->n] = (struct property){"errors", "", FLOE_ERRORS, NULL, "", NOWHERE, NULL};
  b->model->properties = properties;
  b->model->property_count = lines->n + 1;
}

static floe_status check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                         struct arena *arena, floe_log *log, const struct model **out) {
  struct check c = {.toy = outline->tree};
  struct model *model = arena_alloc(arena, sizeof *model);
  *model =
      (struct model){.name = outline->name, .description = "", .source = c.toy->source, .notation = &default_notation};
  c.build = (struct builder){.arena = arena, .log = log, .source = c.toy->source, .model = model};
  build_start(&c.build);
  check_constants(&c, definitions, definition_count);
  check_variables(&c);
  if (!c.build.errors)
    check_transitions(&c);
  check_properties(&c);
  build_finish(&c.build);
  if (c.build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

static const char *const endings[] = {".counters", NULL};

const struct language toy_language = {
    .name = "counters",
    .description = "a toy: counters that count up",
    .endings = endings,
    .recognise = recognise,
    .parse = parse,
    .check = check,
};
