/* Petri nets. After a first line `net`, each line is one of

     p 3                   a place with 3 tokens; a place holds 0 to 9 tokens, more are an error
     move: p 2 -> q 1      a transition that takes tokens and adds tokens: one place on each side
     move k 1..2: p -> q   one that takes and adds k tokens, for each k
     leak q                a transition without a place in the text, by which q loses a token
     never q 2             a property: q never holds 2 tokens
     never q and r         one that is not so: q and r never both hold tokens

   A state is written [p]=3, [q]=none; a guard [p] >= 2. */
#include "toy_net.h"

#include "model/build.h"
#include "model/notation.h"
#include "model/process.h"

#include <stdio.h>
#include <string.h>

#define HEADER "net\n"
enum { MOST = 16, MOST_TOKENS = 9 };

/* `from` is the place of `never`, too. */
struct line {
  char name[20], from[20], to[20];
  int take, add; /* tokens */
  char parameter[4];
  int low, high; /* of the parameter */
  source_at at, end;
};
struct net {
  const struct source *source;
  struct line places[MOST], transitions[MOST], properties[MOST];
  size_t place_count, transition_count, property_count;
};

/* ---- notation -------------------------------------------------------------------------------- */

static const char *element(const struct model *model, uint32_t variable, uint32_t number, struct arena *arena) {
  (void)number;
  return arena_printf(arena, "[%s]", model->variables[variable].name);
}

static const char *value(const struct model *model, uint32_t variable, int64_t tokens, struct arena *arena) {
  return tokens == 0 ? "none" : default_value_text(model, variable, tokens, arena);
}

static bool value_of(const struct model *model, uint32_t variable, const char *text, int64_t *tokens) {
  *tokens = 0;
  return strcmp(text, "none") == 0 || (default_value_of(model, variable, text, tokens) && *tokens != 0);
}

/* Operators of C, but `=`; a guard is built as 2 <= [p] and shown as [p] >= 2. */
static const char *expression(const struct model *model, const struct edge *edge, const struct expr *e,
                              struct arena *arena) {
  if (e->op == EXPR_LE)
    return arena_printf(arena, "%s >= %s", expression(model, edge, e->b, arena), expression(model, edge, e->a, arena));
  return default_expr_text(model, edge, e, arena);
}

static const struct operator_text operators[EXPR_OPS] = {
    [EXPR_READ] = {STRENGTH_ATOM, ""},  [EXPR_NOT] = {STRENGTH_UNARY, "!"}, [EXPR_EQ] = {STRENGTH_EQUALITY, "="},
    [EXPR_LE] = {STRENGTH_ORDER, "<="}, [EXPR_AND] = {STRENGTH_AND, "&&"},  [EXPR_CONST] = {STRENGTH_ATOM, ""},
    [EXPR_LT] = {STRENGTH_ORDER, "<"},  [EXPR_OR] = {STRENGTH_OR, "||"},
};

static const struct notation notation = {
    .operators = operators,
    .truths = {"no", "yes"},
    .member = ".",
    .expr = expression,
    .element = element,
    .value = value,
    .value_of = value_of,
};

/* ---- the text -------------------------------------------------------------------------------- */

static bool recognise(const char *text, size_t length) {
  return length >= strlen(HEADER) && memcmp(text, HEADER, strlen(HEADER)) == 0;
}

static bool is_transition(const char *text, struct line *line) {
  line->take = line->add = 1;
  return sscanf(text, "%19[a-z] %3[a-z] %d..%d: %19[a-z] -> %19[a-z]", line->name, line->parameter, &line->low,
                &line->high, line->from, line->to) == 6 ||
         (line->parameter[0] = 0, sscanf(text, "%19[a-z]: %19[a-z] %d -> %19[a-z] %d", line->name, line->from,
                                         &line->take, line->to, &line->add) == 5);
}

static struct line leak(const struct line *line) {
  struct line added = {.name = "leak", .take = 1, .at = NOWHERE, .end = NOWHERE};
  memcpy(added.from, line->from, sizeof added.from);
  memcpy(added.to, line->from, sizeof added.to);
  return added;
}

static bool read_line(struct net *net, const char *text, struct line *line) {
  char rest;
  if (net->place_count == MOST || net->transition_count == MOST || net->property_count == MOST)
    return false;
  if (sscanf(text, "never %19[a-z] %d%c", line->from, &line->take, &rest) == 2 ||
      sscanf(text, "never %19[a-z] and %19[a-z]%c", line->from, line->to, &rest) == 2)
    net->properties[net->property_count++] = *line;
  else if (sscanf(text, "%19[a-z] %d%c", line->name, &line->add, &rest) == 2)
    net->places[net->place_count++] = *line;
  else if (sscanf(text, "leak %19[a-z]%c", line->from, &rest) == 1)
    net->transitions[net->transition_count++] = leak(line);
  else if (is_transition(text, line))
    net->transitions[net->transition_count++] = *line;
  else
    return !*text;
  return true;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  (void)includer;
  struct net *net = arena_alloc(arena, sizeof *net);
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  floe_status status = FLOE_OK;
  net->source = source;
  for (size_t at = strlen(HEADER), length; at < source->length; at += length + 1) {
    const char *text = source->text + at, *end = memchr(text, '\n', source->length - at);
    length = end ? (size_t)(end - text) : source->length - at;
    struct line line = {.at = (source_at)at, .end = (source_at)(at + length)};
    if (read_line(net, arena_copy(arena, text, length), &line))
      continue;
    diag_error(log, source, line.at, NULL, "expected a place, a transition or a property");
    status = FLOE_ERROR_MODEL;
  }
  *outline = (struct outline){.name = "net", .description = "", .tree = net};
  *out = outline;
  return status;
}

/* ---- the ground model ------------------------------------------------------------------------ */

struct check {
  const struct net *net;
  struct builder build;
  struct edge *edges;
  struct transition *transitions;
  struct initiator_transitions *initiators;
};

static void check_places(struct check *c) {
  const size_t n = c->net->place_count;
  struct variable *variables = arena_array(c->build.arena, n, sizeof *variables);
  int64_t *tokens = arena_array(c->build.arena, n, sizeof *tokens);
  for (size_t i = 0; i < n; i++) {
    const struct line *line = &c->net->places[i];
    tokens[i] = line->add;
    variables[i] = (struct variable){.name = line->name,
                                     .count = 1,
                                     .length = 1,
                                     .assigned = true,
                                     .hi = MOST_TOKENS,
                                     .init = &tokens[i],
                                     .at = line->at};
  }
  c->build.model->variables = variables;
  c->build.model->variable_count = n;
  build_places(&c->build);
  build_settle(&c->build);
}

static uint32_t place_of(struct check *c, const struct line *line, const char *name) {
  for (uint32_t i = 0; i < c->net->place_count; i++)
    if (strcmp(c->net->places[i].name, name) == 0)
      return i;
  BUILD_ERROR(&c->build, line->at, NULL, "unknown place '%s'", name);
  return 0;
}

/* The number of tokens, or the value of the parameter. */
static const struct expr *weight(struct check *c, const struct line *line, int tokens) {
  return line->parameter[0] ? build_select(&c->build, line->at, 0, line->low, line->high)
                            : build_const(&c->build, tokens);
}

static struct statement change(struct check *c, const struct line *line, uint32_t place, enum expr_op op, int tokens) {
  struct builder *b = &c->build;
  const struct expr *after =
      build_binary(b, op, line->at, build_read(b, line->at, place, NULL), weight(c, line, tokens));
  if (op == EXPR_SUB)
    after = build_narrowed(b, after, 0, MOST_TOKENS); /* by the guard */
  return (struct statement){.op = ST_ASSIGN,
                            .at = line->at,
                            .id = place,
                            .value = after,
                            .site = build_range_site(b, after, line->at, c->net->places[place].name, 0, MOST_TOKENS)};
}

static const struct select *select_of(struct check *c, const struct line *line) {
  struct select *select = arena_alloc(c->build.arena, sizeof *select);
  *select = (struct select){.name = line->parameter, .lo = line->low, .hi = line->high};
  return line->parameter[0] ? select : NULL;
}

/* The places, and the tokens in a batch, which depend on the parameter. */
static struct object *objects_of(struct check *c, const struct line *line, uint32_t from, uint32_t to) {
  struct object *objects = arena_array(c->build.arena, 3, sizeof *objects);
  objects[0] = (struct object){"place", line->from, NULL, c->net->places[from].at};
  objects[1] = (struct object){"place", line->to, NULL, c->net->places[to].at};
  objects[2] = (struct object){"batch", "batch", weight(c, line, line->take), NOWHERE};
  return objects;
}

static struct edge edge_of(struct check *c, const struct line *line, const struct expr **guard,
                           const struct select *select) {
  struct arena *arena = c->build.arena;
  struct source_excerpt *written = arena_alloc(arena, sizeof *written);
  struct edge_instance *conditions = arena_alloc(arena, sizeof *conditions);
  static bool reads_none = false;
  const char *tokens = line->parameter[0] ? line->parameter : arena_printf(arena, "%d", line->take);
  *written = (struct source_excerpt){arena_printf(arena, "[%s] >= %s", line->from, tokens), line->at, line->end};
  *conditions = (struct edge_instance){.selects = select, .guards = guard};
  struct edge edge = edge_without_process(line->name, line->at);
  edge.guards = written;
  edge.guard_count = 1;
  edge.reads_message = &reads_none;
  edge.select_count = select ? 1 : 0;
  edge.instances = conditions;
  return edge;
}

static void check_transition(struct check *c, uint32_t number) {
  struct builder *b = &c->build;
  const struct line *line = &c->net->transitions[number];
  const uint32_t from = place_of(c, line, line->from), to = place_of(c, line, line->to);
  const struct select *select = select_of(c, line);
  const struct expr **guard = arena_alloc(b->arena, sizeof *guard);
  struct statement *statements = arena_array(b->arena, 2, sizeof *statements);
  struct participant *self = arena_alloc(b->arena, sizeof *self);
  *guard = build_binary(b, EXPR_LE, line->at, weight(c, line, line->take), build_read(b, line->at, from, NULL));
  statements[0] = change(c, line, from, EXPR_SUB, line->take);
  statements[1] = change(c, line, to, EXPR_ADD, line->add);
  *self = (struct participant){.process = NO_PROCESS, .edge = number};
  c->edges[number] = edge_of(c, line, guard, select);
  c->initiators[number] = (struct initiator_transitions){number, number + 1, NO_PROCESS, 0, false};
  c->transitions[number] = (struct transition){.selects = select,
                                               .select_count = select ? 1 : 0,
                                               .guards = guard,
                                               .guard_count = 1,
                                               .statements = statements,
                                               .statement_count = 2,
                                               .participants = self,
                                               .participant_count = 1,
                                               .initiator = number,
                                               .objects = objects_of(c, line, from, to),
                                               .object_count = line->parameter[0] ? 3 : 2};
}

static void check_transitions(struct check *c) {
  struct model *model = c->build.model;
  const size_t n = c->net->transition_count;
  model->edges = c->edges = arena_array(c->build.arena, n, sizeof *c->edges);
  model->transitions = c->transitions = arena_array(c->build.arena, n, sizeof *c->transitions);
  model->initiators = c->initiators = arena_array(c->build.arena, n, sizeof *c->initiators);
  model->edge_count = model->transition_count = model->initiator_count = n;
  for (uint32_t i = 0; i < n; i++)
    check_transition(c, i);
}

static const struct expr *marked(struct check *c, const struct line *line, const char *place) {
  struct builder *b = &c->build;
  return build_binary(b, EXPR_LE, line->at, build_const(b, 1), build_read(b, line->at, place_of(c, line, place), NULL));
}

/* That the number of tokens, or that the conjunction, has the value `yes`, so that traces show the conjunction. */
static struct property property_of(struct check *c, const struct line *line) {
  struct builder *b = &c->build;
  struct property property = {.description = "", .kind = FLOE_NEVER, .at = line->at};
  const struct expr *tested = build_read(b, line->at, place_of(c, line, line->from), NULL);
  property.text = arena_printf(b->arena, "[%s] = %d", line->from, line->take);
  if (line->to[0]) {
    tested = build_binary(b, EXPR_AND, line->at, marked(c, line, line->from), marked(c, line, line->to));
    property.text = arena_printf(b->arena, "[%s] >= 1 && [%s] >= 1", line->from, line->to);
  }
  property.id = property.text;
  property.expr = build_binary(b, EXPR_EQ, line->at, tested, build_const(b, line->to[0] ? 1 : line->take));
  return property;
}

static void check_properties(struct check *c) {
  struct builder *b = &c->build;
  const size_t n = c->net->property_count;
  struct property *properties = arena_array(b->arena, n + 2, sizeof *properties);
  for (size_t i = 0; i < n; i++)
    properties[i] = property_of(c, &c->net->properties[i]);
  properties[n] = (struct property){"deadlock", "", FLOE_DEADLOCK, NULL, "", NOWHERE, NULL};
  properties[n + 1] = (struct property){"errors", "", FLOE_ERRORS, NULL, "", NOWHERE, NULL};
  b->model->properties = properties;
  b->model->property_count = n + 2;
}

static floe_status check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                         struct arena *arena, floe_log *log, const struct model **out) {
  (void)definitions, (void)definition_count; /* it has no constants */
  struct check c = {.net = outline->tree};
  struct model *model = arena_alloc(arena, sizeof *model);
  *model = (struct model){.name = outline->name, .description = "", .source = c.net->source, .notation = &notation};
  c.build = (struct builder){.arena = arena, .log = log, .source = c.net->source, .model = model};
  build_start(&c.build);
  check_places(&c);
  check_transitions(&c);
  check_properties(&c);
  build_finish(&c.build);
  if (c.build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

static const char *const endings[] = {".net", NULL};

const struct language toy_net = {
    .name = "net",
    .description = "a toy: Petri nets",
    .endings = endings,
    .recognise = recognise,
    .parse = parse,
    .check = check,
};
