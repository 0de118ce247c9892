/* A transition is a follower if it is the only one out of its location, always fires there, and changes nothing that
   another process or a property can notice. Each transition into its location executes it, too. */
#include "model/reduce/access.h"
#include "model/reduce/simplify.h"

#include <string.h>

#define NO_FOLLOWER UINT32_MAX

/* What is known of a location of an instance. */
struct place {
  uint32_t exits, exit;  /* transitions that test it, and the last of them */
  uint32_t follower;     /* NO_FOLLOWER: none */
  uint32_t to;           /* the location behind the follower */
  uint32_t before, next; /* first location of a follower that leads here; the next one that leads where this one does;
                            ANY_LOCATION: none */
  uint32_t excluded_by;  /* 1 + the last transition found not to fire while the process is here; 0: none */
  bool visible;          /* a property or the model's `committed` tests it */
  bool needed;           /* the process stays there in some state of the simplified model */
  uint8_t mark;          /* of the search for cycles */
};

struct observation {
  uint32_t instance, location;
};
struct observations {
  struct observation *items;
  size_t n, cap;
};

struct merging {
  struct instances all;
  struct arena *arena;
  struct place **places; /* [instance][location] */
  bool *opaque;          /* [instance] its location is read or assigned in ways that are not followed */
  bool *shared;          /* [value_count] a local that is accessed where the location of its instance is not known */
  const struct fact **facts;   /* [transition] */
  struct observations *tested; /* [transition] locations that its conditions and effects depend on, beside its tests */
  uint32_t transition;         /* that remove_observed looks at */
  struct observations *into;   /* where test_location appends; NULL: of properties */
  struct followers *followers; /* [transition] */
};

static struct place *place_of(struct merging *m, uint32_t instance, uint32_t location) {
  return &m->places[instance][location];
}

/* ---- what is observed ---------------------------------------------------------------------------- */

static void add_observation(struct merging *m, struct observations *out, uint32_t instance, uint32_t location) {
  *ARENA_PUSH(m->arena, out->items, out->n, out->cap) = (struct observation){instance, location};
}

static void test_location(void *user, uint32_t instance, uint32_t location) {
  struct merging *m = user;
  if (location == ANY_LOCATION)
    m->opaque[instance] = true;
  else if (m->into)
    add_observation(m, m->into, instance, location);
  else
    place_of(m, instance, location)->visible = true;
}

static void access_elements(void *user, struct elements elements, const struct fact *facts) {
  struct merging *m = user;
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (m->all.owner[e] != NO_INSTANCE && fact_location(facts, m->all.owner[e]) == ANY_LOCATION)
      m->shared[e] = true;
}

static void visit(struct merging *m, const struct expr *expr, const struct fact *facts, bool after) {
  const struct access_visitor visitor = {
      .all = &m->all, .arena = m->arena, .after = after, .read = access_elements, .test = test_location, .user = m};
  access_visit(&visitor, expr, facts);
}

static void visit_state(void *user, const struct expr *expr) { visit(user, expr, NULL, false); }

static void assign(struct merging *m, const struct statement *s, const struct fact *facts, bool inner) {
  const struct elements elements = elements_of(m->all.model, s->id, s->index);
  const uint32_t instance = m->all.located[elements.first];
  if (instance == NO_INSTANCE) {
    access_elements(m, elements, facts);
    return;
  }
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (inner || elements.first != elements.last || s->value->op != EXPR_CONST ||
        fact_location(facts, m->all.located[e]) == ANY_LOCATION)
      m->opaque[m->all.located[e]] = true;
}

static void visit_statements(struct merging *m, const struct statement *list, size_t count, const struct fact *facts,
                             bool inner) {
  for (size_t i = 0; i < count; i++) {
    visit(m, list[i].index, facts, true);
    visit(m, list[i].value, facts, true);
    if (list[i].op == ST_ASSIGN)
      assign(m, &list[i], facts, inner);
    visit_statements(m, list[i].then, statement_inner_count(&list[i]), facts, true);
  }
}

static void visit_transition(struct merging *m, uint32_t number) {
  const struct transition *t = &m->all.model->transitions[number];
  const struct fact *facts = m->facts[number] = transition_facts(&m->all, t, m->arena);
  m->into = &m->tested[number];
  for (size_t i = 0; i < t->test_count; i++) {
    const struct location_test *test = &t->tests[i];
    struct place *place =
        place_of(m, m->all.located[m->all.model->variables[test->variable].first + test->element], test->location);
    place->exits++;
    place->exit = number;
  }
  for (size_t i = 0; i < t->guard_count; i++)
    visit(m, t->guards[i], facts, false);
  visit_statements(m, t->statements, t->statement_count, facts, false);
  m->into = NULL;
}

static void visit_enabled(struct merging *m, const struct enabled *enabled) {
  for (size_t i = 0; i < enabled->count; i++) {
    const struct transition *t = enabled->transitions[i];
    for (size_t k = 0; k < t->test_count; k++)
      test_location(m, m->all.located[m->all.model->variables[t->tests[k].variable].first + t->tests[k].element],
                    t->tests[k].location);
    for (size_t k = 0; k < t->guard_count; k++)
      visit(m, t->guards[k], transition_facts(&m->all, t, m->arena), false);
  }
}

static void visit_measure(struct merging *m, const struct measure *measure) {
  for (size_t k = 0; k < measure->count; k++) {
    const uint32_t e = measure->elements[k];
    if (m->all.located[e] != NO_INSTANCE)
      m->opaque[m->all.located[e]] = true;
    m->shared[e] = true;
  }
}

static void visit_model(struct merging *m) {
  const struct model *model = m->all.model;
  for (uint32_t t = 0; t < model->transition_count; t++)
    visit_transition(m, t);
  /* The condition of deadlocks is evaluated where no follower can fire. */
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind != FLOE_DEADLOCK)
      property_expressions(&model->properties[i], visit_state, m);
  if (model->committed)
    visit_state(m, model->committed);
  for (size_t i = 0; i < model->enabled_count; i++)
    visit_enabled(m, &model->enabled[i]);
  for (size_t i = 0; i < model->measure_count; i++)
    visit_measure(m, &model->measures[i]);
}

/* ---- followers ----------------------------------------------------------------------------------- */

/* Only the instance itself assigns the elements, or nothing does. */
static bool is_own(const struct merging *m, uint32_t instance, struct elements elements) {
  for (uint32_t e = elements.first; e <= elements.last; e++)
    if (m->all.owner[e] != instance || m->shared[e])
      return false;
  return true;
}

struct own_reads {
  const struct merging *m;
  uint32_t instance;
  bool all;
};

static void check_own(void *user, struct elements elements, const struct fact *facts) {
  struct own_reads *own = user;
  (void)facts;
  own->all = own->all && is_own(own->m, own->instance, elements);
}
static void check_no_location(void *user, uint32_t instance, uint32_t location) {
  struct own_reads *own = user;
  (void)instance, (void)location;
  own->all = false;
}

/* It reads locals of the instance only, and cannot fail. */
static bool reads_own(struct merging *m, uint32_t instance, const struct expr *expr) {
  struct own_reads own = {m, instance, true};
  const struct access_visitor visitor = {
      .all = &m->all, .arena = m->arena, .after = true, .read = check_own, .test = check_no_location, .user = &own};
  access_visit(&visitor, expr, NULL);
  return own.all && !(expr && expr->can_fail);
}

/* *to: where the statements leave the location of the instance. */
static bool effects_are_own(struct merging *m, uint32_t instance, const struct statement *list, size_t count,
                            bool inner, uint32_t *to) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *s = &list[i];
    const struct site *site = s->op == ST_ASSIGN && s->site != NO_SITE ? &m->all.model->sites[s->site] : NULL;
    const bool may_fail = site && (!site->proved || site->guessed);
    if ((s->op != ST_ASSIGN && s->op != ST_IF) || may_fail || !reads_own(m, instance, s->index) ||
        !reads_own(m, instance, s->value) || !effects_are_own(m, instance, s->then, statement_inner_count(s), true, to))
      return false;
    if (s->op != ST_ASSIGN)
      continue;
    const struct elements elements = elements_of(m->all.model, s->id, s->index);
    const bool moves = m->all.located[elements.first] == instance;
    if (moves && !inner && elements.first == elements.last && s->value->op == EXPR_CONST)
      *to = (uint32_t)s->value->value;
    else if (!is_own(m, instance, elements))
      return false;
  }
  return true;
}

/* The transition out of a location, if it is a follower, apart from what observes the location. */
static void find_follower(struct merging *m, uint32_t instance, uint32_t location) {
  struct place *place = place_of(m, instance, location);
  const struct model *model = m->all.model;
  uint32_t to = location;
  place->follower = NO_FOLLOWER;
  if (place->exits != 1 || place->visible)
    return;
  const struct transition *t = &model->transitions[place->exit];
  const struct initiator_transitions *by = &model->initiators[t->initiator];
  if (t->test_count != 1 || t->guard_count || t->select_count || t->temp_count || t->otherwise || t->undo_count ||
      t->participant_count != 1 || by->process != m->all.process[instance] || by->instance != m->all.number[instance] ||
      !effects_are_own(m, instance, t->statements, t->statement_count, false, &to) || to == location ||
      place_of(m, instance, to)->visible)
    return;
  place->follower = place->exit;
  place->to = to;
}

static void exclude(void *user, uint32_t instance, uint32_t location) {
  struct merging *m = user;
  place_of(m, instance, location)->excluded_by = m->transition + 1;
}

/* The transition does not fire while the instance is at the location. */
static bool is_excluded(struct merging *m, uint32_t instance, uint32_t location) {
  const uint32_t known = fact_location(m->facts[m->transition], instance);
  return (known != ANY_LOCATION && known != location) ||
         place_of(m, instance, location)->excluded_by == m->transition + 1;
}

static void keep_step(struct merging *m, uint32_t instance, uint32_t location) {
  if (!is_excluded(m, instance, location))
    place_of(m, instance, location)->follower = NO_FOLLOWER;
}

/* The transition depends on whether the instance is at the location: no follower may start or end there, unless the
   transition does not fire before that. */
static void observe(struct merging *m, struct observation seen) {
  keep_step(m, seen.instance, seen.location);
  for (uint32_t l = place_of(m, seen.instance, seen.location)->before; l != ANY_LOCATION;
       l = place_of(m, seen.instance, l)->next)
    keep_step(m, seen.instance, l);
}

static void remove_observed(struct merging *m) {
  const struct model *model = m->all.model;
  for (m->transition = 0; m->transition < model->transition_count; m->transition++) {
    const struct transition *t = &model->transitions[m->transition];
    const struct observations *tested = &m->tested[m->transition];
    bool total = true;
    for (size_t i = 0; tested->n && i < t->guard_count; i++)
      access_excluded(&m->all, t->guards[i], true, &total, exclude, m);
    for (size_t i = 0; i < tested->n; i++)
      observe(m, tested->items[i]);
  }
}

/* Sets `before` and `next`. */
static void list_sources(struct merging *m, uint32_t instance) {
  const uint32_t n = instance_locations(&m->all, instance);
  for (uint32_t l = 0; l < n; l++)
    place_of(m, instance, l)->before = ANY_LOCATION;
  for (uint32_t l = 0; l < n; l++)
    if (place_of(m, instance, l)->follower != NO_FOLLOWER) {
      struct place *to = place_of(m, instance, place_of(m, instance, l)->to);
      place_of(m, instance, l)->next = to->before;
      to->before = l;
    }
}

/* Followers that lead back to their own location: one of each cycle remains a step. */
static void break_cycles(struct merging *m, uint32_t instance) {
  const uint32_t n = instance_locations(&m->all, instance);
  for (uint32_t first = 0; first < n; first++) {
    uint32_t l = first;
    while (place_of(m, instance, l)->follower != NO_FOLLOWER && !place_of(m, instance, l)->mark) {
      place_of(m, instance, l)->mark = 1; /* on this path */
      l = place_of(m, instance, l)->to;
    }
    if (place_of(m, instance, l)->mark == 1)
      place_of(m, instance, l)->follower = NO_FOLLOWER;
    for (l = first; place_of(m, instance, l)->mark == 1; l = place_of(m, instance, l)->to)
      place_of(m, instance, l)->mark = 2;
  }
}

static void find_followers(struct merging *m) {
  for (uint32_t i = 0; i < m->all.count; i++)
    for (uint32_t l = 0; l < instance_locations(&m->all, i); l++) {
      find_follower(m, i, l);
      if (m->opaque[i])
        place_of(m, i, l)->follower = NO_FOLLOWER;
    }
  for (uint32_t i = 0; i < m->all.count; i++)
    list_sources(m, i);
  remove_observed(m);
  for (uint32_t i = 0; i < m->all.count; i++)
    break_cycles(m, i);
}

/* ---- merged transitions -------------------------------------------------------------------------- */

/* After the transition, the holder permits transitions of the instance. */
static bool may_continue(const struct merging *m, const struct transition *t, uint32_t instance) {
  const struct model *model = m->all.model;
  const struct initiator_transitions *by = &model->initiators[t->initiator];
  if (!model->transient)
    return true;
  for (size_t i = t->statement_count; i-- > 0;) {
    const struct statement *s = &t->statements[i];
    if (s->op == ST_IF)
      return false;
    if (s->op != ST_ASSIGN || s->id != model->transient->variable)
      continue;
    if (s->value->op != EXPR_CONST)
      return false;
    if (s->value->value == 0)
      return true;
    const uint32_t initiator = model->transient->holders[s->value->value - 1].initiator;
    if (initiator == NO_INITIATOR)
      return false;
    by = &model->initiators[initiator];
    break;
  }
  return by->process == m->all.process[instance] && by->instance == m->all.number[instance];
}

/* Where the transition leaves the instance; ANY_LOCATION: it does not move it. */
static uint32_t target_of(const struct merging *m, const struct transition *t, uint32_t instance) {
  uint32_t to = ANY_LOCATION;
  for (size_t i = 0; i < t->statement_count; i++) {
    const struct statement *s = &t->statements[i];
    if (s->op == ST_ASSIGN && s->value->op == EXPR_CONST &&
        m->all.located[elements_of(m->all.model, s->id, s->index).first] == instance)
      to = (uint32_t)s->value->value;
  }
  return to;
}

/* Calls `found` for each instance that the transition leaves at the location of a follower. */
static void each_entry(struct merging *m, uint32_t number,
                       void (*found)(struct merging *m, uint32_t number, uint32_t instance, struct place *place)) {
  const struct transition *t = &m->all.model->transitions[number];
  for (const struct fact *f = m->facts[number]; f; f = f->outer) {
    if (fact_location(m->facts[number], f->instance) != f->location || m->opaque[f->instance])
      continue;
    const uint32_t to = target_of(m, t, f->instance);
    struct place *place = to == ANY_LOCATION ? NULL : place_of(m, f->instance, to);
    bool again = false; /* a later fact is about the same instance */
    for (const struct fact *g = f->outer; g; g = g->outer)
      again = again || g->instance == f->instance;
    if (place && !again && place->follower != NO_FOLLOWER)
      found(m, number, f->instance, place);
  }
}

static void mark_needed(struct merging *m, uint32_t number, uint32_t instance, struct place *place) {
  if (!may_continue(m, &m->all.model->transitions[number], instance))
    place->needed = true;
}

static void append(struct merging *m, uint32_t number, uint32_t instance, struct place *place) {
  struct followers *out = &m->followers[number];
  const struct place *end = place;
  size_t more = 0;
  if (!may_continue(m, &m->all.model->transitions[number], instance))
    return;
  for (; end->follower != NO_FOLLOWER; end = place_of(m, instance, end->to))
    more++;
  uint32_t *all = arena_array(m->arena, out->count + more, sizeof *all);
  if (out->count)
    memcpy(all, out->transitions, out->count * sizeof *all);
  for (; place->follower != NO_FOLLOWER; place = place_of(m, instance, place->to))
    all[out->count++] = place->follower;
  out->transitions = all;
}

/* It leaves a location where the process never stays. */
static bool is_unneeded(struct merging *m, uint32_t number) {
  const struct transition *t = &m->all.model->transitions[number];
  for (size_t i = 0; i < t->test_count; i++) {
    const uint32_t instance = m->all.located[m->all.model->variables[t->tests[i].variable].first + t->tests[i].element];
    const struct place *place = place_of(m, instance, t->tests[i].location);
    if (place->follower != NO_FOLLOWER && !place->needed)
      return true;
  }
  return never_fires(t);
}

static struct transition with_followers(const struct merging *m, uint32_t number) {
  const struct model *model = m->all.model;
  const struct followers *followers = &m->followers[number];
  struct transition t = model->transitions[number];
  size_t n = t.statement_count;
  for (size_t i = 0; i < followers->count; i++)
    n += model->transitions[followers->transitions[i]].statement_count;
  struct statement *all = arena_array(m->arena, n, sizeof *all);
  memcpy(all, t.statements, t.statement_count * sizeof *all);
  n = t.statement_count;
  for (size_t i = 0; i < followers->count; i++) {
    const struct transition *f = &model->transitions[followers->transitions[i]];
    memcpy(all + n, f->statements, f->statement_count * sizeof *all);
    n += f->statement_count;
  }
  t.statements = all;
  t.statement_count = n;
  return t;
}

static void merge(struct merging *m, struct simplified *out) {
  const struct model *model = m->all.model;
  struct transition *transitions = arena_array(m->arena, model->transition_count, sizeof *transitions);
  bool *follows = arena_array(m->arena, model->transition_count, sizeof *follows);
  for (uint32_t t = 0; t < model->transition_count; t++)
    each_entry(m, t, mark_needed);
  for (uint32_t t = 0; t < model->transition_count; t++) {
    if (!is_unneeded(m, t))
      each_entry(m, t, append);
    transitions[t] = m->followers[t].count ? with_followers(m, t) : model->transitions[t];
    for (size_t i = 0; i < m->followers[t].count; i++)
      follows[m->followers[t].transitions[i]] = true;
  }
  for (size_t t = 0; t < model->transition_count; t++)
    out->merged += follows[t];
  struct model *copy = arena_alloc(m->arena, sizeof *copy);
  *copy = *model;
  copy->transitions = transitions;
  out->model = copy;
  out->followers = m->followers;
}

void merge_transitions(struct arena *arena, struct simplified *out) {
  const struct model *model = out->model;
  struct merging m = {.all = instances_of(model, arena), .arena = arena};
  m.places = arena_array(arena, m.all.count, sizeof *m.places);
  m.opaque = arena_array(arena, m.all.count, sizeof *m.opaque);
  m.shared = arena_array(arena, model->value_count, sizeof *m.shared);
  m.facts = arena_array(arena, model->transition_count, sizeof *m.facts);
  m.tested = arena_array(arena, model->transition_count, sizeof *m.tested);
  m.followers = arena_array(arena, model->transition_count, sizeof *m.followers);
  for (uint32_t i = 0; i < m.all.count; i++) {
    m.places[i] = arena_array(arena, instance_locations(&m.all, i), sizeof *m.places[i]);
    place_of(&m, i, instance_initial(&m.all, i))->needed = true;
  }
  visit_model(&m);
  find_followers(&m);
  merge(&m, out);
}
