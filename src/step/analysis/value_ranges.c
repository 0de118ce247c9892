/* Fixpoint iteration: fire each transition from the ranges found so far until nothing changes. Then apply the same step
   again to the result, which undoes part of the widening: if ranges contain all reachable states, so does their
   image. */
#include "step/analysis/value_ranges.h"

#include "model/transitions/successor_bound.h"
#include "step/analysis/range_selectors.h"

#include <string.h>

#define MAX_GROWTH 16 /* growth steps of a bound before it is widened to the declared one */
#define UNLIMITED UINT8_MAX
#define MAX_NARROWING 3
#define MAX_PINNED 128 /* cases of a firing, split by values that its indices read */

struct item_list {
  uint32_t *items;
  size_t n, cap;
  uint32_t *stamps; /* [item] number of the last transition whose list contains it, plus one */
};

/* Elements that a transition reads and writes in any state. */
struct footprint {
  const uint32_t *inputs;      /* elements on which its effects depend */
  const uint32_t *writes;      /* written elements that belong to no selector */
  const uint32_t *touched;     /* selectors that are written, or an element of theirs */
  const uint32_t *split_slots; /* slots read by indices: the firing is split by their values */
  size_t input_count, write_count, touched_count, pin_count;
  uint64_t fired_at; /* 0: never */
};

struct fixpoint {
  const struct model *model;
  struct arena *arena;
  struct intervals intervals;
  struct ranges from, to; /* read and written ranges; the same object while they grow */
  struct footprint *footprints;
  struct item_list inputs, writes, touched, split_slots, changed;
  const struct statement **lets; /* [temporary] LET of the current transition */
  uint32_t stamp;
  uint64_t time, *changed_at;      /* [element] */
  struct value_interval *declared; /* of elements */
  uint8_t *growth, **case_growth;
  uint8_t max_growth;
  bool *fixed; /* [touched selector] has one value before the firing */
};

/* ---- footprints ------------------------------------------------------------------------------ */

static void item_list_add(struct fixpoint *f, struct item_list *item_list, uint32_t item) {
  if (item_list->stamps[item] == f->stamp)
    return;
  item_list->stamps[item] = f->stamp;
  *ARENA_PUSH(f->arena, item_list->items, item_list->n, item_list->cap) = item;
}

static const uint32_t *item_list_take(struct fixpoint *f, struct item_list *item_list, size_t *count) {
  uint32_t *items = arena_array(f->arena, item_list->n, sizeof *items);
  if (item_list->n)
    memcpy(items, item_list->items, item_list->n * sizeof *items);
  *count = item_list->n;
  item_list->n = 0;
  return items;
}

static void note_pins(struct fixpoint *f, const struct expr *e, uint32_t temps) {
  if (!e)
    return;
  if (e->op == EXPR_SELECT)
    item_list_add(f, &f->split_slots, intervals_select(&f->intervals, e->id));
  else if (e->op == EXPR_TEMP && e->id < temps && f->lets[e->id])
    note_pins(f, f->lets[e->id]->value, e->id);
  else if (e->op == EXPR_READ) {
    const struct variable *variable = &f->model->variables[e->id];
    struct value_interval at = intervals_reach(variable, e->a);
    if (variable->assigned && range_is_point(at) && !f->intervals.untracked[e->id])
      item_list_add(f, &f->split_slots, variable->first + (uint32_t)at.lo);
  }
  note_pins(f, e->a, temps);
  note_pins(f, e->b, temps);
  note_pins(f, e->c, temps);
}

static void note_inputs(struct fixpoint *f, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_READ) {
    const struct variable *variable = &f->model->variables[e->id];
    struct value_interval at = intervals_reach(variable, e->a);
    for (int64_t i = at.lo; variable->assigned && !f->intervals.untracked[e->id] && i <= at.hi; i++)
      item_list_add(f, &f->inputs, variable->first + (uint32_t)i);
    if (e->a && e->a->op != EXPR_CONST)
      note_pins(f, e->a, MAX_TEMPS);
  } else if (e->op == EXPR_COMMITTED)
    note_inputs(f, f->model->committed);
  note_inputs(f, e->a);
  note_inputs(f, e->b);
  note_inputs(f, e->c);
}

static void note_selector(struct fixpoint *f, uint32_t selector) {
  const struct range_selector *s = &f->from.selectors[selector];
  item_list_add(f, &f->touched, selector);
  item_list_add(f, &f->inputs, s->element);
  for (uint32_t i = 0; i < s->element_count; i++)
    item_list_add(f, &f->inputs, s->elements[i]);
}

static void note_target(struct fixpoint *f, const struct statement *statement) {
  const struct variable *variable = &f->model->variables[statement->id];
  struct value_interval at = intervals_reach(variable, statement->index);
  if (f->intervals.untracked[statement->id])
    return;
  for (int64_t i = at.lo; i <= at.hi; i++) {
    uint32_t element = variable->first + (uint32_t)i, selector = f->from.selector_of[element];
    if (selector == NO_NUMBER)
      item_list_add(f, &f->writes, element);
    else
      note_selector(f, selector);
    if (!range_is_point(at)) /* elements not written keep their values */
      item_list_add(f, &f->inputs, element);
  }
  if (statement->index && statement->index->op != EXPR_CONST)
    note_pins(f, statement->index, MAX_TEMPS);
}

static void note_statements(struct fixpoint *f, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    if (statement->op == ST_LET)
      f->lets[statement->id] = statement;
    note_inputs(f, statement->index);
    note_inputs(f, statement->value);
    if (statement->op == ST_ASSIGN)
      note_target(f, statement);
    note_statements(f, statement->then, statement_inner_count(statement));
  }
}

static void note_transition(struct fixpoint *f, const struct transition *transition, struct footprint *footprint) {
  f->stamp++;
  memset(f->lets, 0, transition->temp_count * sizeof *f->lets);
  for (size_t i = 0; i < transition->test_count; i++)
    item_list_add(f, &f->inputs,
                  f->model->variables[transition->tests[i].variable].first + transition->tests[i].element);
  for (size_t i = 0; i < transition->guard_count; i++)
    note_inputs(f, transition->guards[i]);
  for (size_t i = 0; i < transition->implied_count; i++)
    note_inputs(f, transition->implied[i]);
  note_statements(f, transition->statements, transition->statement_count);
  footprint->inputs = item_list_take(f, &f->inputs, &footprint->input_count);
  footprint->writes = item_list_take(f, &f->writes, &footprint->write_count);
  footprint->touched = item_list_take(f, &f->touched, &footprint->touched_count);
  footprint->split_slots = item_list_take(f, &f->split_slots, &footprint->pin_count);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* If the slot is a selector with one value, narrows its elements to the ranges of that case. */
static bool apply_selector(struct intervals *intervals, uint32_t slot) {
  const struct ranges *ranges = intervals->user;
  uint32_t selector = slot < intervals->model->value_count ? ranges->selector_of[slot] : NO_NUMBER;
  if (selector == NO_NUMBER || ranges->selectors[selector].element != slot)
    return true;
  const struct range_selector *s = &ranges->selectors[selector];
  const struct value_interval *cells = ranges_case(ranges, selector, intervals->slots[slot].lo);
  bool possible = !range_is_empty(cells[0]);
  for (uint32_t i = 0; possible && i < s->element_count; i++)
    possible = intervals_narrow(intervals, s->elements[i], cells[1 + i]);
  return possible;
}

void ranges_start(struct intervals *intervals, const struct ranges *ranges) {
  memcpy(intervals->slots, ranges->all, intervals->model->value_count * sizeof *intervals->slots);
  intervals->user = ranges;
  ranges_resume(intervals);
}

void ranges_resume(struct intervals *intervals) { intervals->on_point = apply_selector; }

bool ranges_guards(struct intervals *intervals, const struct transition *transition) {
  bool possible = true;
  for (size_t i = 0; i < transition->guard_count && possible; i++)
    possible = intervals_assume(intervals, transition->guards[i], true);
  for (size_t i = 0; i < transition->implied_count && possible; i++)
    possible = intervals_assume(intervals, transition->implied[i], true);
  return possible;
}

bool ranges_enter(struct intervals *intervals, const struct transition *transition) {
  bool possible = true;
  for (uint32_t i = 0; i < transition->select_count; i++)
    intervals_set(intervals, intervals_select(intervals, i),
                  (struct value_interval){transition->selects[i].lo, transition->selects[i].hi});
  for (uint32_t i = 0; i < transition->temp_count; i++)
    intervals_set(intervals, intervals_temp(intervals, i), (struct value_interval){0, 0});
  for (size_t i = 0; i < transition->test_count && possible; i++) {
    const struct location_test *test = &transition->tests[i];
    possible = intervals_narrow(intervals, intervals->model->variables[test->variable].first + test->element,
                                (struct value_interval){test->location, test->location});
  }
  return possible && ranges_guards(intervals, transition);
}

bool ranges_run(struct intervals *intervals, const struct transition *transition) {
  intervals->on_point = NULL; /* slots no longer describe the state before the firing */
  bool possible = intervals_run(intervals, transition->statements, transition->statement_count);
  ranges_resume(intervals);
  return possible;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Joins `more` into the cell; true: the cell grew. */
static bool grow_range(struct fixpoint *f, struct value_interval *cell, struct value_interval more, uint32_t element,
                       uint8_t *growth) {
  if (range_within(more, *cell))
    return false;
  struct value_interval joined = range_join(*cell, more);
  if (*growth >= f->max_growth && f->max_growth < UNLIMITED) {
    joined.lo = joined.lo < cell->lo ? f->declared[element].lo : joined.lo;
    joined.hi = joined.hi > cell->hi ? f->declared[element].hi : joined.hi;
  } else if (*growth < UNLIMITED)
    ++*growth;
  *cell = joined;
  return true;
}

static void element_changed(struct fixpoint *f, uint32_t element) {
  f->changed_at[element] = f->time;
  *ARENA_PUSH(f->arena, f->changed.items, f->changed.n, f->changed.cap) = element;
}

static void collect_element(struct fixpoint *f, uint32_t element, struct value_interval range) {
  if (grow_range(f, &f->to.all[element], range, element, &f->growth[element]))
    element_changed(f, element);
}

static void collect_case(struct fixpoint *f, uint32_t selector, int64_t value) {
  const struct range_selector *s = &f->to.selectors[selector];
  struct value_interval *cells = ranges_case(&f->to, selector, value);
  uint8_t *growth = f->case_growth[selector] + (cells - f->to.cases[selector]);
  if (range_is_empty(cells[0])) {
    cells[0] = (struct value_interval){value, value};
    element_changed(f, s->element);
  }
  for (uint32_t i = 0; i < s->element_count; i++)
    if (grow_range(f, &cells[1 + i], f->intervals.slots[s->elements[i]], s->elements[i], &growth[1 + i])) {
      element_changed(f, s->elements[i]);
      collect_element(f, s->elements[i], cells[1 + i]);
    }
}

/* Adds the ranges of the selector and its elements after a firing. */
static void collect_selector(struct fixpoint *f, uint32_t selector) {
  const struct value_interval after = f->intervals.slots[f->to.selectors[selector].element];
  collect_element(f, f->to.selectors[selector].element, after);
  for (int64_t value = after.lo; value <= after.hi; value++)
    collect_case(f, selector, value);
}

/* ---- firings --------------------------------------------------------------------------------- */

/* For a selector with several values before the firing, fires from each value separately. */
static void fire_by_cases(struct fixpoint *f, const struct transition *transition, uint32_t selector) {
  const struct range_selector *s = &f->from.selectors[selector];
  struct value_interval before = f->intervals.slots[s->element];
  for (int64_t value = before.lo; value <= before.hi; value++) {
    size_t mark = intervals_mark(&f->intervals);
    if (intervals_narrow(&f->intervals, s->element, (struct value_interval){value, value}) &&
        ranges_guards(&f->intervals, transition) && ranges_run(&f->intervals, transition))
      collect_selector(f, selector);
    intervals_undo(&f->intervals, mark);
  }
}

static void fire_pinned(struct fixpoint *f, const struct transition *transition, const struct footprint *footprint) {
  bool together = footprint->write_count > 0;
  for (size_t i = 0; i < footprint->touched_count; i++) {
    f->fixed[i] = range_is_point(f->intervals.slots[f->from.selectors[footprint->touched[i]].element]);
    together = together || f->fixed[i];
  }
  size_t mark = intervals_mark(&f->intervals);
  if (together && !ranges_run(&f->intervals, transition)) {
    intervals_undo(&f->intervals, mark);
    return;
  }
  for (size_t i = 0; together && i < footprint->write_count; i++)
    collect_element(f, footprint->writes[i], f->intervals.slots[footprint->writes[i]]);
  for (size_t i = 0; together && i < footprint->touched_count; i++)
    if (f->fixed[i])
      collect_selector(f, footprint->touched[i]);
  intervals_undo(&f->intervals, mark);
  for (size_t i = 0; i < footprint->touched_count; i++)
    if (!f->fixed[i])
      fire_by_cases(f, transition, footprint->touched[i]);
}

static void fire_from(struct fixpoint *f, const struct transition *transition, const struct footprint *footprint,
                      size_t split_slot, uint64_t cases) {
  struct value_interval range = {0, 0};
  uint64_t size = 1;
  if (f->intervals.work > f->intervals.limit)
    split_slot = footprint->pin_count;
  for (; split_slot < footprint->pin_count; split_slot++) {
    range = f->intervals.slots[footprint->split_slots[split_slot]];
    size = range_size(range);
    if (size > 1 && size <= MAX_PINNED / cases)
      break;
  }
  if (split_slot == footprint->pin_count) {
    fire_pinned(f, transition, footprint);
    return;
  }
  for (int64_t value = range.lo; value <= range.hi; value++) {
    size_t mark = intervals_mark(&f->intervals);
    if (intervals_narrow(&f->intervals, footprint->split_slots[split_slot], (struct value_interval){value, value}) &&
        ranges_guards(&f->intervals, transition))
      fire_from(f, transition, footprint, split_slot + 1, cases * size);
    intervals_undo(&f->intervals, mark);
  }
}

static void fire_transition(struct fixpoint *f, size_t number) {
  const struct transition *transition = &f->model->transitions[number];
  f->time++;
  f->footprints[number].fired_at = f->time;
  if (ranges_enter(&f->intervals, transition))
    fire_from(f, transition, &f->footprints[number], 0, 1);
  intervals_undo(&f->intervals, 0);
  for (size_t i = 0; i < f->changed.n && f->from.all == f->to.all; i++)
    f->intervals.slots[f->changed.items[i]] = f->to.all[f->changed.items[i]];
  f->changed.n = 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* An input changed since the last firing; changes by that firing count. */
static bool needs_firing(const struct fixpoint *f, const struct footprint *footprint) {
  if (!footprint->fired_at)
    return true;
  for (size_t i = 0; i < footprint->input_count; i++)
    if (f->changed_at[footprint->inputs[i]] >= footprint->fired_at)
      return true;
  return false;
}

/* False: stopped, or too much work even with widening. */
static bool grow_all(struct fixpoint *f, const struct stop *stop) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t t = 0; t < f->model->transition_count; t++) {
      if (never_fires(&f->model->transitions[t]) || !needs_firing(f, &f->footprints[t]))
        continue;
      if (stop_requested(stop) || f->intervals.work > 2 * f->intervals.limit)
        return false;
      if (f->intervals.work > f->intervals.limit / 2)
        f->max_growth = 0;
      fire_transition(f, t);
      changed = true;
    }
  }
  return true;
}

/* Ranges of the initial state alone. */
static void start_from_initial(struct fixpoint *f, struct ranges *ranges) {
  const struct model *model = f->model;
  struct value_interval **cases = arena_array(f->arena, ranges->selector_count, sizeof *cases);
  ranges->all = arena_array(f->arena, model->value_count, sizeof *ranges->all);
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++) {
      const struct variable *variable = &model->variables[v];
      ranges->all[variable->first + i] = f->intervals.untracked[v]
                                             ? f->declared[variable->first + i]
                                             : (struct value_interval){variable->init[i], variable->init[i]};
    }
  ranges->cases = cases;
  for (uint32_t k = 0; k < ranges->selector_count; k++) {
    const struct range_selector *s = &ranges->selectors[k];
    size_t cells = (size_t)s->cases * (s->element_count + 1);
    cases[k] = arena_array(f->arena, cells, sizeof **cases);
    for (size_t i = 0; i < cells; i++)
      cases[k][i] = (struct value_interval){1, 0};
    struct value_interval *first = ranges_case(ranges, k, ranges->all[s->element].lo);
    first[0] = ranges->all[s->element];
    for (uint32_t i = 0; i < s->element_count; i++)
      first[1 + i] = ranges->all[s->elements[i]];
  }
}

static bool same_ranges(const struct fixpoint *f) {
  if (memcmp(f->from.all, f->to.all, f->model->value_count * sizeof *f->from.all) != 0)
    return false;
  for (uint32_t k = 0; k < f->from.selector_count; k++) {
    const struct range_selector *s = &f->from.selectors[k];
    if (memcmp(f->from.cases[k], f->to.cases[k], (size_t)s->cases * (s->element_count + 1) * sizeof **f->from.cases) !=
        0)
      return false;
  }
  return true;
}

/* Narrowing: one step from the fixpoint, joined with the initial state. The result is never larger than the
   fixpoint. */
static bool narrow_all(struct fixpoint *f, const struct stop *stop) {
  f->max_growth = UNLIMITED;
  for (int i = 0; i < MAX_NARROWING; i++) {
    start_from_initial(f, &f->to);
    ranges_start(&f->intervals, &f->from);
    for (size_t t = 0; t < f->model->transition_count; t++) {
      if (stop_requested(stop) || f->intervals.work > f->intervals.limit)
        return !stop_requested(stop);
      if (!never_fires(&f->model->transitions[t]))
        fire_transition(f, t);
    }
    bool same = same_ranges(f);
    f->from = f->to;
    if (same)
      break;
  }
  return true;
}

static struct value_interval declared_range(const struct variable *variable, uint32_t element) {
  const struct value_range *own = variable->ranges ? &variable->ranges[element % variable->length] : NULL;
  return (struct value_interval){own ? own->lo : variable->lo, own ? own->hi : variable->hi};
}

struct value_interval *ranges_declared(const struct model *model, struct arena *arena) {
  struct value_interval *declared = arena_array(arena, model->value_count, sizeof *declared);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t i = 0; i < variable->count; i++)
      declared[variable->first + i] = variable->assigned
                                          ? declared_range(variable, i)
                                          : (struct value_interval){variable->init[i], variable->init[i]};
  }
  return declared;
}

static void fixpoint_init(struct fixpoint *f, uint64_t work) {
  const struct model *model = f->model;
  const size_t elements = model->value_count, slots = elements + MAX_TEMPS + MAX_SELECTS;
  intervals_init(&f->intervals, model, f->arena);
  f->intervals.limit = work;
  selectors_choose(&f->intervals, &f->from);
  f->lets = arena_array(f->arena, MAX_TEMPS, sizeof *f->lets);
  f->inputs.stamps = arena_array(f->arena, elements, sizeof *f->inputs.stamps);
  f->writes.stamps = arena_array(f->arena, elements, sizeof *f->writes.stamps);
  f->touched.stamps = arena_array(f->arena, f->from.selector_count, sizeof *f->touched.stamps);
  f->split_slots.stamps = arena_array(f->arena, slots, sizeof *f->split_slots.stamps);
  f->footprints = arena_array(f->arena, model->transition_count, sizeof *f->footprints);
  for (size_t t = 0; t < model->transition_count; t++)
    note_transition(f, &model->transitions[t], &f->footprints[t]);
  f->changed_at = arena_array(f->arena, elements, sizeof *f->changed_at);
  f->growth = arena_array(f->arena, elements, sizeof *f->growth);
  f->case_growth = arena_array(f->arena, f->from.selector_count, sizeof *f->case_growth);
  for (uint32_t k = 0; k < f->from.selector_count; k++)
    f->case_growth[k] =
        arena_array(f->arena, (size_t)f->from.selectors[k].cases * (f->from.selectors[k].element_count + 1), 1);
  f->fixed = arena_array(f->arena, f->from.selector_count, sizeof *f->fixed);
  f->max_growth = MAX_GROWTH;
}

/* Models that successor_bound rejects, perhaps later. */
static bool is_too_complex(const struct model *model) {
  for (size_t t = 0; t < model->transition_count; t++)
    if (model->transitions[t].select_count > MAX_SELECTS || model->transitions[t].temp_count > MAX_TEMPS)
      return true;
  return false;
}

/* Result without analysis: declared ranges and no selectors. */
static void use_declared_ranges(struct fixpoint *f) {
  uint32_t *of = arena_array(f->arena, f->model->value_count, sizeof *of);
  for (uint32_t e = 0; e < f->model->value_count; e++)
    of[e] = NO_NUMBER;
  f->from = (struct ranges){.all = f->declared, .selector_of = of};
}

const struct ranges *ranges_make(const struct model *model, uint64_t work, const struct stop *stop,
                                 struct arena *arena) {
  struct fixpoint f = {.model = model, .arena = arena};
  struct ranges *result = arena_alloc(arena, sizeof *result);
  f.declared = ranges_declared(model, arena);
  bool done = !is_too_complex(model);
  if (done) {
    fixpoint_init(&f, work);
    start_from_initial(&f, &f.from);
    f.to = f.from;
    ranges_start(&f.intervals, &f.from);
    done = grow_all(&f, stop) && narrow_all(&f, stop);
  }
  if (!done)
    use_declared_ranges(&f);
  *result = f.from;
  result->untracked = f.intervals.untracked;
  result->known = done;
  return result;
}
