#include "step/analysis/element_changes.h"

#include "model/transitions/successor_bound.h"
#include "step/analysis/random_walk.h"

#include <string.h>

__extension__ typedef __int128 int128; /* holds sums of products of 64-bit numbers */

#define MAX_VALUES 16       /* values of a slot by which firings are split */
#define MAX_SPLIT 256       /* cases of one firing */
#define MAX_CASES 100000    /* of all firings */
#define MAX_CHANGES 1000000 /* in all */
#define MAX_WORK 4000000    /* expressions and statements evaluated */

/* Value of a slot in terms of the state before the firing: an element's value (NO_NUMBER: 0) plus an offset. */
struct symbol {
  uint32_t base;
  int64_t offset;
  bool known;
};

struct pins {
  uint32_t *items;
  size_t n, cap;
  uint32_t *stamps, stamp;
};

/* List of the constraints that contain an element. */
struct constraint_use {
  uint32_t constraint;
  const struct constraint_use *next;
};

/* Changes found so far; ends[i]: end of the changes of firing i in items. */
struct change_list {
  struct element_change *items;
  size_t *ends;
  size_t change_count, change_cap, end_count, end_cap;
};

static void add_change(struct arena *arena, struct change_list *list, struct element_change change) {
  *ARENA_PUSH(arena, list->items, list->change_count, list->change_cap) = change;
}

/* `first`: number of changes before the firing. A firing without changes is left out. */
static void end_firing(struct arena *arena, struct change_list *list, size_t first) {
  if (list->change_count > first)
    *ARENA_PUSH(arena, list->ends, list->end_count, list->end_cap) = list->change_count;
}

struct change_collector {
  const struct model *model;
  const struct ranges *ranges;
  struct arena *arena;
  struct intervals intervals;
  struct symbol *symbols; /* [slot] */
  struct pins pins, written;
  const struct linear_constraint *constraints;
  const struct constraint_use **uses; /* [element] */
  struct pins relevant;               /* constraints that apply to the current transition */
  struct value_interval *before;      /* [element] range before the firing, of written elements */
  struct change_list list;
  size_t cases;
  size_t index_pins;   /* number of pins that indices read; they come first */
  uint64_t split;      /* product of the numbers of values by which the current firing is split */
  uint32_t split_slot; /* see find_split_slot */
  bool split_reads, possible;
  bool *tracked, *tracked_by_value, too_much;
};

static const struct symbol unknown = {NO_NUMBER, 0, false};

/* ---- symbols --------------------------------------------------------------------------------- */

static struct symbol symbol_of(struct change_collector *c, const struct expr *e);

static struct symbol shifted(struct symbol symbol, int64_t by, bool negative) {
  bool wrong = negative ? __builtin_sub_overflow(symbol.offset, by, &symbol.offset)
                        : __builtin_add_overflow(symbol.offset, by, &symbol.offset);
  return wrong ? unknown : symbol;
}

static struct symbol symbol_of_sum(struct change_collector *c, const struct expr *e) {
  struct symbol a = symbol_of(c, e->a), b = symbol_of(c, e->b);
  if (!a.known || !b.known)
    return unknown;
  if (b.base == NO_NUMBER)
    return shifted(a, b.offset, e->op == EXPR_SUB);
  return a.base == NO_NUMBER && e->op == EXPR_ADD ? shifted(b, a.offset, false) : unknown;
}

static struct symbol symbol_of_choice(struct change_collector *c, const struct expr *e) {
  struct value_interval which = intervals_eval(&c->intervals, e->a);
  if (which.lo > 0 || which.hi < 0)
    return symbol_of(c, e->b);
  return which.lo == 0 && which.hi == 0 ? symbol_of(c, e->c) : unknown;
}

static struct symbol symbol_of_read(struct change_collector *c, const struct expr *e) {
  const struct variable *variable = &c->model->variables[e->id];
  struct value_interval at = e->a ? intervals_eval(&c->intervals, e->a) : (struct value_interval){0, 0};
  if (!range_is_point(at) || at.lo < 0 || at.lo >= variable->count || c->intervals.untracked[e->id])
    return unknown;
  return c->symbols[variable->first + at.lo];
}

static struct symbol symbol_of(struct change_collector *c, const struct expr *e) {
  struct value_interval range = intervals_eval(&c->intervals, e);
  if (range_is_point(range))
    return (struct symbol){NO_NUMBER, range.lo, true};
  switch (e->op) {
  case EXPR_READ:
    return symbol_of_read(c, e);
  case EXPR_TEMP:
    return c->symbols[intervals_temp(&c->intervals, e->id)];
  case EXPR_ADD:
  case EXPR_SUB:
    return symbol_of_sum(c, e);
  case EXPR_COND:
    return symbol_of_choice(c, e);
  default:
    return unknown;
  }
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Marks everything that the statements may write as unknown. */
static void forget_written(struct change_collector *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    forget_written(c, statement->then, statement_inner_count(statement));
    if (statement->op == ST_LET)
      c->symbols[intervals_temp(&c->intervals, statement->id)] = unknown;
    else if (statement->op == ST_ASSIGN && !c->intervals.untracked[statement->id]) {
      const struct variable *variable = &c->model->variables[statement->id];
      struct value_interval at = intervals_reach(variable, statement->index);
      for (int64_t k = at.lo; k <= at.hi; k++)
        c->symbols[variable->first + k] = unknown;
    }
  }
}

static bool follow_statements(struct change_collector *c, const struct statement *statements, size_t count);

static bool follow_assignment(struct change_collector *c, const struct statement *statement) {
  const struct variable *variable = &c->model->variables[statement->id];
  struct value_interval at =
      statement->index ? intervals_eval(&c->intervals, statement->index) : (struct value_interval){0, 0};
  struct symbol symbol = symbol_of(c, statement->value);
  if (!intervals_run(&c->intervals, statement, 1))
    return false;
  if (!range_is_point(at))
    forget_written(c, statement, 1);
  else if (!c->intervals.untracked[statement->id])
    c->symbols[variable->first + at.lo] = symbol;
  return true;
}

static bool follow_if(struct change_collector *c, const struct statement *statement) {
  struct value_interval which = intervals_eval(&c->intervals, statement->value);
  if (range_is_empty(which))
    return false;
  if (which.lo > 0 || which.hi < 0)
    return follow_statements(c, statement->then, statement->then_count);
  if (which.lo == 0 && which.hi == 0)
    return follow_statements(c, statement->then + statement->then_count, statement->else_count);
  forget_written(c, statement->then, statement_inner_count(statement));
  return intervals_run(&c->intervals, statement, 1);
}

static bool follow_statements(struct change_collector *c, const struct statement *statements, size_t count) {
  bool possible = true;
  for (size_t i = 0; i < count && possible; i++) {
    const struct statement *statement = &statements[i];
    if (statement->op == ST_IF)
      possible = follow_if(c, statement);
    else if (statement->op == ST_ASSIGN)
      possible = follow_assignment(c, statement);
    else {
      if (statement->op == ST_LET) {
        struct symbol symbol = symbol_of(c, statement->value);
        c->symbols[intervals_temp(&c->intervals, statement->id)] = symbol;
      }
      possible = intervals_run(&c->intervals, statement, 1);
    }
  }
  return possible;
}

/* ---- elements written and read by a transition ------------------------------------------------- */

static void add_once(struct change_collector *c, struct pins *pins, uint32_t slot) {
  if (pins->stamps[slot] == pins->stamp)
    return;
  pins->stamps[slot] = pins->stamp;
  *ARENA_PUSH(c->arena, pins->items, pins->n, pins->cap) = slot;
}

static void add_reads(struct change_collector *c, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_SELECT)
    add_once(c, &c->pins, intervals_select(&c->intervals, e->id));
  if (e->op == EXPR_READ) {
    const struct variable *variable = &c->model->variables[e->id];
    struct value_interval at = intervals_reach(variable, e->a);
    const bool few = range_size(at) <= MAX_VALUES && !c->intervals.untracked[e->id];
    for (int64_t i = at.lo; few && i <= at.hi; i++)
      add_once(c, &c->pins, variable->first + (uint32_t)i);
  }
  add_reads(c, e->a);
  add_reads(c, e->b);
  add_reads(c, e->c);
}

static void add_indices(struct change_collector *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_reads(c, statements[i].index);
    if (statements[i].op == ST_LET) /* elements of channel arrays are computed by LETs */
      add_reads(c, statements[i].value);
    add_indices(c, statements[i].then, statement_inner_count(&statements[i]));
  }
}

static void add_written(struct change_collector *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    add_written(c, statement->then, statement_inner_count(statement));
    if (statement->op != ST_ASSIGN || c->intervals.untracked[statement->id])
      continue;
    const struct variable *variable = &c->model->variables[statement->id];
    struct value_interval at = intervals_reach(variable, statement->index);
    for (int64_t k = at.lo; k <= at.hi; k++) {
      add_once(c, &c->written, variable->first + (uint32_t)k);
      add_once(c, &c->pins, variable->first + (uint32_t)k);
    }
  }
}

static void add_value_reads(struct change_collector *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_reads(c, statements[i].value);
    add_value_reads(c, statements[i].then, statement_inner_count(&statements[i]));
  }
}

/* Lists the slots by which the transition may be split: slots read by indices first. */
static void prepare_pins(struct change_collector *c, const struct transition *transition) {
  c->pins.stamp++;
  c->written.stamp++;
  c->pins.n = c->written.n = 0;
  add_indices(c, transition->statements, transition->statement_count);
  c->index_pins = c->pins.n;
  add_written(c, transition->statements, transition->statement_count);
  add_value_reads(c, transition->statements, transition->statement_count);
}

/* ---- constraints ------------------------------------------------------------------------------ */

#define MAX_CONSTRAINTS 64 /* constraints applied to one transition */
#define MAX_ROUNDS 3

static void index_constraints(struct change_collector *c, size_t count) {
  c->uses = arena_array(c->arena, c->model->value_count, sizeof *c->uses);
  c->relevant.stamps = arena_array(c->arena, count, sizeof *c->relevant.stamps);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < c->constraints[k].term_count; i++) {
      struct constraint_use *uses = arena_alloc(c->arena, sizeof *uses);
      const uint32_t element = c->constraints[k].terms[i].element;
      *uses = (struct constraint_use){k, c->uses[element]};
      c->uses[element] = uses;
    }
}

static void add_constraints_on(struct change_collector *c, uint32_t element) {
  for (const struct constraint_use *n = c->uses[element]; n && c->relevant.n < MAX_CONSTRAINTS; n = n->next)
    add_once(c, &c->relevant, n->constraint);
}

static void prepare_constraints(struct change_collector *c, const struct transition *transition) {
  c->relevant.stamp++;
  c->relevant.n = 0;
  for (size_t i = 0; i < c->written.n; i++)
    add_constraints_on(c, c->written.items[i]);
  for (size_t i = 0; i < transition->test_count; i++)
    add_constraints_on(c, c->model->variables[transition->tests[i].variable].first + transition->tests[i].element);
  for (size_t i = 0; i < c->pins.n; i++)
    if (c->pins.items[i] < c->model->value_count)
      add_constraints_on(c, c->pins.items[i]);
}

struct bounds {
  int128 lo, hi;
};

static int128 term_at(const struct change_collector *c, const struct linear_term *term, int64_t value) {
  return term->table ? term->table[value - c->ranges->all[term->element].lo] : (int128)term->coefficient * value;
}

static struct bounds term_bounds(const struct change_collector *c, const struct linear_term *term) {
  const struct value_interval range = c->intervals.slots[term->element];
  struct bounds bounds = {term_at(c, term, range.lo), term_at(c, term, range.lo)};
  for (int64_t value = term->table ? range.lo : range.hi; value <= range.hi; value++) {
    const int128 at = term_at(c, term, value);
    bounds.lo = at < bounds.lo ? at : bounds.lo;
    bounds.hi = at > bounds.hi ? at : bounds.hi;
  }
  return bounds;
}

/* Removes values from the ends of the range that the other terms rule out. */
static bool trim_range(struct change_collector *c, const struct linear_term *term, struct bounds room) {
  struct value_interval range = c->intervals.slots[term->element];
  for (int i = 0; i < CHANGES_MAX_VALUES && !range_is_empty(range); i++) {
    const int128 lo = term_at(c, term, range.lo), hi = term_at(c, term, range.hi);
    const bool low = lo < room.lo || lo > room.hi, high = hi < room.lo || hi > room.hi;
    if (!low && !high)
      break;
    range.lo += low;
    range.hi -= high && !(low && range.lo > range.hi);
  }
  return !range_is_empty(range) && intervals_narrow(&c->intervals, term->element, range);
}

static bool apply_constraint(struct change_collector *c, const struct linear_constraint *constraint) {
  struct bounds all = {0, 0};
  c->intervals.work += constraint->term_count;
  for (uint32_t i = 0; i < constraint->term_count; i++) {
    const struct bounds bounds = term_bounds(c, &constraint->terms[i]);
    all.lo += bounds.lo;
    all.hi += bounds.hi;
  }
  if (constraint->constant < all.lo || constraint->constant > all.hi)
    return false;
  for (uint32_t i = 0; i < constraint->term_count; i++) {
    const struct bounds bounds = term_bounds(c, &constraint->terms[i]);
    const struct bounds room = {constraint->constant - (all.hi - bounds.hi),
                                constraint->constant - (all.lo - bounds.lo)};
    if ((bounds.lo < room.lo || bounds.hi > room.hi) && !trim_range(c, &constraint->terms[i], room))
      return false;
  }
  return true;
}

/* False: the constraints contradict the slots. */
static bool apply_constraints(struct change_collector *c) {
  for (int round = 0; round < MAX_ROUNDS; round++) {
    const size_t mark = intervals_mark(&c->intervals);
    for (size_t i = 0; i < c->relevant.n; i++)
      if (!apply_constraint(c, &c->constraints[c->relevant.items[i]]))
        return false;
    if (intervals_mark(&c->intervals) == mark)
      break;
  }
  return true;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void note_change(struct change_collector *c, uint32_t element) {
  const struct value_interval before = c->before[element], after = c->intervals.slots[element];
  const struct symbol symbol = c->symbols[element];
  struct element_change change = {.element = element, .from = before.lo, .to = after.lo};
  if (!c->tracked[element] || (symbol.known && symbol.base == element && symbol.offset == 0))
    return;
  change.has_values = range_is_point(before) && range_is_point(after);
  if (symbol.known && symbol.base == element)
    change.difference = symbol.offset;
  else if (!change.has_values || __builtin_sub_overflow(after.lo, before.lo, &change.difference))
    c->tracked[element] = false;
  c->tracked_by_value[element] = c->tracked_by_value[element] && change.has_values;
  if (change.difference != 0)
    add_change(c->arena, &c->list, change);
}

/* Executes the transition from the current slots; calls `visit` after it if that is possible. */
static void fire_case(struct change_collector *c, const struct transition *transition,
                      void (*visit)(struct change_collector *c)) {
  const size_t mark = intervals_mark(&c->intervals);
  for (size_t i = 0; i < c->written.n; i++) {
    const uint32_t element = c->written.items[i];
    c->before[element] = c->intervals.slots[element];
    c->symbols[element] = (struct symbol){element, 0, true};
  }
  for (uint32_t i = 0; i < transition->temp_count; i++)
    c->symbols[intervals_temp(&c->intervals, i)] = (struct symbol){NO_NUMBER, 0, true};
  c->intervals.on_point = NULL;
  c->possible = follow_statements(c, transition->statements, transition->statement_count);
  if (c->possible)
    visit(c);
  ranges_resume(&c->intervals);
  for (size_t i = 0; i < c->written.n; i++)
    c->symbols[c->written.items[i]] = (struct symbol){c->written.items[i], 0, true};
  intervals_undo(&c->intervals, mark);
}

static void note_changes(struct change_collector *c) {
  const size_t first = c->list.change_count;
  for (size_t i = 0; i < c->written.n; i++)
    note_change(c, c->written.items[i]);
  end_firing(c->arena, &c->list, first);
}

static bool can_split(const struct change_collector *c, struct value_interval range) {
  const uint64_t size = range_size(range);
  return size > 1 && size <= MAX_VALUES && size <= MAX_SPLIT / c->split;
}

/* Chooses the slot to split by: a written element whose change is unknown, else any slot read, else an element that
   changes by a known difference from an unknown value. */
static void find_split_slot(struct change_collector *c) {
  bool more = false;
  c->split_slot = NO_NUMBER;
  uint32_t last = NO_NUMBER;
  for (size_t i = 0; i < c->written.n; i++) {
    const uint32_t element = c->written.items[i];
    const struct symbol symbol = c->symbols[element];
    const bool splits = can_split(c, c->before[element]);
    if (symbol.known && symbol.base == element) {
      last = splits && symbol.offset != 0 ? element : last;
      continue;
    }
    more = more || !range_is_point(c->intervals.slots[element]);
    if (splits) {
      c->split_slot = element;
      return;
    }
  }
  c->split_slot = more ? NO_NUMBER : last;
  c->split_reads = more;
}

/* The first slot read by which the firing can be split. */
static uint32_t first_read(const struct change_collector *c) {
  for (size_t i = 0; i < c->pins.n; i++)
    if (can_split(c, c->intervals.slots[c->pins.items[i]]))
      return c->pins.items[i];
  return NO_NUMBER;
}

/* The next slot to split by: slots read by indices first, then find_split_slot's; NO_NUMBER: none. */
static uint32_t next_pin(struct change_collector *c, const struct transition *transition) {
  for (size_t i = 0; i < c->index_pins; i++)
    if (can_split(c, c->intervals.slots[c->pins.items[i]]))
      return c->pins.items[i];
  c->split_slot = NO_NUMBER;
  c->split_reads = false;
  fire_case(c, transition, find_split_slot);
  return c->split_reads ? first_read(c) : c->split_slot;
}

static void split_firing(struct change_collector *c, const struct transition *transition) {
  const uint32_t pin = next_pin(c, transition);
  if (!c->possible && pin == NO_NUMBER)
    return;
  if (pin == NO_NUMBER) {
    fire_case(c, transition, note_changes);
    c->cases++;
    c->too_much =
        c->too_much || c->cases > MAX_CASES || c->list.change_count > MAX_CHANGES || c->intervals.work > MAX_WORK;
    return;
  }
  const struct value_interval range = c->intervals.slots[pin];
  const uint64_t split_before = c->split;
  for (int64_t value = range.lo; value <= range.hi && !c->too_much; value++) {
    const size_t mark = intervals_mark(&c->intervals);
    c->split = split_before * range_size(range);
    if (intervals_narrow(&c->intervals, pin, (struct value_interval){value, value}) &&
        ranges_guards(&c->intervals, transition) && apply_constraints(c))
      split_firing(c, transition);
    intervals_undo(&c->intervals, mark);
  }
  c->split = split_before;
}

static void collector_init(struct change_collector *c, size_t constraint_count) {
  const size_t elements = c->model->value_count, slots = elements + MAX_TEMPS + MAX_SELECTS;
  intervals_init(&c->intervals, c->model, c->arena);
  ranges_start(&c->intervals, c->ranges);
  c->symbols = arena_array(c->arena, slots, sizeof *c->symbols);
  c->pins.stamps = arena_array(c->arena, slots, sizeof *c->pins.stamps);
  c->written.stamps = arena_array(c->arena, slots, sizeof *c->written.stamps);
  c->before = arena_array(c->arena, elements, sizeof *c->before);
  for (uint32_t e = 0; e < elements; e++)
    c->symbols[e] = (struct symbol){e, 0, true};
  index_constraints(c, constraint_count);
}

static void store_changes(struct element_changes *changes, const struct change_list *list) {
  changes->items = list->items;
  changes->ends = list->ends;
  changes->firing_count = list->end_count;
  changes->change_count = list->change_count;
}

bool changes_collect(const struct model *model, const struct ranges *ranges,
                     const struct linear_constraints *constraints, const struct stop *stop, struct arena *arena,
                     struct element_changes *changes) {
  struct change_collector c = {.model = model,
                               .ranges = ranges,
                               .arena = arena,
                               .constraints = constraints->items,
                               .split = 1,
                               .list = {.items = arena_array(arena, changes->change_count, sizeof *c.list.items),
                                        .ends = arena_array(arena, changes->firing_count, sizeof *c.list.ends),
                                        .change_count = changes->change_count,
                                        .change_cap = changes->change_count,
                                        .end_count = changes->firing_count,
                                        .end_cap = changes->firing_count},
                               .tracked = changes->tracked,
                               .tracked_by_value = changes->tracked_by_value};
  if (c.list.change_count)
    memcpy(c.list.items, changes->items, c.list.change_count * sizeof *c.list.items);
  if (c.list.end_count)
    memcpy(c.list.ends, changes->ends, c.list.end_count * sizeof *c.list.ends);
  collector_init(&c, constraints->count);
  c.intervals.work = changes->work;
  for (size_t t = 0; t < model->transition_count && !c.too_much; t++) {
    if (never_fires(&model->transitions[t]))
      continue;
    if (stop_requested(stop))
      return false;
    prepare_pins(&c, &model->transitions[t]);
    prepare_constraints(&c, &model->transitions[t]);
    if (ranges_enter(&c.intervals, &model->transitions[t]) && apply_constraints(&c))
      split_firing(&c, &model->transitions[t]);
    intervals_undo(&c.intervals, 0);
  }
  store_changes(changes, &c.list);
  changes->work = c.intervals.work;
  return !c.too_much;
}

/* ---- changes in a random walk ------------------------------------------------------------------- */

struct change_observer {
  const struct model *model;
  struct arena *arena;
  struct element_changes *changes;
  struct change_list list;
};

static bool observe(void *user, const int64_t *before, const int64_t *after) {
  struct change_observer *o = user;
  const size_t first = o->list.change_count;
  for (uint32_t e = 0; e < o->model->value_count; e++)
    if (before[e] != after[e] && o->changes->tracked[e]) {
      struct element_change change = {.element = e, .has_values = true, .from = before[e], .to = after[e]};
      if (__builtin_sub_overflow(after[e], before[e], &change.difference))
        o->changes->tracked[e] = false;
      else
        add_change(o->arena, &o->list, change);
    }
  end_firing(o->arena, &o->list, first);
  return o->list.change_count < MAX_CHANGES / 10;
}

struct element_changes *changes_observe(const struct model *model, const struct ranges *ranges, const struct stop *stop,
                                        struct arena *arena) {
  struct element_changes *changes = arena_alloc(arena, sizeof *changes);
  struct change_observer o = {.model = model, .arena = arena, .changes = changes};
  changes->tracked = arena_array(arena, model->value_count, sizeof *changes->tracked);
  changes->tracked_by_value = arena_array(arena, model->value_count, sizeof *changes->tracked_by_value);
  for (uint32_t e = 0; e < model->value_count; e++) {
    const uint64_t size = range_size(ranges->all[e]);
    changes->tracked[e] = size > 1;
    changes->tracked_by_value[e] = size > 1 && size <= CHANGES_MAX_VALUES;
  }
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count && ranges->untracked[v]; i++)
      changes->tracked[model->variables[v].first + i] = false;
  random_walk_steps(model, stop, arena, observe, &o);
  store_changes(changes, &o.list);
  return changes;
}
