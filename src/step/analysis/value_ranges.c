/* Rounds over the transitions, each fired from what is known so far, until nothing new comes; then the same once more
   from the result, which takes back what widening added: what every state and every step from it lie in holds all
   reachable states, and so does its image. */
#include "step/analysis/value_ranges.h"

#include "model/successor_bound.h"
#include "step/analysis/range_selectors.h"

#include <string.h>

#define MAX_WORK 6000000u /* expressions and statements looked at before everything grows at once */
#define MAX_GROWTH 16     /* steps of one bound before it goes to the declared one */
#define UNLIMITED UINT8_MAX
#define MAX_NARROWING 3
#define MAX_PINNED 128 /* cases of a firing by the values of what its indices read */

struct list {
  uint32_t *items;
  size_t n, cap;
  uint32_t *stamps; /* of what can be in it: number of the last transition in whose list it is, plus one */
};

/* What a transition reads and writes, whatever the state. */
struct footprint {
  const uint32_t *inputs;  /* elements on which its effects depend */
  const uint32_t *writes;  /* elements that belong to no selector */
  const uint32_t *touched; /* selectors: it writes them or their members */
  const uint32_t *pins;    /* slots by whose values it is split, as indices read them */
  size_t input_count, write_count, touched_count, pin_count;
  uint64_t fired_at; /* 0: not yet */
};

struct fixpoint {
  const struct model *model;
  struct arena *arena;
  struct intervals intervals;
  struct ranges from, to; /* read; written: the same while they grow */
  struct footprint *footprints;
  struct list inputs, writes, touched, pins, changed;
  const struct statement **lets; /* of the transition at hand, by temporary */
  uint32_t stamp;
  uint64_t now, *changed_at;         /* of elements */
  struct invariants_range *declared; /* of elements */
  uint8_t *growth, **case_growth;
  uint8_t most_growth;
  bool *fixed; /* of the touched selectors of a firing */
};

/* ---- footprints ------------------------------------------------------------------------------ */

static void list_add(struct fixpoint *f, struct list *list, uint32_t item) {
  if (list->stamps[item] == f->stamp)
    return;
  list->stamps[item] = f->stamp;
  *ARENA_PUSH(f->arena, list->items, list->n, list->cap) = item;
}

static const uint32_t *list_take(struct fixpoint *f, struct list *list, size_t *count) {
  uint32_t *items = arena_array(f->arena, list->n, sizeof *items);
  if (list->n)
    memcpy(items, list->items, list->n * sizeof *items);
  *count = list->n;
  list->n = 0;
  return items;
}

static void note_pins(struct fixpoint *f, const struct expr *e, uint32_t temps) {
  if (!e)
    return;
  if (e->op == EXPR_SELECT)
    list_add(f, &f->pins, intervals_select(&f->intervals, e->id));
  else if (e->op == EXPR_TEMP && e->id < temps && f->lets[e->id])
    note_pins(f, f->lets[e->id]->value, e->id);
  else if (e->op == EXPR_READ) {
    const struct variable *variable = &f->model->variables[e->id];
    struct invariants_range at = intervals_reach(variable, e->a);
    if (variable->assigned && range_is_point(at) && !f->intervals.unfollowed[e->id])
      list_add(f, &f->pins, variable->first + (uint32_t)at.lo);
  }
  note_pins(f, e->a, temps);
  note_pins(f, e->b, temps);
  note_pins(f, e->c, temps);
}

static void note_reads(struct fixpoint *f, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_READ) {
    const struct variable *variable = &f->model->variables[e->id];
    struct invariants_range at = intervals_reach(variable, e->a);
    for (int64_t i = at.lo; variable->assigned && !f->intervals.unfollowed[e->id] && i <= at.hi; i++)
      list_add(f, &f->inputs, variable->first + (uint32_t)i);
    if (e->a && e->a->op != EXPR_CONST)
      note_pins(f, e->a, MAX_TEMPS);
  } else if (e->op == EXPR_COMMITTED)
    note_reads(f, f->model->committed);
  note_reads(f, e->a);
  note_reads(f, e->b);
  note_reads(f, e->c);
}

static void note_selector(struct fixpoint *f, uint32_t selector) {
  const struct ranges_selector *s = &f->from.selectors[selector];
  list_add(f, &f->touched, selector);
  list_add(f, &f->inputs, s->element);
  for (uint32_t i = 0; i < s->member_count; i++)
    list_add(f, &f->inputs, s->members[i]);
}

static void note_write(struct fixpoint *f, const struct statement *statement) {
  const struct variable *variable = &f->model->variables[statement->id];
  struct invariants_range at = intervals_reach(variable, statement->index);
  if (f->intervals.unfollowed[statement->id])
    return;
  for (int64_t i = at.lo; i <= at.hi; i++) {
    uint32_t element = variable->first + (uint32_t)i, selector = f->from.selector_of[element];
    if (selector == NO_NUMBER)
      list_add(f, &f->writes, element);
    else
      note_selector(f, selector);
    if (!range_is_point(at)) /* what stays is as before */
      list_add(f, &f->inputs, element);
  }
  if (statement->index && statement->index->op != EXPR_CONST)
    note_pins(f, statement->index, MAX_TEMPS);
}

static void note_statements(struct fixpoint *f, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    if (statement->op == ST_LET)
      f->lets[statement->id] = statement;
    note_reads(f, statement->index);
    note_reads(f, statement->value);
    if (statement->op == ST_ASSIGN)
      note_write(f, statement);
    note_statements(f, statement->then, statement_inner_count(statement));
  }
}

static void note_transition(struct fixpoint *f, const struct transition *transition, struct footprint *footprint) {
  f->stamp++;
  memset(f->lets, 0, MAX_TEMPS * sizeof *f->lets);
  for (size_t i = 0; i < transition->test_count; i++)
    list_add(f, &f->inputs, f->model->variables[transition->tests[i].variable].first + transition->tests[i].element);
  for (size_t i = 0; i < transition->guard_count; i++)
    note_reads(f, transition->guards[i]);
  note_statements(f, transition->statements, transition->statement_count);
  footprint->inputs = list_take(f, &f->inputs, &footprint->input_count);
  footprint->writes = list_take(f, &f->writes, &footprint->write_count);
  footprint->touched = list_take(f, &f->touched, &footprint->touched_count);
  footprint->pins = list_take(f, &f->pins, &footprint->pin_count);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* A selector has one value: its members are in the ranges of that case. */
static bool selected(struct intervals *intervals, uint32_t slot) {
  const struct ranges *ranges = intervals->user;
  uint32_t selector = slot < intervals->model->value_count ? ranges->selector_of[slot] : NO_NUMBER;
  if (selector == NO_NUMBER || ranges->selectors[selector].element != slot)
    return true;
  const struct ranges_selector *s = &ranges->selectors[selector];
  const struct invariants_range *cells = ranges_case(ranges, selector, intervals->slots[slot].lo);
  bool possible = !range_is_empty(cells[0]);
  for (uint32_t i = 0; possible && i < s->member_count; i++)
    possible = intervals_narrow(intervals, s->members[i], cells[1 + i]);
  return possible;
}

void ranges_start(struct intervals *intervals, const struct ranges *ranges) {
  memcpy(intervals->slots, ranges->all, intervals->model->value_count * sizeof *intervals->slots);
  intervals->user = ranges;
  ranges_resume(intervals);
}

void ranges_resume(struct intervals *intervals) { intervals->settled = selected; }

bool ranges_guards(struct intervals *intervals, const struct transition *transition) {
  bool possible = true;
  for (size_t i = 0; i < transition->guard_count && possible; i++)
    possible = intervals_assume(intervals, transition->guards[i], true);
  return possible;
}

bool ranges_enter(struct intervals *intervals, const struct transition *transition) {
  bool possible = true;
  for (uint32_t i = 0; i < transition->select_count; i++)
    intervals_set(intervals, intervals_select(intervals, i),
                  (struct invariants_range){transition->selects[i].lo, transition->selects[i].hi});
  for (uint32_t i = 0; i < transition->temp_count; i++)
    intervals_set(intervals, intervals_temp(intervals, i), (struct invariants_range){0, 0});
  for (size_t i = 0; i < transition->test_count && possible; i++) {
    const struct location_test *test = &transition->tests[i];
    possible = intervals_narrow(intervals, intervals->model->variables[test->variable].first + test->element,
                                (struct invariants_range){test->location, test->location});
  }
  return possible && ranges_guards(intervals, transition);
}

bool ranges_run(struct intervals *intervals, const struct transition *transition) {
  intervals->settled = NULL; /* members are those of the state before */
  bool possible = intervals_run(intervals, transition->statements, transition->statement_count);
  ranges_resume(intervals);
  return possible;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* True: the cell has grown. */
static bool grow(struct fixpoint *f, struct invariants_range *cell, struct invariants_range more, uint32_t element,
                 uint8_t *growth) {
  if (range_within(more, *cell))
    return false;
  struct invariants_range joined = range_join(*cell, more);
  if (*growth >= f->most_growth && f->most_growth < UNLIMITED) {
    joined.lo = joined.lo < cell->lo ? f->declared[element].lo : joined.lo;
    joined.hi = joined.hi > cell->hi ? f->declared[element].hi : joined.hi;
  } else if (*growth < UNLIMITED)
    ++*growth;
  *cell = joined;
  return true;
}

static void element_changed(struct fixpoint *f, uint32_t element) {
  f->changed_at[element] = f->now;
  *ARENA_PUSH(f->arena, f->changed.items, f->changed.n, f->changed.cap) = element;
}

static void collect_element(struct fixpoint *f, uint32_t element, struct invariants_range range) {
  if (grow(f, &f->to.all[element], range, element, &f->growth[element]))
    element_changed(f, element);
}

static void collect_case(struct fixpoint *f, uint32_t selector, int64_t value) {
  const struct ranges_selector *s = &f->to.selectors[selector];
  struct invariants_range *cells = ranges_case(&f->to, selector, value);
  uint8_t *growth = f->case_growth[selector] + (cells - f->to.cases[selector]);
  if (range_is_empty(cells[0])) {
    cells[0] = (struct invariants_range){value, value};
    element_changed(f, s->element);
  }
  for (uint32_t i = 0; i < s->member_count; i++)
    if (grow(f, &cells[1 + i], f->intervals.slots[s->members[i]], s->members[i], &growth[1 + i])) {
      element_changed(f, s->members[i]);
      collect_element(f, s->members[i], cells[1 + i]);
    }
}

/* The selector and its members as the slots have them after a firing. */
static void collect_selector(struct fixpoint *f, uint32_t selector) {
  const struct invariants_range after = f->intervals.slots[f->to.selectors[selector].element];
  collect_element(f, f->to.selectors[selector].element, after);
  for (int64_t value = after.lo; value <= after.hi; value++)
    collect_case(f, selector, value);
}

/* ---- firings --------------------------------------------------------------------------------- */

/* What belongs to a selector that may have several values before the firing is found for each of them alone. */
static void fire_by_cases(struct fixpoint *f, const struct transition *transition, uint32_t selector) {
  const struct ranges_selector *s = &f->from.selectors[selector];
  struct invariants_range before = f->intervals.slots[s->element];
  for (int64_t value = before.lo; value <= before.hi; value++) {
    size_t mark = intervals_mark(&f->intervals);
    if (intervals_narrow(&f->intervals, s->element, (struct invariants_range){value, value}) &&
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
                      size_t pin, uint64_t pinned) {
  struct invariants_range range = {0, 0};
  uint64_t size = 1;
  if (f->intervals.work > f->intervals.limit)
    pin = footprint->pin_count;
  for (; pin < footprint->pin_count; pin++) {
    range = f->intervals.slots[footprint->pins[pin]];
    size = range_size(range);
    if (size > 1 && size <= MAX_PINNED / pinned)
      break;
  }
  if (pin == footprint->pin_count) {
    fire_pinned(f, transition, footprint);
    return;
  }
  for (int64_t value = range.lo; value <= range.hi; value++) {
    size_t mark = intervals_mark(&f->intervals);
    if (intervals_narrow(&f->intervals, footprint->pins[pin], (struct invariants_range){value, value}) &&
        ranges_guards(&f->intervals, transition))
      fire_from(f, transition, footprint, pin + 1, pinned * size);
    intervals_undo(&f->intervals, mark);
  }
}

static void fire(struct fixpoint *f, size_t number) {
  const struct transition *transition = &f->model->transitions[number];
  f->now++;
  f->footprints[number].fired_at = f->now;
  if (ranges_enter(&f->intervals, transition))
    fire_from(f, transition, &f->footprints[number], 0, 1);
  intervals_undo(&f->intervals, 0);
  for (size_t i = 0; i < f->changed.n && f->from.all == f->to.all; i++)
    f->intervals.slots[f->changed.items[i]] = f->to.all[f->changed.items[i]];
  f->changed.n = 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* What it read last is not what is known now. A change in its own firing counts. */
static bool is_due(const struct fixpoint *f, const struct footprint *footprint) {
  if (!footprint->fired_at)
    return true;
  for (size_t i = 0; i < footprint->input_count; i++)
    if (f->changed_at[footprint->inputs[i]] >= footprint->fired_at)
      return true;
  return false;
}

/* False: stopped, or it takes too long even so. */
static bool grow_all(struct fixpoint *f, const struct stop *stop) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t t = 0; t < f->model->transition_count; t++) {
      if (fires_never(&f->model->transitions[t]) || !is_due(f, &f->footprints[t]))
        continue;
      if (stop_requested(stop) || f->intervals.work > 2 * (uint64_t)MAX_WORK)
        return false;
      if (f->intervals.work > MAX_WORK / 2)
        f->most_growth = 0;
      fire(f, t);
      changed = true;
    }
  }
  return true;
}

/* Cells of the initial state alone. */
static void begin(struct fixpoint *f, struct ranges *ranges) {
  const struct model *model = f->model;
  struct invariants_range **cases = arena_array(f->arena, ranges->selector_count, sizeof *cases);
  ranges->all = arena_array(f->arena, model->value_count, sizeof *ranges->all);
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++) {
      const struct variable *variable = &model->variables[v];
      ranges->all[variable->first + i] = f->intervals.unfollowed[v]
                                             ? f->declared[variable->first + i]
                                             : (struct invariants_range){variable->init[i], variable->init[i]};
    }
  ranges->cases = cases;
  for (uint32_t k = 0; k < ranges->selector_count; k++) {
    const struct ranges_selector *s = &ranges->selectors[k];
    size_t cells = (size_t)s->cases * (s->member_count + 1);
    cases[k] = arena_array(f->arena, cells, sizeof **cases);
    for (size_t i = 0; i < cells; i++)
      cases[k][i] = (struct invariants_range){1, 0};
    struct invariants_range *first = ranges_case(ranges, k, ranges->all[s->element].lo);
    first[0] = ranges->all[s->element];
    for (uint32_t i = 0; i < s->member_count; i++)
      first[1 + i] = ranges->all[s->members[i]];
  }
}

static bool same_ranges(const struct fixpoint *f) {
  if (memcmp(f->from.all, f->to.all, f->model->value_count * sizeof *f->from.all) != 0)
    return false;
  for (uint32_t k = 0; k < f->from.selector_count; k++) {
    const struct ranges_selector *s = &f->from.selectors[k];
    if (memcmp(f->from.cases[k], f->to.cases[k], (size_t)s->cases * (s->member_count + 1) * sizeof **f->from.cases) !=
        0)
      return false;
  }
  return true;
}

/* One step from all that is known, and the initial state: never more than was known, as that was a fixpoint. */
static bool narrow_all(struct fixpoint *f, const struct stop *stop) {
  f->most_growth = UNLIMITED;
  for (int i = 0; i < MAX_NARROWING; i++) {
    begin(f, &f->to);
    ranges_start(&f->intervals, &f->from);
    for (size_t t = 0; t < f->model->transition_count; t++) {
      if (stop_requested(stop) || f->intervals.work > f->intervals.limit)
        return !stop_requested(stop);
      if (!fires_never(&f->model->transitions[t]))
        fire(f, t);
    }
    bool same = same_ranges(f);
    f->from = f->to;
    if (same)
      break;
  }
  return true;
}

static struct invariants_range range_of(const struct variable *variable, uint32_t element) {
  const struct value_range *own = variable->ranges ? &variable->ranges[element % variable->length] : NULL;
  return (struct invariants_range){own ? own->lo : variable->lo, own ? own->hi : variable->hi};
}

struct invariants_range *ranges_declared(const struct model *model, struct arena *arena) {
  struct invariants_range *declared = arena_array(arena, model->value_count, sizeof *declared);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t i = 0; i < variable->count; i++)
      declared[variable->first + i] =
          variable->assigned ? range_of(variable, i) : (struct invariants_range){variable->init[i], variable->init[i]};
  }
  return declared;
}

static void prepare(struct fixpoint *f) {
  const struct model *model = f->model;
  const size_t elements = model->value_count, slots = elements + MAX_TEMPS + MAX_SELECTS;
  intervals_init(&f->intervals, model, f->arena);
  f->intervals.limit = MAX_WORK;
  selectors_choose(&f->intervals, &f->from);
  f->lets = arena_array(f->arena, MAX_TEMPS, sizeof *f->lets);
  f->inputs.stamps = arena_array(f->arena, elements, sizeof *f->inputs.stamps);
  f->writes.stamps = arena_array(f->arena, elements, sizeof *f->writes.stamps);
  f->touched.stamps = arena_array(f->arena, f->from.selector_count, sizeof *f->touched.stamps);
  f->pins.stamps = arena_array(f->arena, slots, sizeof *f->pins.stamps);
  f->footprints = arena_array(f->arena, model->transition_count, sizeof *f->footprints);
  for (size_t t = 0; t < model->transition_count; t++)
    note_transition(f, &model->transitions[t], &f->footprints[t]);
  f->changed_at = arena_array(f->arena, elements, sizeof *f->changed_at);
  f->growth = arena_array(f->arena, elements, sizeof *f->growth);
  f->case_growth = arena_array(f->arena, f->from.selector_count, sizeof *f->case_growth);
  for (uint32_t k = 0; k < f->from.selector_count; k++)
    f->case_growth[k] =
        arena_array(f->arena, (size_t)f->from.selectors[k].cases * (f->from.selectors[k].member_count + 1), 1);
  f->fixed = arena_array(f->arena, f->from.selector_count, sizeof *f->fixed);
  f->most_growth = MAX_GROWTH;
}

/* Such models are refused (successor_bound), but perhaps later. */
static bool is_too_complex(const struct model *model) {
  for (size_t t = 0; t < model->transition_count; t++)
    if (model->transitions[t].select_count > MAX_SELECTS || model->transitions[t].temp_count > MAX_TEMPS)
      return true;
  return false;
}

/* Nothing is known, and nothing selects. */
static void forget_all(struct fixpoint *f) {
  uint32_t *of = arena_array(f->arena, f->model->value_count, sizeof *of);
  for (uint32_t e = 0; e < f->model->value_count; e++)
    of[e] = NO_NUMBER;
  f->from = (struct ranges){.all = f->declared, .selector_of = of};
}

const struct ranges *ranges_make(const struct model *model, const struct stop *stop, struct arena *arena) {
  struct fixpoint f = {.model = model, .arena = arena};
  struct ranges *result = arena_alloc(arena, sizeof *result);
  f.declared = ranges_declared(model, arena);
  bool done = !is_too_complex(model);
  if (done) {
    prepare(&f);
    begin(&f, &f.from);
    f.to = f.from;
    ranges_start(&f.intervals, &f.from);
    done = grow_all(&f, stop) && narrow_all(&f, stop);
  }
  if (!done)
    forget_all(&f);
  *result = f.from;
  result->unfollowed = f.intervals.unfollowed;
  result->known = done;
  return result;
}
