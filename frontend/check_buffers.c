/* Buffered channels: a length and an array of positions for each field. Free positions hold the
   lowest value of the field, so that equal contents are equal states. */
#include "frontend/check_buffers.h"

#include "frontend/check_draft.h"

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
  add_statement(c, &c->draft->statements,
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
  b->element = draft_let(c, b->element, b->at, NO_SITE, NULL);
  b->length = b->element ? build_read(&c->build, b->at, b->channel->length_variable, b->element) : NULL;
}

static void append(struct check *c, struct buffer *b, const struct move *move, const struct part *part) {
  const struct channel *ch = b->channel;
  draft_guard(c, build_binary(&c->build, EXPR_LT, b->at, b->length, build_const(&c->build, ch->capacity)));
  const struct expr **sent = draft_sent(c, move, part);
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

static void take(struct check *c, struct buffer *b, const struct move *move, const struct part *part) {
  const struct channel *ch = b->channel;
  draft_guard(c, build_binary(&c->build, EXPR_LT, b->at, build_const(&c->build, 0), b->length));
  for (size_t f = 0; f < ch->field_count; f++)
    if (part->values[f])
      draft_guard(c, build_binary(&c->build, EXPR_EQ, b->at, field_at(c, b, f, 0), part->values[f]));
  settle_element(c, b);
  const struct expr **first = arena_array(c->build.arena, ch->field_count, sizeof *first);
  for (size_t f = 0; f < ch->field_count; f++)
    if (part->targets[f].variable != NONE)
      first[f] = draft_let(c, field_at(c, b, f, 0), b->at, NO_SITE, NULL);
  for (size_t f = 0; f < ch->field_count; f++)
    shift(c, b, f);
  assign_length(c, b, -1);
  add_received(c, &c->draft->statements, move, part, first);
}

void buffer_lower(struct check *c, struct move *move, uint32_t from) {
  const struct part *part = part_lower(c, move, 0);
  const struct channel *channel = &c->channels[move->info->channel];
  struct buffer b = {.channel = channel, .at = move->info->syntax->sync->channel->at};
  if (!part)
    return;
  draft_alone(c, move, part, from);
  b.element = part->element;
  b.length = build_read(&c->build, b.at, channel->length_variable, b.element);
  if (move->info->syntax->sync->send)
    append(c, &b, move, part);
  else
    take(c, &b, move, part);
  add_effects(c, &c->draft->statements, part);
  add_move(c, &c->draft->statements, move, from);
  draft_finish(c, move->info->syntax->at);
}
