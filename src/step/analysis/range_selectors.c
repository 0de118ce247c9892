#include "step/analysis/range_selectors.h"

#define MAX_CASES 1024
#define MAX_CELLS ((size_t)1 << 20) /* of all selectors */

/* An element of a global variable belongs to the one location that all transitions test which write it. Two candidates
   are kept, as a handshake tests two. */
struct owner {
  uint32_t candidates[2]; /* elements; NO_NUMBER */
  bool written;
};

struct choosing {
  const struct intervals *intervals;
  const struct model *model;
  struct arena *arena;
  struct ranges *ranges;
  struct owner *owners;   /* of elements */
  uint32_t *next, *first; /* lists of the elements of one owner; NO_NUMBER ends them */
  struct ranges_selector *selectors;
  size_t cap, cells;
};

static uint32_t tested(const struct model *model, const struct location_test *test) {
  return model->variables[test->variable].first + test->element;
}

static bool tests(const struct model *model, const struct transition *transition, uint32_t element) {
  for (size_t i = 0; i < transition->test_count; i++)
    if (tested(model, &transition->tests[i]) == element)
      return true;
  return false;
}

static void note_writer(struct choosing *c, const struct transition *transition, struct owner *owner) {
  for (size_t i = 0; i < 2; i++)
    if (!owner->written)
      owner->candidates[i] = i < transition->test_count ? tested(c->model, &transition->tests[i]) : NO_NUMBER;
    else if (owner->candidates[i] != NO_NUMBER && !tests(c->model, transition, owner->candidates[i]))
      owner->candidates[i] = NO_NUMBER;
  owner->written = true;
}

static void note_writes(struct choosing *c, const struct transition *transition, const struct statement *statements,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    note_writes(c, transition, statement->then, statement_inner_count(statement));
    if (statement->op != ST_ASSIGN || c->intervals->unfollowed[statement->id])
      continue;
    const struct variable *variable = &c->model->variables[statement->id];
    struct invariants_range at = intervals_reach(variable, statement->index);
    for (int64_t k = at.lo; k <= at.hi; k++)
      note_writer(c, transition, &c->owners[variable->first + k]);
  }
}

static void find_owners(struct choosing *c) {
  const struct model *model = c->model;
  for (size_t t = 0; t < model->transition_count; t++)
    note_writes(c, &model->transitions[t], model->transitions[t].statements, model->transitions[t].statement_count);
  for (uint32_t e = 0; e < model->value_count; e++)
    c->first[e] = NO_NUMBER;
  for (size_t v = model->variable_count; v-- > 0;) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t e = variable->first + variable->count; variable->kind == VARIABLE_GLOBAL && e-- > variable->first;) {
      const struct owner *owner = &c->owners[e];
      uint32_t of = owner->candidates[owner->candidates[0] == NO_NUMBER];
      if (!owner->written || of == NO_NUMBER)
        continue;
      c->next[e] = c->first[of];
      c->first[of] = e;
    }
  }
}

static bool varies(const struct choosing *c, size_t v) {
  const struct variable *variable = &c->model->variables[v];
  return variable->assigned && variable->lo < variable->hi && !c->intervals->unfollowed[v];
}

/* A selector in the making. */
struct members {
  uint32_t *items;
  size_t n, cap;
};

static void add_elements(struct choosing *c, struct members *members, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    *ARENA_PUSH(c->arena, members->items, members->n, members->cap) = first + i;
}

static void add_selector(struct choosing *c, const struct variable *variable, uint32_t element,
                         const struct members *members) {
  size_t cases = (size_t)(variable->hi - variable->lo) + 1, cells = cases * (members->n + 1);
  if (cells > MAX_CELLS - c->cells)
    return;
  size_t n = c->ranges->selector_count;
  uint32_t *of = (uint32_t *)c->ranges->selector_of;
  of[element] = c->ranges->selector_count;
  for (size_t i = 0; i < members->n; i++)
    of[members->items[i]] = c->ranges->selector_count;
  *ARENA_PUSH(c->arena, c->selectors, n, c->cap) = (struct ranges_selector){.element = element,
                                                                            .lo = variable->lo,
                                                                            .cases = (uint32_t)cases,
                                                                            .members = members->items,
                                                                            .member_count = (uint32_t)members->n};
  c->ranges->selector_count = (uint32_t)n;
  c->cells += cells;
}

static bool can_select(const struct choosing *c, uint32_t v) {
  return varies(c, v) && c->model->variables[v].hi - c->model->variables[v].lo < MAX_CASES;
}

static void add_process(struct choosing *c, uint32_t number) {
  const struct process *process = &c->model->processes[number];
  const struct variable *location = &c->model->variables[process->location_variable];
  for (uint32_t i = 0; i < process->instances && can_select(c, process->location_variable); i++) {
    struct members members = {0};
    for (size_t v = 0; v < c->model->variable_count; v++) {
      const struct variable *local = &c->model->variables[v];
      if (local->kind == VARIABLE_LOCAL && local->owner == number && varies(c, v))
        add_elements(c, &members, local->first + i * local->length, local->length);
    }
    for (uint32_t e = c->first[location->first + i]; e != NO_NUMBER; e = c->next[e])
      add_elements(c, &members, e, 1);
    add_selector(c, location, location->first + i, &members);
  }
}

static void add_channel(struct choosing *c, const struct channel *channel) {
  if (!channel->capacity || !can_select(c, channel->length_variable))
    return;
  const struct variable *length = &c->model->variables[channel->length_variable];
  for (uint32_t i = 0; i < length->count; i++) {
    struct members members = {0};
    for (size_t f = 0; f < channel->field_count; f++)
      if (varies(c, channel->field_variables[f]))
        add_elements(c, &members, c->model->variables[channel->field_variables[f]].first + i * channel->capacity,
                     channel->capacity);
    add_selector(c, length, length->first + i, &members);
  }
}

void selectors_choose(const struct intervals *intervals, struct ranges *ranges) {
  const struct model *model = intervals->model;
  struct arena *arena = intervals->arena;
  struct choosing c = {.intervals = intervals, .model = model, .arena = arena, .ranges = ranges};
  uint32_t *of = arena_array(arena, model->value_count, sizeof *of);
  for (uint32_t e = 0; e < model->value_count; e++)
    of[e] = NO_NUMBER;
  ranges->selector_of = of;
  c.owners = arena_array(arena, model->value_count, sizeof *c.owners);
  c.next = arena_array(arena, model->value_count, sizeof *c.next);
  c.first = arena_array(arena, model->value_count, sizeof *c.first);
  find_owners(&c);
  for (uint32_t p = 0; p < model->process_count; p++)
    add_process(&c, p);
  for (size_t i = 0; i < model->channel_count; i++)
    add_channel(&c, &model->channels[i]);
  ranges->selectors = c.selectors;
}
