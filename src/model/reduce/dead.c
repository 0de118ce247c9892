/* Locals that are dead: at a location of its process, no step reads the value before the process assigns it. Each step
   to such a location sets them to their initial values. A fixpoint over the locations of each instance. */
#include "model/build.h"
#include "model/reduce/access.h"
#include "model/reduce/simplify.h"

#include <string.h>

#define MOST_ELEMENTS 64 /* of an array that is reset */

/* An instance takes part in a transition: it is at `from` (or ANY_LOCATION) before it, and at `to` after it. */
struct move {
  uint32_t instance, from, to;
};

struct moves {
  struct move *moves;
  size_t move_count, move_cap;
  uint32_t *written; /* locals that it may assign */
  size_t written_count, written_cap;
  uint32_t *killed; /* locals that it assigns before it reads them */
  size_t killed_count, killed_cap;
  const struct fact *facts;
};

struct liveness {
  struct instances all;
  struct arena *arena;
  struct moves *moves; /* [transition] */
  uint32_t *place;     /* [value_count] of a local within its instance's */
  uint32_t *locals;    /* [instance] their number */
  uint64_t **live;     /* [instance] a row of bits for each location */
  bool *unknown;       /* [instance] its location is assigned in a way that is not followed */
  bool *kept;          /* [value_count] the element is never reset */
  uint32_t *assigned;  /* [value_count] number of the transition + 1 that has assigned it so far */
  uint32_t now;        /* number of this transition + 1; 0: none */
};

static uint32_t words_of(const struct liveness *l, uint32_t instance) { return (l->locals[instance] + 63) / 64; }
static uint64_t *row_of(const struct liveness *l, uint32_t instance, uint32_t location) {
  return l->live[instance] + (size_t)location * words_of(l, instance);
}
static bool is_live(const struct liveness *l, uint32_t element, uint32_t location) {
  const uint32_t place = l->place[element];
  return row_of(l, l->all.owner[element], location)[place / 64] >> place % 64 & 1;
}

static struct liveness liveness_create(const struct model *model, struct arena *arena) {
  struct liveness l = {.all = instances_of(model, arena), .arena = arena};
  l.moves = arena_array(arena, model->transition_count, sizeof *l.moves);
  l.place = arena_array(arena, model->value_count, sizeof *l.place);
  l.kept = arena_array(arena, model->value_count, sizeof *l.kept);
  l.assigned = arena_array(arena, model->value_count, sizeof *l.assigned);
  l.locals = arena_array(arena, l.all.count, sizeof *l.locals);
  l.unknown = arena_array(arena, l.all.count, sizeof *l.unknown);
  l.live = arena_array(arena, l.all.count, sizeof *l.live);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t e = variable->first; e < variable->first + variable->count; e++) {
      l.kept[e] = variable->length > MOST_ELEMENTS || !variable->assigned;
      if (l.all.owner[e] != NO_INSTANCE)
        l.place[e] = l.locals[l.all.owner[e]]++;
    }
  }
  for (uint32_t i = 0; i < l.all.count; i++)
    l.live[i] = arena_array(arena, (size_t)instance_locations(&l.all, i) * words_of(&l, i), sizeof *l.live[i]);
  return l;
}

/* ---- reads and assignments ----------------------------------------------------------------------- */

static void add_live(struct liveness *l, uint32_t element, uint32_t location) {
  const uint32_t instance = l->all.owner[element], place = l->place[element];
  const uint32_t first = location == ANY_LOCATION ? 0 : location,
                 end = location == ANY_LOCATION ? instance_locations(&l->all, instance) : location + 1;
  for (uint32_t i = first; i < end; i++)
    row_of(l, instance, i)[place / 64] |= UINT64_C(1) << place % 64;
}

static void read_elements(void *user, struct elements elements, const struct fact *facts) {
  struct liveness *l = user;
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (l->all.owner[e] != NO_INSTANCE && !(l->now && l->assigned[e] == l->now))
      add_live(l, e, fact_location(facts, l->all.owner[e]));
}

static void visit(struct liveness *l, const struct expr *expr, const struct fact *facts, bool after) {
  const struct access_visitor visitor = {
      .all = &l->all, .arena = l->arena, .after = after, .read = read_elements, .user = l};
  access_visit(&visitor, expr, facts);
}

static void visit_state(void *user, const struct expr *expr) { visit(user, expr, NULL, false); }

static struct move *move_of(struct moves *m, uint32_t instance, struct arena *arena) {
  for (size_t i = 0; i < m->move_count; i++)
    if (m->moves[i].instance == instance)
      return &m->moves[i];
  const uint32_t from = fact_location(m->facts, instance);
  struct move *move = ARENA_PUSH(arena, m->moves, m->move_count, m->move_cap);
  *move = (struct move){instance, from, from};
  return move;
}

static void assign_location(struct liveness *l, struct moves *m, const struct statement *s, bool inner,
                            struct elements elements) {
  const bool known = !inner && elements.first == elements.last && s->value->op == EXPR_CONST;
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (known)
      move_of(m, l->all.located[e], l->arena)->to = (uint32_t)s->value->value;
    else
      l->unknown[l->all.located[e]] = true;
}

static void assign(struct liveness *l, struct moves *m, const struct statement *s, bool inner) {
  const struct elements elements = elements_of(l->all.model, s->id, s->index);
  if (l->all.located[elements.first] != NO_INSTANCE) {
    assign_location(l, m, s, inner, elements);
    return;
  }
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (l->all.owner[e] != NO_INSTANCE)
      *ARENA_PUSH(l->arena, m->written, m->written_count, m->written_cap) = e;
  const uint32_t e = elements.first;
  if (inner || elements.last != e || l->all.owner[e] == NO_INSTANCE || l->assigned[e] == l->now)
    return;
  l->assigned[e] = l->now;
  *ARENA_PUSH(l->arena, m->killed, m->killed_count, m->killed_cap) = e;
}

static void execute(struct liveness *l, struct moves *m, const struct statement *list, size_t count, bool inner) {
  for (size_t i = 0; i < count; i++) {
    visit(l, list[i].index, m->facts, true);
    visit(l, list[i].value, m->facts, true);
    visit(l, list[i].displayed, m->facts, true);
    if (list[i].op == ST_ASSIGN)
      assign(l, m, &list[i], inner);
    execute(l, m, list[i].then, statement_inner_count(&list[i]), true);
  }
}

/* What is only shown is not reset before it is. */
static void visit_shown(struct liveness *l, const struct transition *t, const struct fact *facts) {
  for (size_t i = 0; i < t->printed_count; i++)
    visit(l, t->printed[i].value, facts, false);
  for (size_t i = 0; i < t->object_count; i++)
    visit(l, t->objects[i].index, facts, false);
  for (size_t i = 0; i < t->implied_count; i++)
    visit(l, t->implied[i], facts, false);
  if (!t->message)
    return;
  visit(l, t->message->element, facts, false);
  for (size_t i = 0; i < t->message->field_count; i++)
    visit(l, t->message->fields[i].value, facts, false);
}

static void follow(struct liveness *l, uint32_t number) {
  const struct transition *t = &l->all.model->transitions[number];
  struct moves *m = &l->moves[number];
  m->facts = transition_facts(&l->all, t, l->arena);
  l->now = 0;
  for (size_t i = 0; i < t->guard_count; i++)
    visit(l, t->guards[i], m->facts, false);
  visit_shown(l, t, m->facts);
  for (const struct fact *f = m->facts; f; f = f->outer)
    move_of(m, f->instance, l->arena);
  l->now = number + 1;
  execute(l, m, t->statements, t->statement_count, false);
  /* Assigned where the location is not known: a value that only some paths reset would make more states. */
  for (size_t i = 0; i < m->written_count; i++) {
    const uint32_t before = (uint32_t)m->move_count;
    if (move_of(m, l->all.owner[m->written[i]], l->arena)->to == ANY_LOCATION)
      l->kept[m->written[i]] = true;
    m->move_count = before;
  }
  l->now = 0;
}

static void visit_model(struct liveness *l) {
  const struct model *model = l->all.model;
  for (uint32_t t = 0; t < model->transition_count; t++)
    follow(l, t);
  for (size_t i = 0; i < model->property_count; i++)
    property_expressions(&model->properties[i], visit_state, l);
  visit_state(l, model->committed);
  for (size_t i = 0; i < model->measure_count; i++)
    for (size_t k = 0; k < model->measures[i].count; k++)
      read_elements(l, (struct elements){model->measures[i].elements[k], model->measures[i].elements[k]}, NULL);
}

/* ---- the fixpoint -------------------------------------------------------------------------------- */

/* Adds the locals that are live behind the move and not assigned by it. True: one was added. */
static bool flow(struct liveness *l, const struct moves *m, const struct move *move, uint64_t *mask) {
  const uint32_t i = move->instance, words = words_of(l, i);
  const uint32_t first = move->from == ANY_LOCATION ? 0 : move->from,
                 end = move->from == ANY_LOCATION ? instance_locations(&l->all, i) : move->from + 1;
  bool changed = false;
  memset(mask, 0xff, words * sizeof *mask);
  for (size_t k = 0; k < m->killed_count; k++)
    if (l->all.owner[m->killed[k]] == i)
      mask[l->place[m->killed[k]] / 64] &= ~(UINT64_C(1) << l->place[m->killed[k]] % 64);
  for (uint32_t from = first; from < end; from++)
    for (uint32_t w = 0; w < words; w++) {
      uint64_t *row = row_of(l, i, from) + w;
      const uint64_t more = row_of(l, i, move->to)[w] & mask[w] & ~*row;
      *row |= more;
      changed = changed || more;
    }
  return changed;
}

static void solve(struct liveness *l) {
  const struct model *model = l->all.model;
  uint64_t *mask = arena_array(l->arena, model->value_count / 64 + 1, sizeof *mask);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t t = model->transition_count; t-- > 0;)
      for (size_t i = 0; i < l->moves[t].move_count; i++) {
        const struct move *move = &l->moves[t].moves[i];
        if (move->to != ANY_LOCATION && move->to != move->from)
          changed |= flow(l, &l->moves[t], move, mask);
      }
  }
}

/* ---- resets -------------------------------------------------------------------------------------- */

static bool is_written(const struct moves *m, uint32_t element) {
  for (size_t i = 0; i < m->written_count; i++)
    if (m->written[i] == element)
      return true;
  return false;
}

/* The last assignment of the local gives it its initial value. */
static bool is_reset(const struct liveness *l, const struct transition *t, uint32_t variable, uint32_t element) {
  const struct model *model = l->all.model;
  for (size_t i = t->statement_count; i-- > 0;) {
    const struct statement *s = &t->statements[i];
    const struct variable *v = &model->variables[variable];
    if (s->op == ST_IF)
      return false;
    if (s->op != ST_ASSIGN || s->id != variable)
      continue;
    const struct elements elements = elements_of(model, variable, s->index);
    if (elements.first <= v->first + element && v->first + element <= elements.last)
      return elements.first == elements.last && s->value->op == EXPR_CONST && s->value->value == v->init[element];
  }
  return false;
}

static const struct expr *constant(int64_t value, struct arena *arena) {
  struct expr *e = arena_alloc(arena, sizeof *e);
  *e = constant_expression(value);
  return e;
}

struct resets {
  struct statement *items;
  size_t n, cap;
};

static void reset_locals_of(struct liveness *l, uint32_t number, const struct move *move, bool *reset,
                            struct resets *out) {
  const struct model *model = l->all.model;
  const struct moves *m = &l->moves[number];
  const uint32_t process = l->all.process[move->instance], instance = l->all.number[move->instance];
  for (uint32_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t e = instance * variable->length;
         variable->kind == VARIABLE_LOCAL && variable->owner == process && e < (instance + 1) * variable->length; e++) {
      const uint32_t at = variable->first + e;
      if (l->kept[at] || is_live(l, at, move->to))
        continue;
      if (!(move->from == ANY_LOCATION || is_live(l, at, move->from) || is_written(m, at)) ||
          is_reset(l, &model->transitions[number], v, e))
        continue;
      reset[at] = true;
      *ARENA_PUSH(l->arena, out->items, out->n, out->cap) =
          (struct statement){.op = ST_ASSIGN,
                             .at = NOWHERE,
                             .id = v,
                             .site = NO_SITE,
                             .index = e ? constant(e, l->arena) : NULL,
                             .value = constant(variable->init[e], l->arena)};
    }
  }
}

/* Resets stand before the changes of location, which come last. */
static void insert(struct transition *t, const struct model *model, const struct resets *resets, struct arena *arena) {
  struct statement *all = arena_array(arena, t->statement_count + resets->n, sizeof *all);
  size_t place = t->statement_count;
  while (place > 0 && t->statements[place - 1].op == ST_ASSIGN &&
         model->variables[t->statements[place - 1].id].kind == VARIABLE_LOCATION)
    place--;
  if (place > 0)
    memcpy(all, t->statements, place * sizeof *all);
  memcpy(all + place, resets->items, resets->n * sizeof *all);
  if (place < t->statement_count)
    memcpy(all + place + resets->n, t->statements + place, (t->statement_count - place) * sizeof *all);
  t->statements = all;
  t->statement_count += resets->n;
}

static uint32_t count_resets(const struct liveness *l, const bool *reset) {
  const struct model *model = l->all.model;
  uint32_t count = 0;
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t e = 0; e < model->variables[v].count; e += model->variables[v].length) {
      bool any = false;
      for (uint32_t i = 0; i < model->variables[v].length; i++)
        any = any || reset[model->variables[v].first + e + i];
      count += any;
    }
  return count;
}

void reset_dead_locals(struct arena *arena, struct simplified *out) {
  const struct model *model = out->model;
  struct liveness l = liveness_create(model, arena);
  struct transition *transitions = arena_array(arena, model->transition_count, sizeof *transitions);
  bool *reset = arena_array(arena, model->value_count, sizeof *reset);
  visit_model(&l);
  solve(&l);
  for (uint32_t t = 0; t < model->transition_count; t++) {
    struct resets resets = {0};
    transitions[t] = model->transitions[t];
    for (size_t i = 0; i < l.moves[t].move_count && !never_fires(&model->transitions[t]); i++) {
      const struct move *move = &l.moves[t].moves[i];
      if (move->to != ANY_LOCATION && !l.unknown[move->instance])
        reset_locals_of(&l, t, move, reset, &resets);
    }
    if (resets.n) {
      insert(&transitions[t], model, &resets, arena);
      out->reset_transitions++;
    }
  }
  out->resets = count_resets(&l, reset);
  struct model *copy = arena_alloc(arena, sizeof *copy);
  *copy = *model;
  copy->transitions = transitions;
  out->model = copy;
}
