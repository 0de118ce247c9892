/* Buffered channels: a length and an array of positions for each field. Free positions hold the
   lowest value of the field, so that equal contents are equal states. */
#include "frontend/check/check_buffers.h"

#include "frontend/check/transition_builder.h"

struct buffer {
  const struct channel *channel;
  const struct expr *element, *length;
  source_at at;
};

static const struct expr *position(struct check *c, const struct buffer *b, const struct expr *index) {
  return build_offset(&c->build, b->at, b->element, b->channel->capacity, index);
}

static const struct expr *field_at(struct check *c, const struct buffer *b, size_t field, int64_t index) {
  return build_read(&c->build, b->at, b->channel->field_variables[field],
                    position(c, b, build_const(&c->build, index)));
}

static void assign(struct check *c, const struct buffer *b, uint32_t variable, const struct expr *index,
                   const struct expr *value) {
  if (index && index->op == EXPR_CONST && index->value == 0)
    index = NULL;
  add_statement(c, &c->builder->statements,
                &(struct statement){
                    .op = ST_ASSIGN, .at = b->at, .id = variable, .index = index, .value = value, .site = NO_SITE});
}

static void assign_length(struct check *c, const struct buffer *b, int64_t change) {
  const struct channel *ch = b->channel;
  const struct expr *before = change > 0 ? build_narrowed(&c->build, b->length, 0, (int64_t)ch->capacity - 1)
                                         : build_narrowed(&c->build, b->length, 1, ch->capacity);
  assign(c, b, ch->length_variable, b->element,
         build_binary(&c->build, EXPR_ADD, b->at, before, build_const(&c->build, change)));
}

/* From here on the element and length are those of a temporary or constant element: an index that
   can fail has been checked by the guard. */
static void settle_element(struct check *c, struct buffer *b) {
  b->element = transition_builder_let(c, b->element, b->at, NO_SITE, NULL);
  b->length = b->element ? build_read(&c->build, b->at, b->channel->length_variable, b->element) : NULL;
}

static const struct expr *has_room(struct check *c, const struct buffer *b) {
  return build_binary(&c->build, EXPR_LT, b->at, b->length, build_const(&c->build, b->channel->capacity));
}

static void append(struct check *c, struct buffer *b, const struct move *move, const struct part *part) {
  const struct channel *ch = b->channel;
  transition_builder_guard(c, has_room(c, b));
  const struct expr **sent = transition_builder_sent(c, move, part);
  settle_element(c, b);
  const struct expr *end = build_narrowed(&c->build, b->length, 0, (int64_t)ch->capacity - 1);
  for (size_t f = 0; f < ch->field_count; f++)
    assign(c, b, ch->field_variables[f], position(c, b, end), sent[f]);
  assign_length(c, b, 1);
}

static void shift(struct check *c, const struct buffer *b, size_t field) {
  const struct channel *ch = b->channel;
  uint32_t variable = ch->field_variables[field];
  int64_t last = (int64_t)ch->capacity - 1;
  for (int64_t i = 0; i < last && build_spend(&c->build, b->at, 1, 0); i++)
    assign(c, b, variable, position(c, b, build_const(&c->build, i)), field_at(c, b, field, i + 1));
  assign(c, b, variable, position(c, b, build_const(&c->build, last)),
         build_const(&c->build, c->build.model->variables[variable].lo));
}

/* The first message, as `b` reads it. */
static const struct expr **first_message(struct check *c, const struct buffer *b) {
  const struct expr **fields = arena_array(c->build.arena, b->channel->field_count, sizeof *fields);
  for (size_t f = 0; f < b->channel->field_count; f++)
    fields[f] = field_at(c, b, f, 0);
  return fields;
}

/* What a receive tests, in this order. */
static const struct expr **tests_of_receive(struct check *c, const struct buffer *b, const struct part *part,
                                            const struct expr *const *first, size_t *n) {
  const struct expr **tests = arena_array(c->build.arena, b->channel->field_count + 2, sizeof *tests);
  *n = 0;
  tests[(*n)++] = build_binary(&c->build, EXPR_LT, b->at, build_const(&c->build, 0), b->length);
  for (size_t f = 0; f < b->channel->field_count; f++)
    if (part->values[f])
      tests[(*n)++] = build_binary(&c->build, EXPR_EQ, b->at, first[f], part->values[f]);
  if (part->last)
    tests[(*n)++] = part->last;
  return tests;
}

/* Returns the part for the message taken. */
static const struct part *take(struct check *c, struct buffer *b, struct move *move, const struct part *any) {
  const struct channel *ch = b->channel;
  const struct buffer tested = *b;
  const struct expr **before = first_message(c, &tested);
  settle_element(c, b);
  const struct expr **first = arena_array(c->build.arena, ch->field_count, sizeof *first);
  for (size_t f = 0; f < ch->field_count; f++)
    if (any->targets[f].variable != NONE || field_is_used(move->info, f))
      first[f] = transition_builder_let(c, field_at(c, b, f, 0), b->at, NO_SITE, NULL);
  const struct message message = {before, first};
  const struct part *part = part_receiving(c, move, 0, NULL, &message);
  if (!part)
    return NULL;
  size_t n;
  const struct expr **tests = tests_of_receive(c, &tested, part, before, &n);
  for (size_t i = 0; i < n; i++)
    transition_builder_guard(c, tests[i]);
  for (size_t f = 0; f < ch->field_count; f++)
    shift(c, b, f);
  assign_length(c, b, -1);
  add_received(c, &c->builder->statements, move, part, first);
  return part;
}

static struct buffer buffer_of(struct check *c, const struct move *move, const struct part *part) {
  const struct channel *channel = &c->channels[move->info->channel];
  struct buffer b = {.channel = channel, .element = part->element, .at = move->info->syntax->sync->channel->at};
  b.length = build_read(&c->build, b.at, channel->length_variable, b.element);
  return b;
}

void buffer_lower(struct check *c, struct move *move, uint32_t from) {
  const struct part *part = part_lower(c, move, 0);
  if (!part)
    return;
  transition_builder_alone(c, move, part, from);
  struct buffer b = buffer_of(c, move, part);
  if (move->info->syntax->sync->send)
    append(c, &b, move, part);
  else
    part = take(c, &b, move, part);
  if (!part)
    return;
  add_effects(c, &c->builder->statements, part);
  add_move(c, &c->builder->statements, move, from);
  transition_builder_finish(c, move->info->syntax->at);
}

const struct expr *buffer_ready(struct check *c, struct move *move, const int64_t *chosen) {
  const struct part *part = chosen ? part_chosen(c, move, chosen) : part_lower(c, move, 0);
  if (!part)
    return NULL;
  const struct buffer b = buffer_of(c, move, part);
  source_at at = move->info->syntax->at;
  if (move->info->syntax->sync->send)
    return build_binary(&c->build, EXPR_AND, at, part->guard, has_room(c, &b));
  const struct expr **first = first_message(c, &b);
  const struct message message = {first, first}; /* nothing is done with its effect */
  part = part_receiving(c, move, 0, chosen, &message);
  if (!part)
    return NULL;
  size_t n;
  const struct expr **tests = tests_of_receive(c, &b, part, first, &n);
  return build_binary(&c->build, EXPR_AND, at, part->guard, build_all(&c->build, EXPR_AND, at, tests, n));
}
