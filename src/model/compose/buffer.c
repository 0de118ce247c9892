/* Buffered channels: a length and an array of positions for each field. Free positions hold their
   initial value, so that equal contents are equal states. */
#include "model/compose/buffer.h"

#include "model/compose/transition_builder.h"

struct buffer {
  const struct channel *channel;
  const struct expr *element, *length;
  source_at at;
};

static const struct expr *position(struct compose *c, const struct buffer *b, const struct expr *index) {
  return build_offset(c->build, b->at, b->element, b->channel->capacity, index);
}

static const struct expr *read_buffer_field(struct compose *c, const struct buffer *b, size_t field, int64_t index) {
  return build_read(c->build, b->at, b->channel->field_variables[field], position(c, b, build_const(c->build, index)));
}

static void add_buffer_assignment(struct compose *c, const struct buffer *b, uint32_t variable,
                                  const struct expr *index, const struct expr *value) {
  if (index && index->op == EXPR_CONST && index->value == 0)
    index = NULL;
  add_statement(c, &c->current->statements,
                &(struct statement){
                    .op = ST_ASSIGN, .at = b->at, .id = variable, .index = index, .value = value, .site = NO_SITE});
}

static void assign_length(struct compose *c, const struct buffer *b, int64_t change) {
  const struct channel *ch = b->channel;
  const struct expr *before = change > 0 ? build_narrowed(c->build, b->length, 0, (int64_t)ch->capacity - 1)
                                         : build_narrowed(c->build, b->length, 1, ch->capacity);
  add_buffer_assignment(c, b, ch->length_variable, b->element,
                        build_binary(c->build, EXPR_ADD, b->at, before, build_const(c->build, change)));
}

/* Replaces the element by a temporary or constant: a guard has checked an index that can fail. */
static void settle_element(struct compose *c, struct buffer *b) {
  b->element = transition_builder_let(c, b->element, b->at, NO_SITE, NULL);
  b->length = b->element ? build_read(c->build, b->at, b->channel->length_variable, b->element) : NULL;
}

static const struct expr *has_free_place(struct compose *c, const struct buffer *b) {
  return build_binary(c->build, EXPR_LT, b->at, b->length, build_const(c->build, b->channel->capacity));
}

static void lower_send(struct compose *c, struct buffer *b, const struct instance_edge *edge, const struct part *part) {
  const struct channel *ch = b->channel;
  transition_builder_guard(c, has_free_place(c, b));
  const struct expr **sent = transition_builder_sent(c, edge, part);
  settle_element(c, b);
  const struct expr *end = build_narrowed(c->build, b->length, 0, (int64_t)ch->capacity - 1);
  for (size_t f = 0; f < ch->field_count; f++)
    add_buffer_assignment(c, b, ch->field_variables[f], position(c, b, end), sent[f]);
  assign_length(c, b, 1);
}

static void shift_messages(struct compose *c, const struct buffer *b, size_t field) {
  const struct channel *ch = b->channel;
  uint32_t variable = ch->field_variables[field];
  int64_t last = (int64_t)ch->capacity - 1;
  for (int64_t i = 0; i < last && build_spend(c->build, b->at, 1, 0); i++)
    add_buffer_assignment(c, b, variable, position(c, b, build_const(c->build, i)),
                          read_buffer_field(c, b, field, i + 1));
  add_buffer_assignment(c, b, variable, position(c, b, build_const(c->build, last)),
                        build_const(c->build, c->build->model->variables[variable].init[0]));
}

/* Fields of the first message in the buffer. */
static const struct expr **first_message(struct compose *c, const struct buffer *b) {
  const struct expr **fields = arena_array(c->build->arena, b->channel->field_count, sizeof *fields);
  for (size_t f = 0; f < b->channel->field_count; f++)
    fields[f] = read_buffer_field(c, b, f, 0);
  return fields;
}

/* Conditions of a receive, in order. */
static const struct expr **tests_of_receive(struct compose *c, const struct buffer *b, const struct part *part,
                                            const struct expr *const *first, size_t *n) {
  const struct expr **tests = arena_array(c->build->arena, b->channel->field_count + 2, sizeof *tests);
  *n = 0;
  tests[(*n)++] = build_binary(c->build, EXPR_LT, b->at, build_const(c->build, 0), b->length);
  for (size_t f = 0; f < b->channel->field_count; f++)
    if (part->values[f])
      tests[(*n)++] = build_binary(c->build, EXPR_EQ, b->at, first[f], part->values[f]);
  if (part->message_guard)
    tests[(*n)++] = part->message_guard;
  return tests;
}

static bool uses_field(const struct compose_edge *edge, size_t field) {
  return edge->uses_field && edge->uses_field[field];
}

/* Lowers a receive; returns its part. */
static const struct part *lower_receive(struct compose *c, struct buffer *b, struct instance_edge *edge,
                                        const struct part *any) {
  const struct channel *ch = b->channel;
  const struct buffer tested = *b;
  const struct expr **before = first_message(c, &tested);
  settle_element(c, b);
  const struct expr **first = arena_array(c->build->arena, ch->field_count, sizeof *first);
  for (size_t f = 0; f < ch->field_count; f++)
    if (any->targets[f].variable != COMPOSE_NONE || uses_field(edge->written, f))
      first[f] = transition_builder_let(c, read_buffer_field(c, b, f, 0), b->at, NO_SITE, NULL);
  const struct message message = {before, first};
  const struct part *part = part_receiving(c, edge, &(struct part_request){.message = &message});
  if (!part)
    return NULL;
  size_t n;
  const struct expr **tests = tests_of_receive(c, &tested, part, before, &n);
  for (size_t i = 0; i < n; i++)
    transition_builder_guard(c, tests[i]);
  for (size_t f = 0; f < ch->field_count; f++)
    shift_messages(c, b, f);
  assign_length(c, b, -1);
  add_received(c, &c->current->statements, edge, part, first);
  return part;
}

static struct buffer buffer_of(struct compose *c, const struct instance_edge *edge, const struct part *part) {
  const struct channel *channel = channel_of(c, edge->written);
  struct buffer b = {.channel = channel, .element = part->element, .at = edge->written->channel_at};
  b.length = build_read(c->build, b.at, channel->length_variable, b.element);
  return b;
}

void buffer_lower(struct compose *c, struct instance_edge *edge, uint32_t from) {
  const struct part *part = part_get(c, edge, 0);
  if (!part)
    return;
  transition_builder_start_alone(c, edge, part, from);
  struct buffer b = buffer_of(c, edge, part);
  if (edge->written->sends)
    lower_send(c, &b, edge, part);
  else
    part = lower_receive(c, &b, edge, part);
  if (!part)
    return;
  add_effects(c, &c->current->statements, part);
  add_location_change(c, &c->current->statements, edge, from);
  transition_builder_finish(c, edge->written->at);
}

const struct expr *buffer_ready(struct compose *c, struct instance_edge *edge, const int64_t *chosen) {
  const struct part *part = chosen ? part_chosen(c, edge, chosen) : part_get(c, edge, 0);
  if (!part)
    return NULL;
  const struct buffer b = buffer_of(c, edge, part);
  source_at at = edge->written->at;
  if (edge->written->sends)
    return build_binary(c->build, EXPR_AND, at, part->guard, has_free_place(c, &b));
  const struct expr **first = first_message(c, &b);
  const struct message message = {first, first}; /* its effect is not used */
  part = part_receiving(c, edge, &(struct part_request){.chosen = chosen, .message = &message});
  if (!part)
    return NULL;
  size_t n;
  const struct expr **tests = tests_of_receive(c, &b, part, first, &n);
  return build_binary(c->build, EXPR_AND, at, part->guard, build_all(c->build, EXPR_AND, at, tests, n));
}
