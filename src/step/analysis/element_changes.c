#include "step/analysis/element_changes.h"

#include "model/successor_bound.h"
#include "step/analysis/random_walk.h"

#include <string.h>

__extension__ typedef __int128 wide; /* holds sums of products of 64 bits */

#define MAX_VALUES 16       /* of a slot that firings are split by */
#define MAX_SPLIT 256       /* cases of one firing */
#define MAX_CASES 100000    /* of all firings */
#define MAX_CHANGES 1000000 /* in all */
#define MAX_WORK 4000000    /* expressions and statements looked at */

/* What a slot holds, told by the state before the firing: the value of an element (NO_NUMBER: 0) plus an offset. */
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

/* Which constraints name an element. */
struct naming {
  uint32_t constraint;
  const struct naming *next;
};

struct collecting {
  const struct model *model;
  const struct ranges *ranges;
  struct arena *arena;
  struct intervals intervals;
  struct symbol *symbols; /* of slots */
  struct pins pins, written;
  const struct constraint *constraints;
  const struct naming **naming;    /* of elements */
  struct pins heeded;              /* constraints that matter to the transition at hand */
  struct invariants_range *before; /* of elements that are written */
  struct change *changes;
  size_t *ends;
  size_t change_count, change_cap, end_count, end_cap, cases;
  size_t index_pins; /* the first of the pins: what indices read */
  uint64_t split;    /* product of the numbers of values that the firing at hand is split by */
  uint32_t wanted;   /* see find_wanted */
  bool wants_reads, possible;
  bool *useful, *useful_by_value, too_much;
};

static const struct symbol unknown = {NO_NUMBER, 0, false};

/* ---- symbols --------------------------------------------------------------------------------- */

static struct symbol symbol_of(struct collecting *c, const struct expr *e);

static struct symbol shifted(struct symbol symbol, int64_t by, bool negative) {
  bool wrong = negative ? __builtin_sub_overflow(symbol.offset, by, &symbol.offset)
                        : __builtin_add_overflow(symbol.offset, by, &symbol.offset);
  return wrong ? unknown : symbol;
}

static struct symbol sum(struct collecting *c, const struct expr *e) {
  struct symbol a = symbol_of(c, e->a), b = symbol_of(c, e->b);
  if (!a.known || !b.known)
    return unknown;
  if (b.base == NO_NUMBER)
    return shifted(a, b.offset, e->op == EXPR_SUB);
  return a.base == NO_NUMBER && e->op == EXPR_ADD ? shifted(b, a.offset, false) : unknown;
}

static struct symbol chosen(struct collecting *c, const struct expr *e) {
  struct invariants_range which = intervals_eval(&c->intervals, e->a);
  if (which.lo > 0 || which.hi < 0)
    return symbol_of(c, e->b);
  return which.lo == 0 && which.hi == 0 ? symbol_of(c, e->c) : unknown;
}

static struct symbol symbol_of_read(struct collecting *c, const struct expr *e) {
  const struct variable *variable = &c->model->variables[e->id];
  struct invariants_range at = e->a ? intervals_eval(&c->intervals, e->a) : (struct invariants_range){0, 0};
  if (!range_is_point(at) || at.lo < 0 || at.lo >= variable->count || c->intervals.unfollowed[e->id])
    return unknown;
  return c->symbols[variable->first + at.lo];
}

static struct symbol symbol_of(struct collecting *c, const struct expr *e) {
  struct invariants_range range = intervals_eval(&c->intervals, e);
  if (range_is_point(range))
    return (struct symbol){NO_NUMBER, range.lo, true};
  switch (e->op) {
  case EXPR_READ:
    return symbol_of_read(c, e);
  case EXPR_TEMP:
    return c->symbols[intervals_temp(&c->intervals, e->id)];
  case EXPR_ADD:
  case EXPR_SUB:
    return sum(c, e);
  case EXPR_COND:
    return chosen(c, e);
  default:
    return unknown;
  }
}

/* ---- statements ------------------------------------------------------------------------------ */

/* What they may write is not known any more. */
static void forget(struct collecting *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    forget(c, statement->then, statement_inner_count(statement));
    if (statement->op == ST_LET)
      c->symbols[intervals_temp(&c->intervals, statement->id)] = unknown;
    else if (statement->op == ST_ASSIGN && !c->intervals.unfollowed[statement->id]) {
      const struct variable *variable = &c->model->variables[statement->id];
      struct invariants_range at = intervals_reach(variable, statement->index);
      for (int64_t k = at.lo; k <= at.hi; k++)
        c->symbols[variable->first + k] = unknown;
    }
  }
}

static bool run(struct collecting *c, const struct statement *statements, size_t count);

static bool assign(struct collecting *c, const struct statement *statement) {
  const struct variable *variable = &c->model->variables[statement->id];
  struct invariants_range at =
      statement->index ? intervals_eval(&c->intervals, statement->index) : (struct invariants_range){0, 0};
  struct symbol symbol = symbol_of(c, statement->value);
  if (!intervals_run(&c->intervals, statement, 1))
    return false;
  if (!range_is_point(at))
    forget(c, statement, 1);
  else if (!c->intervals.unfollowed[statement->id])
    c->symbols[variable->first + at.lo] = symbol;
  return true;
}

static bool branch(struct collecting *c, const struct statement *statement) {
  struct invariants_range which = intervals_eval(&c->intervals, statement->value);
  if (range_is_empty(which))
    return false;
  if (which.lo > 0 || which.hi < 0)
    return run(c, statement->then, statement->then_count);
  if (which.lo == 0 && which.hi == 0)
    return run(c, statement->then + statement->then_count, statement->else_count);
  forget(c, statement->then, statement_inner_count(statement));
  return intervals_run(&c->intervals, statement, 1);
}

static bool run(struct collecting *c, const struct statement *statements, size_t count) {
  bool possible = true;
  for (size_t i = 0; i < count && possible; i++) {
    const struct statement *statement = &statements[i];
    if (statement->op == ST_IF)
      possible = branch(c, statement);
    else if (statement->op == ST_ASSIGN)
      possible = assign(c, statement);
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

/* ---- what a transition may write and depends on ---------------------------------------------- */

static void add(struct collecting *c, struct pins *pins, uint32_t slot) {
  if (pins->stamps[slot] == pins->stamp)
    return;
  pins->stamps[slot] = pins->stamp;
  *ARENA_PUSH(c->arena, pins->items, pins->n, pins->cap) = slot;
}

static void add_reads(struct collecting *c, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_SELECT)
    add(c, &c->pins, intervals_select(&c->intervals, e->id));
  if (e->op == EXPR_READ) {
    const struct variable *variable = &c->model->variables[e->id];
    struct invariants_range at = intervals_reach(variable, e->a);
    const bool few = range_size(at) <= MAX_VALUES && !c->intervals.unfollowed[e->id];
    for (int64_t i = at.lo; few && i <= at.hi; i++)
      add(c, &c->pins, variable->first + (uint32_t)i);
  }
  add_reads(c, e->a);
  add_reads(c, e->b);
  add_reads(c, e->c);
}

static void add_indices(struct collecting *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_reads(c, statements[i].index);
    if (statements[i].op == ST_LET) /* elements of arrays of channels are such */
      add_reads(c, statements[i].value);
    add_indices(c, statements[i].then, statement_inner_count(&statements[i]));
  }
}

static void add_written(struct collecting *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    add_written(c, statement->then, statement_inner_count(statement));
    if (statement->op != ST_ASSIGN || c->intervals.unfollowed[statement->id])
      continue;
    const struct variable *variable = &c->model->variables[statement->id];
    struct invariants_range at = intervals_reach(variable, statement->index);
    for (int64_t k = at.lo; k <= at.hi; k++) {
      add(c, &c->written, variable->first + (uint32_t)k);
      add(c, &c->pins, variable->first + (uint32_t)k);
    }
  }
}

static void add_values(struct collecting *c, const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_reads(c, statements[i].value);
    add_values(c, statements[i].then, statement_inner_count(&statements[i]));
  }
}

/* What it may be split by: what indices read first. */
static void prepare_pins(struct collecting *c, const struct transition *transition) {
  c->pins.stamp++;
  c->written.stamp++;
  c->pins.n = c->written.n = 0;
  add_indices(c, transition->statements, transition->statement_count);
  c->index_pins = c->pins.n;
  add_written(c, transition->statements, transition->statement_count);
  add_values(c, transition->statements, transition->statement_count);
}

/* ---- constraints ------------------------------------------------------------------------------ */

#define MAX_HEEDED 64 /* constraints for one transition */
#define MAX_ROUNDS 3

static void name_constraints(struct collecting *c, size_t count) {
  c->naming = arena_array(c->arena, c->model->value_count, sizeof *c->naming);
  c->heeded.stamps = arena_array(c->arena, count, sizeof *c->heeded.stamps);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < c->constraints[k].term_count; i++) {
      struct naming *naming = arena_alloc(c->arena, sizeof *naming);
      const uint32_t element = c->constraints[k].terms[i].element;
      *naming = (struct naming){k, c->naming[element]};
      c->naming[element] = naming;
    }
}

static void heed_element(struct collecting *c, uint32_t element) {
  for (const struct naming *n = c->naming[element]; n && c->heeded.n < MAX_HEEDED; n = n->next)
    add(c, &c->heeded, n->constraint);
}

static void prepare_constraints(struct collecting *c, const struct transition *transition) {
  c->heeded.stamp++;
  c->heeded.n = 0;
  for (size_t i = 0; i < c->written.n; i++)
    heed_element(c, c->written.items[i]);
  for (size_t i = 0; i < transition->test_count; i++)
    heed_element(c, c->model->variables[transition->tests[i].variable].first + transition->tests[i].element);
  for (size_t i = 0; i < c->pins.n; i++)
    if (c->pins.items[i] < c->model->value_count)
      heed_element(c, c->pins.items[i]);
}

struct bounds {
  wide lo, hi;
};

static wide term_at(const struct collecting *c, const struct invariants_term *term, int64_t value) {
  return term->table ? term->table[value - c->ranges->all[term->element].lo] : (wide)term->coefficient * value;
}

static struct bounds term_bounds(const struct collecting *c, const struct invariants_term *term) {
  const struct invariants_range range = c->intervals.slots[term->element];
  struct bounds bounds = {term_at(c, term, range.lo), term_at(c, term, range.lo)};
  for (int64_t value = term->table ? range.lo : range.hi; value <= range.hi; value++) {
    const wide at = term_at(c, term, value);
    bounds.lo = at < bounds.lo ? at : bounds.lo;
    bounds.hi = at > bounds.hi ? at : bounds.hi;
  }
  return bounds;
}

/* Takes values from the ends of the range for which the others leave no room. */
static bool trim(struct collecting *c, const struct invariants_term *term, struct bounds room) {
  struct invariants_range range = c->intervals.slots[term->element];
  for (int i = 0; i < CHANGES_MAX_VALUES && !range_is_empty(range); i++) {
    const wide lo = term_at(c, term, range.lo), hi = term_at(c, term, range.hi);
    const bool low = lo < room.lo || lo > room.hi, high = hi < room.lo || hi > room.hi;
    if (!low && !high)
      break;
    range.lo += low;
    range.hi -= high && !(low && range.lo > range.hi);
  }
  return !range_is_empty(range) && intervals_narrow(&c->intervals, term->element, range);
}

static bool heed(struct collecting *c, const struct constraint *constraint) {
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
    if ((bounds.lo < room.lo || bounds.hi > room.hi) && !trim(c, &constraint->terms[i], room))
      return false;
  }
  return true;
}

/* False: they contradict what the slots have. */
static bool heed_all(struct collecting *c) {
  for (int round = 0; round < MAX_ROUNDS; round++) {
    const size_t mark = intervals_mark(&c->intervals);
    for (size_t i = 0; i < c->heeded.n; i++)
      if (!heed(c, &c->constraints[c->heeded.items[i]]))
        return false;
    if (intervals_mark(&c->intervals) == mark)
      break;
  }
  return true;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void note_change(struct collecting *c, uint32_t element) {
  const struct invariants_range before = c->before[element], after = c->intervals.slots[element];
  const struct symbol symbol = c->symbols[element];
  struct change change = {.element = element, .from = before.lo, .to = after.lo};
  if (!c->useful[element] || (symbol.known && symbol.base == element && symbol.offset == 0))
    return;
  change.from_to = range_is_point(before) && range_is_point(after);
  if (symbol.known && symbol.base == element)
    change.difference = symbol.offset;
  else if (!change.from_to || __builtin_sub_overflow(after.lo, before.lo, &change.difference))
    c->useful[element] = false;
  c->useful_by_value[element] = c->useful_by_value[element] && change.from_to;
  if (change.difference != 0)
    *ARENA_PUSH(c->arena, c->changes, c->change_count, c->change_cap) = change;
}

/* Fires it from what the slots have; `visit` sees how things are after it, where that is possible. */
static void fire(struct collecting *c, const struct transition *transition, void (*visit)(struct collecting *c)) {
  const size_t mark = intervals_mark(&c->intervals);
  for (size_t i = 0; i < c->written.n; i++) {
    const uint32_t element = c->written.items[i];
    c->before[element] = c->intervals.slots[element];
    c->symbols[element] = (struct symbol){element, 0, true};
  }
  for (uint32_t i = 0; i < transition->temp_count; i++)
    c->symbols[intervals_temp(&c->intervals, i)] = (struct symbol){NO_NUMBER, 0, true};
  c->intervals.settled = NULL;
  c->possible = run(c, transition->statements, transition->statement_count);
  if (c->possible)
    visit(c);
  ranges_resume(&c->intervals);
  for (size_t i = 0; i < c->written.n; i++)
    c->symbols[c->written.items[i]] = (struct symbol){c->written.items[i], 0, true};
  intervals_undo(&c->intervals, mark);
}

static void note_changes(struct collecting *c) {
  const size_t first = c->change_count;
  for (size_t i = 0; i < c->written.n; i++)
    note_change(c, c->written.items[i]);
  if (c->change_count > first)
    *ARENA_PUSH(c->arena, c->ends, c->end_count, c->end_cap) = c->change_count;
}

static bool can_split(const struct collecting *c, struct invariants_range range) {
  const uint64_t size = range_size(range);
  return size > 1 && size <= MAX_VALUES && size <= MAX_SPLIT / c->split;
}

/* The slot whose value would tell more: an element of which the change is not known, or else what is read, or else an
   element that changes by a known difference from a value that is not known. */
static void find_wanted(struct collecting *c) {
  bool more = false;
  c->wanted = NO_NUMBER;
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
      c->wanted = element;
      return;
    }
  }
  c->wanted = more ? NO_NUMBER : last;
  c->wants_reads = more;
}

/* Of what it reads. */
static uint32_t first_read(const struct collecting *c) {
  for (size_t i = 0; i < c->pins.n; i++)
    if (can_split(c, c->intervals.slots[c->pins.items[i]]))
      return c->pins.items[i];
  return NO_NUMBER;
}

/* What indices read comes first, then what is wanted; NO_NUMBER: there is no more to split by. */
static uint32_t next_pin(struct collecting *c, const struct transition *transition) {
  for (size_t i = 0; i < c->index_pins; i++)
    if (can_split(c, c->intervals.slots[c->pins.items[i]]))
      return c->pins.items[i];
  c->wanted = NO_NUMBER;
  c->wants_reads = false;
  fire(c, transition, find_wanted);
  return c->wants_reads ? first_read(c) : c->wanted;
}

static void split(struct collecting *c, const struct transition *transition) {
  const uint32_t pin = next_pin(c, transition);
  if (!c->possible && pin == NO_NUMBER)
    return;
  if (pin == NO_NUMBER) {
    fire(c, transition, note_changes);
    c->cases++;
    c->too_much = c->too_much || c->cases > MAX_CASES || c->change_count > MAX_CHANGES || c->intervals.work > MAX_WORK;
    return;
  }
  const struct invariants_range range = c->intervals.slots[pin];
  const uint64_t split_before = c->split;
  for (int64_t value = range.lo; value <= range.hi && !c->too_much; value++) {
    const size_t mark = intervals_mark(&c->intervals);
    c->split = split_before * range_size(range);
    if (intervals_narrow(&c->intervals, pin, (struct invariants_range){value, value}) &&
        ranges_guards(&c->intervals, transition) && heed_all(c))
      split(c, transition);
    intervals_undo(&c->intervals, mark);
  }
  c->split = split_before;
}

static void prepare(struct collecting *c, size_t constraint_count) {
  const size_t elements = c->model->value_count, slots = elements + MAX_TEMPS + MAX_SELECTS;
  intervals_init(&c->intervals, c->model, c->arena);
  ranges_start(&c->intervals, c->ranges);
  c->symbols = arena_array(c->arena, slots, sizeof *c->symbols);
  c->pins.stamps = arena_array(c->arena, slots, sizeof *c->pins.stamps);
  c->written.stamps = arena_array(c->arena, slots, sizeof *c->written.stamps);
  c->before = arena_array(c->arena, elements, sizeof *c->before);
  for (uint32_t e = 0; e < elements; e++)
    c->symbols[e] = (struct symbol){e, 0, true};
  name_constraints(c, constraint_count);
}

bool changes_collect(const struct model *model, const struct ranges *ranges, const struct constraint *constraints,
                     size_t constraint_count, const struct stop *stop, struct arena *arena, struct changes *changes) {
  struct collecting c = {.model = model,
                         .ranges = ranges,
                         .arena = arena,
                         .constraints = constraints,
                         .split = 1,
                         .changes = arena_array(arena, changes->change_count, sizeof *c.changes),
                         .change_count = changes->change_count,
                         .change_cap = changes->change_count,
                         .ends = arena_array(arena, changes->firing_count, sizeof *c.ends),
                         .end_count = changes->firing_count,
                         .end_cap = changes->firing_count,
                         .useful = changes->useful,
                         .useful_by_value = changes->useful_by_value};
  if (c.change_count)
    memcpy(c.changes, changes->items, c.change_count * sizeof *c.changes);
  if (c.end_count)
    memcpy(c.ends, changes->ends, c.end_count * sizeof *c.ends);
  prepare(&c, constraint_count);
  c.intervals.work = changes->work;
  for (size_t t = 0; t < model->transition_count && !c.too_much; t++) {
    if (fires_never(&model->transitions[t]))
      continue;
    if (stop_requested(stop))
      return false;
    prepare_pins(&c, &model->transitions[t]);
    prepare_constraints(&c, &model->transitions[t]);
    if (ranges_enter(&c.intervals, &model->transitions[t]) && heed_all(&c))
      split(&c, &model->transitions[t]);
    intervals_undo(&c.intervals, 0);
  }
  changes->items = c.changes;
  changes->ends = c.ends;
  changes->firing_count = c.end_count;
  changes->change_count = c.change_count;
  changes->work = c.intervals.work;
  return !c.too_much;
}

/* ---- a walk ----------------------------------------------------------------------------------- */

struct observing {
  const struct model *model;
  struct arena *arena;
  struct changes *changes;
  struct change *items;
  size_t *ends;
  size_t change_count, change_cap, end_count, end_cap;
};

static bool observe(void *user, const int64_t *before, const int64_t *after) {
  struct observing *o = user;
  const size_t first = o->change_count;
  for (uint32_t e = 0; e < o->model->value_count; e++)
    if (before[e] != after[e] && o->changes->useful[e]) {
      struct change change = {.element = e, .from_to = true, .from = before[e], .to = after[e]};
      if (__builtin_sub_overflow(after[e], before[e], &change.difference))
        o->changes->useful[e] = false;
      else
        *ARENA_PUSH(o->arena, o->items, o->change_count, o->change_cap) = change;
    }
  if (o->change_count > first)
    *ARENA_PUSH(o->arena, o->ends, o->end_count, o->end_cap) = o->change_count;
  return o->change_count < MAX_CHANGES / 10;
}

struct changes *changes_observe(const struct model *model, const struct ranges *ranges, const struct stop *stop,
                                struct arena *arena) {
  struct changes *changes = arena_alloc(arena, sizeof *changes);
  struct observing o = {.model = model, .arena = arena, .changes = changes};
  changes->useful = arena_array(arena, model->value_count, sizeof *changes->useful);
  changes->useful_by_value = arena_array(arena, model->value_count, sizeof *changes->useful_by_value);
  for (uint32_t e = 0; e < model->value_count; e++) {
    const uint64_t size = range_size(ranges->all[e]);
    changes->useful[e] = size > 1;
    changes->useful_by_value[e] = size > 1 && size <= CHANGES_MAX_VALUES;
  }
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count && ranges->unfollowed[v]; i++)
      changes->useful[model->variables[v].first + i] = false;
  walk_steps(model, stop, arena, observe, &o);
  changes->items = o.items;
  changes->ends = o.ends;
  changes->firing_count = o.end_count;
  changes->change_count = o.change_count;
  return changes;
}
