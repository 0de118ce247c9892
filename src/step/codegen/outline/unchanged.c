#include "step/codegen/outline/unchanged.h"

#include <stdlib.h>

#define NO_ELEMENT UINT32_MAX

/* The element that a temporary has the value of. */
struct copied {
  uint32_t element;
  uint64_t time;
  const struct block *block; /* of the assignment to the temporary */
};

struct block {
  const struct block *outer;
};

struct walk {
  const struct model *model;
  struct arena *arena;
  uint64_t time;
  uint64_t *changed;     /* [model->value_count] time of the last change */
  struct copied *copies; /* [temp_count] */
  struct unchanged *out;
};

/* The element of a variable; NO_ELEMENT: its index is no constant. */
static uint32_t element_of(const struct model *model, uint32_t id, const struct expr *index) {
  const struct variable *variable = &model->variables[id];
  if (variable->count == 1 || !index)
    return variable->first;
  return index->op == EXPR_CONST && index->value >= 0 && index->value < variable->count
             ? variable->first + (uint32_t)index->value
             : NO_ELEMENT;
}

static bool is_open(const struct block *block, const struct block *innermost) {
  while (innermost && innermost != block)
    innermost = innermost->outer;
  return innermost;
}

/* The element that has the value of `e` since it was read, or NO_ELEMENT. */
static uint32_t source_of(const struct walk *walk, const struct expr *e, const struct block *block) {
  while (e->op == EXPR_INDEX)
    e = e->a;
  if (e->op == EXPR_READ)
    return element_of(walk->model, e->id, e->a);
  if (e->op != EXPR_TEMP)
    return NO_ELEMENT;
  const struct copied *copy = &walk->copies[e->id];
  if (!copy->block || copy->element == NO_ELEMENT || !is_open(copy->block, block) ||
      walk->changed[copy->element] > copy->time)
    return NO_ELEMENT;
  return copy->element;
}

static void visit_assignment(struct walk *walk, const struct statement *statement, const struct block *block) {
  const struct variable *variable = &walk->model->variables[statement->id];
  const uint32_t element = element_of(walk->model, statement->id, statement->index);
  const bool checked =
      statement->site != NO_SITE && (statement->value->lo < variable->lo || statement->value->hi > variable->hi);
  if (element != NO_ELEMENT && !checked && !statement->value->can_fail &&
      (!statement->index || !statement->index->can_fail) && source_of(walk, statement->value, block) == element) {
    *ARENA_PUSH(walk->arena, walk->out->statements, walk->out->count, walk->out->capacity) = statement;
    return;
  }
  walk->time++;
  for (uint32_t i = 0; i < variable->count; i++)
    if (element == NO_ELEMENT || element == variable->first + i)
      walk->changed[variable->first + i] = walk->time;
}

static const struct block *block_in(const struct walk *walk, const struct block *outer) {
  struct block *block = arena_alloc(walk->arena, sizeof *block);
  block->outer = outer;
  return block;
}

static void visit(struct walk *walk, const struct statement *list, size_t count, const struct block *block) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &list[i];
    if (statement->op == ST_LET)
      walk->copies[statement->id] = (struct copied){source_of(walk, statement->value, block), walk->time, block};
    else if (statement->op == ST_ASSIGN)
      visit_assignment(walk, statement, block);
    else if (statement->op == ST_IF) {
      visit(walk, statement->then, statement->then_count, block_in(walk, block));
      visit(walk, statement->then + statement->then_count, statement->else_count, block_in(walk, block));
    }
  }
}

static int compare_addresses(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t) * (const struct statement *const *)a,
                  y = (uintptr_t) * (const struct statement *const *)b;
  return (x > y) - (x < y);
}

void find_unchanged(const struct model *model, const struct transition *transition, struct arena *arena,
                    struct unchanged *out) {
  struct walk walk = {.model = model, .arena = arena, .out = out};
  *out = (struct unchanged){0};
  walk.changed = arena_array(arena, (size_t)model->value_count + 1, sizeof *walk.changed);
  walk.copies = arena_array(arena, (size_t)transition->temp_count + 1, sizeof *walk.copies);
  visit(&walk, transition->statements, transition->statement_count, block_in(&walk, NULL));
  if (out->count)
    qsort(out->statements, out->count, sizeof *out->statements, compare_addresses);
}

bool is_unchanged(const struct unchanged *unchanged, const struct statement *statement) {
  return unchanged->count &&
         bsearch(&statement, unchanged->statements, unchanged->count, sizeof *unchanged->statements, compare_addresses);
}
