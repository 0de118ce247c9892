#include "handmade.h"

#define FAR 1000000

static struct expr *node(struct arena *arena, enum expr_op op) {
  struct expr *e = arena_alloc(arena, sizeof *e);
  e->op = op;
  e->at = NOWHERE;
  e->site = NO_SITE;
  e->lo = -FAR;
  e->hi = FAR;
  return e;
}

const struct expr *constant(struct arena *arena, int64_t value) {
  struct expr *e = node(arena, EXPR_CONST);
  e->lo = e->hi = e->value = value;
  return e;
}

const struct expr *get(struct arena *arena, uint32_t variable, const struct expr *index) {
  struct expr *e = node(arena, EXPR_READ);
  e->id = variable;
  e->a = index;
  e->can_fail = index && index->can_fail;
  return e;
}

const struct expr *chosen(struct arena *arena, uint32_t select) {
  struct expr *e = node(arena, EXPR_SELECT);
  e->id = select;
  return e;
}

const struct expr *temp(struct arena *arena, uint32_t id) {
  struct expr *e = node(arena, EXPR_TEMP);
  e->id = id;
  return e;
}

const struct expr *bounded(struct arena *arena, const struct expr *index, int64_t bound, uint32_t site) {
  struct expr *e = node(arena, EXPR_INDEX);
  e->a = index;
  e->value = bound;
  e->lo = 0;
  e->hi = bound - 1;
  e->site = site;
  e->can_fail = true;
  return e;
}

const struct expr *unary(struct arena *arena, enum expr_op op, const struct expr *a) {
  struct expr *e = node(arena, op);
  e->a = a;
  e->can_fail = a->can_fail;
  return e;
}

const struct expr *binary(struct arena *arena, enum expr_op op, const struct expr *a, const struct expr *b) {
  struct expr *e = node(arena, op);
  e->a = a;
  e->b = b;
  e->can_fail = a->can_fail || b->can_fail;
  return e;
}

const struct expr *divide(struct arena *arena, enum expr_op op, const struct expr *a, const struct expr *b,
                          uint32_t site) {
  struct expr *e = node(arena, op);
  e->a = a;
  e->b = b;
  e->site = site;
  e->can_fail = true;
  return e;
}

const struct expr *choice(struct arena *arena, const struct expr *a, const struct expr *b, const struct expr *c) {
  struct expr *e = node(arena, EXPR_COND);
  e->a = a;
  e->b = b;
  e->c = c;
  e->can_fail = a->can_fail || b->can_fail || c->can_fail;
  return e;
}

struct statement let(uint32_t id, const struct expr *value, uint32_t site) {
  return (struct statement){.op = ST_LET, .id = id, .value = value, .site = site, .at = NOWHERE};
}

struct statement assign(uint32_t id, const struct expr *index, const struct expr *value, uint32_t site) {
  return (struct statement){.op = ST_ASSIGN, .id = id, .index = index, .value = value, .site = site, .at = NOWHERE};
}

struct statement assertion(const struct expr *value, uint32_t site) {
  return (struct statement){.op = ST_ASSERT, .value = value, .site = site, .at = NOWHERE};
}

struct variable variable(struct arena *arena, const char *name, enum variable_kind kind, uint32_t count,
                         struct value_range range, bool assigned) {
  const int64_t lo = range.lo, hi = range.hi;
  int64_t *init = arena_array(arena, count, sizeof *init);
  for (uint32_t i = 0; i < count; i++)
    init[i] = assigned || lo + i > hi ? lo : lo + i;
  return (struct variable){.name = name,
                           .kind = kind,
                           .count = count,
                           .length = kind == VARIABLE_GLOBAL ? count : 1,
                           .is_array = count > 1,
                           .assigned = assigned,
                           .lo = lo,
                           .hi = hi,
                           .init = init,
                           .at = NOWHERE};
}

void number_elements(struct model *model) {
  model->value_count = 0;
  for (size_t v = 0; v < model->variable_count; v++) {
    model->variables[v].first = model->value_count;
    model->value_count += model->variables[v].count;
  }
}
