#include "step/analysis/range_selectors.h"

#define MAX_CASES 1024
#define MAX_CELLS ((size_t)1 << 20) /* over all selectors */

/* An element of a global variable belongs to the one location that all transitions writing it test. Two locations are
   kept, because a handshake tests two. */
struct selector_candidate {
  uint32_t tested_locations[2]; /* element numbers; NO_NUMBER: none */
  bool written;
};

struct selector_choice {
  const struct intervals *intervals;
  const struct model *model;
  struct arena *arena;
  struct ranges *ranges;
  struct selector_candidate *candidates; /* [element] */
  uint32_t *next, *first;                /* lists of the elements of one selector; NO_NUMBER ends them */
  struct range_selector *selectors;
  size_t cap, cells;
};

static uint32_t tested(const struct model *model, const struct location_test *test) {
  return model->variables[test->variable].first + test->element;
}

static bool tests_element(const struct model *model, const struct transition *transition, uint32_t element) {
  for (size_t i = 0; i < transition->test_count; i++)
    if (tested(model, &transition->tests[i]) == element)
      return true;
  return false;
}

static void narrow_candidates(struct selector_choice *c, const struct transition *transition,
                              struct selector_candidate *selector_candidate) {
  for (size_t i = 0; i < 2; i++)
    if (!selector_candidate->written)
      selector_candidate->tested_locations[i] =
          i < transition->test_count ? tested(c->model, &transition->tests[i]) : NO_NUMBER;
    else if (selector_candidate->tested_locations[i] != NO_NUMBER &&
             !tests_element(c->model, transition, selector_candidate->tested_locations[i]))
      selector_candidate->tested_locations[i] = NO_NUMBER;
  selector_candidate->written = true;
}

static void note_writes(struct selector_choice *c, const struct transition *transition,
                        const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    note_writes(c, transition, statement->then, statement_inner_count(statement));
    if (statement->op != ST_ASSIGN || c->intervals->untracked[statement->id])
      continue;
    const struct variable *variable = &c->model->variables[statement->id];
    struct value_interval at = intervals_reach(variable, statement->index);
    for (int64_t k = at.lo; k <= at.hi; k++)
      narrow_candidates(c, transition, &c->candidates[variable->first + k]);
  }
}

static void find_owners(struct selector_choice *c) {
  const struct model *model = c->model;
  for (size_t t = 0; t < model->transition_count; t++)
    note_writes(c, &model->transitions[t], model->transitions[t].statements, model->transitions[t].statement_count);
  for (uint32_t e = 0; e < model->value_count; e++)
    c->first[e] = NO_NUMBER;
  for (size_t v = model->variable_count; v-- > 0;) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t e = variable->first + variable->count; variable->kind == VARIABLE_GLOBAL && e-- > variable->first;) {
      const struct selector_candidate *selector_candidate = &c->candidates[e];
      uint32_t of = selector_candidate->tested_locations[selector_candidate->tested_locations[0] == NO_NUMBER];
      if (!selector_candidate->written || of == NO_NUMBER)
        continue;
      c->next[e] = c->first[of];
      c->first[of] = e;
    }
  }
}

static bool varies(const struct selector_choice *c, size_t v) {
  const struct variable *variable = &c->model->variables[v];
  return variable->assigned && variable->lo < variable->hi && !c->intervals->untracked[v];
}

/* Elements of a selector under construction. */
struct element_list {
  uint32_t *items;
  size_t n, cap;
};

static void add_elements(struct selector_choice *c, struct element_list *list, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    *ARENA_PUSH(c->arena, list->items, list->n, list->cap) = first + i;
}

static void add_selector(struct selector_choice *c, const struct variable *variable, uint32_t element,
                         const struct element_list *list) {
  size_t cases = (size_t)(variable->hi - variable->lo) + 1, cells = cases * (list->n + 1);
  if (cells > MAX_CELLS - c->cells)
    return;
  size_t n = c->ranges->selector_count;
  uint32_t *of = (uint32_t *)c->ranges->selector_of;
  of[element] = c->ranges->selector_count;
  for (size_t i = 0; i < list->n; i++)
    of[list->items[i]] = c->ranges->selector_count;
  *ARENA_PUSH(c->arena, c->selectors, n, c->cap) = (struct range_selector){.element = element,
                                                                           .lo = variable->lo,
                                                                           .cases = (uint32_t)cases,
                                                                           .elements = list->items,
                                                                           .element_count = (uint32_t)list->n};
  c->ranges->selector_count = (uint32_t)n;
  c->cells += cells;
}

static bool can_select(const struct selector_choice *c, uint32_t v) {
  return varies(c, v) && c->model->variables[v].hi - c->model->variables[v].lo < MAX_CASES;
}

static void add_location_selectors(struct selector_choice *c, uint32_t number) {
  const struct process *process = &c->model->processes[number];
  const struct variable *location = &c->model->variables[process->location_variable];
  for (uint32_t i = 0; i < process->instances && can_select(c, process->location_variable); i++) {
    struct element_list list = {0};
    for (size_t v = 0; v < c->model->variable_count; v++) {
      const struct variable *local = &c->model->variables[v];
      if (local->kind == VARIABLE_LOCAL && local->owner == number && varies(c, v))
        add_elements(c, &list, local->first + i * local->length, local->length);
    }
    for (uint32_t e = c->first[location->first + i]; e != NO_NUMBER; e = c->next[e])
      add_elements(c, &list, e, 1);
    add_selector(c, location, location->first + i, &list);
  }
}

static void add_length_selectors(struct selector_choice *c, const struct channel *channel) {
  if (!channel->capacity || !can_select(c, channel->length_variable))
    return;
  const struct variable *length = &c->model->variables[channel->length_variable];
  for (uint32_t i = 0; i < length->count; i++) {
    struct element_list list = {0};
    for (size_t f = 0; f < channel->field_count; f++)
      if (varies(c, channel->field_variables[f]))
        add_elements(c, &list, c->model->variables[channel->field_variables[f]].first + i * channel->capacity,
                     channel->capacity);
    add_selector(c, length, length->first + i, &list);
  }
}

void selectors_choose(const struct intervals *intervals, struct ranges *ranges) {
  const struct model *model = intervals->model;
  struct arena *arena = intervals->arena;
  struct selector_choice c = {.intervals = intervals, .model = model, .arena = arena, .ranges = ranges};
  uint32_t *of = arena_array(arena, model->value_count, sizeof *of);
  for (uint32_t e = 0; e < model->value_count; e++)
    of[e] = NO_NUMBER;
  ranges->selector_of = of;
  c.candidates = arena_array(arena, model->value_count, sizeof *c.candidates);
  c.next = arena_array(arena, model->value_count, sizeof *c.next);
  c.first = arena_array(arena, model->value_count, sizeof *c.first);
  find_owners(&c);
  for (uint32_t p = 0; p < model->process_count; p++)
    add_location_selectors(&c, p);
  for (size_t i = 0; i < model->channel_count; i++)
    add_length_selectors(&c, &model->channels[i]);
  ranges->selectors = c.selectors;
}
