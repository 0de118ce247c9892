#include "reference_semantics.h"

#include "reference_expressions.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ACTIONS 64
#define MAX_SELECT_COUNT 4
#define MAX_FIELDS 8

/* ---- actions: transitions of instances whose location and guard allow them
 * ----------------------- */

struct action {
  struct actor actor; /* names: the selects */
  const struct syntax_transition *t;
  uint32_t from;
  struct name names[MAX_SELECT_COUNT];
};

struct actions {
  struct action *items;
  size_t n;
};

static bool leaves(const struct run *r, const struct action *a) {
  const char *from = r->model->processes[a->actor.process].locations[a->from].name;
  if (strcmp(a->t->from[0].name, "*") == 0)
    return true;
  for (size_t i = 0; i < a->t->from_count; i++)
    if (strcmp(a->t->from[i].name, from) == 0)
      return true;
  return false;
}

/* ---- fields that a receive binds to names ----------------------------------------------------- */

static bool is_select(const struct syntax_transition *t, const char *name) {
  for (size_t i = 0; i < t->select_count; i++)
    if (strcmp(t->selects[i].name, name) == 0)
      return true;
  return false;
}

static const char *bound_name(const struct run *r, const struct action *a, size_t f) {
  const struct syntax_sync *sync = a->t->sync;
  if (!sync || sync->send || sync->arguments[f].kind != ARGUMENT_VALUE || sync->arguments[f].expr->op != SYN_NAME)
    return NULL;
  const char *name = sync->arguments[f].expr->name;
  return is_select(a->t, name) || reference_variable(r, name, a->actor.process) != NO_PROCESS ? NULL : name;
}

static bool mentions(const struct syntax_expr *e, const char *name) {
  for (size_t i = 0; e && i < e->arguments.n; i++)
    if (mentions(e->arguments.items[i], name))
      return true;
  return e && ((e->op == SYN_NAME && strcmp(e->name, name) == 0) || mentions(e->a, name) || mentions(e->b, name) ||
               mentions(e->c, name));
}

/* True if the guard can be tested only once the message is known. */
static bool waits_for_message(const struct run *r, const struct action *a) {
  for (size_t f = 0; a->t->sync && f < a->t->sync->n; f++) {
    const char *name = bound_name(r, a, f);
    if (name && mentions(a->t->guard, name))
      return true;
  }
  return false;
}

/* The actor with the names of the first n fields bound; `names` has room for them. */
static struct actor actor_with_fields(const struct run *r, const struct action *a, const int64_t *fields, size_t n,
                                      struct name *names) {
  struct actor w = a->actor;
  for (size_t f = 0; f < n; f++) {
    const char *name = bound_name(r, a, f);
    if (!name)
      continue;
    names[f] = (struct name){.name = name, .value = fields[f], .outer = w.names};
    w.names = &names[f];
  }
  return w;
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* Chooses values for selects i.. and adds the actions whose guard holds. */
static void add_choices(struct run *r, struct actions *out, const struct action *draft, size_t i) {
  if (i == draft->t->select_count) {
    struct action *a = &out->items[out->n];
    *a = *draft;
    for (size_t k = 0; k < i; k++)
      a->names[k].outer = k ? &a->names[k - 1] : NULL;
    a->actor.names = i ? &a->names[i - 1] : NULL;
    if (!a->t->guard || a->t->otherwise || waits_for_message(r, a) || reference_value(r, a->actor, a->t->guard))
      out->n++;
    return;
  }
  int64_t lo, hi;
  reference_range(r, draft->actor, &draft->t->selects[i].range, &lo, &hi);
  for (int64_t value = lo; value <= hi; value++) {
    struct action next = *draft;
    next.names[i] = (struct name){.name = draft->t->selects[i].name, .value = value};
    add_choices(r, out, &next, i + 1);
  }
}

/* Finds the edges with guard="else", or all others. */
static void find_actions(struct run *r, struct actions *out, bool otherwise) {
  for (uint32_t p = 0; p < r->model->process_count; p++)
    for (uint32_t i = 0; i < r->model->processes[p].instances; i++)
      for (size_t t = 0; t < r->syntax->processes[p].transition_count; t++) {
        struct action a = {.actor = {p, i, NULL}, .t = &r->syntax->processes[p].transitions[t]};
        a.from = (uint32_t)*reference_location_value(r, r->now, a.actor);
        if (a.t->otherwise == otherwise && leaves(r, &a))
          add_choices(r, out, &a, 0);
      }
}

static bool committed(const struct run *r, const struct action *a) {
  return r->model->processes[a->actor.process].locations[a->from].committed;
}

static bool someone_committed(const struct run *r) {
  for (uint32_t p = 0; p < r->model->process_count; p++)
    for (uint32_t i = 0; i < r->model->processes[p].instances; i++) {
      struct actor w = {p, i, NULL};
      if (r->model->processes[p].locations[*reference_location_value(r, (int64_t *)r->before, w)].committed)
        return true;
    }
  return false;
}

/* ---- firing -------------------------------------------------------------------------- */

static void assign(struct run *r, struct actor w, const struct syntax_expr *target, const struct syntax_expr *value,
                   const int64_t *given) {
  const struct syntax_expr *name = target->op == SYN_INDEX ? target->a : target;
  uint32_t variable = reference_variable(r, name->name, w.process);
  const struct variable *v = &r->model->variables[variable];
  int64_t *place = reference_element(r, w, variable, &w, target->op == SYN_INDEX ? target->b : NULL);
  int64_t result = given ? *given : reference_value(r, w, value);
  if (result < v->lo || result > v->hi)
    reference_fail(r);
  *place = result;
}

static void statements(struct run *r, struct actor w, const struct syntax_statement *list, size_t n);

static void loop(struct run *r, struct actor w, const struct syntax_statement *s) {
  int64_t lo, hi;
  reference_range(r, w, &s->range, &lo, &hi);
  for (int64_t i = lo; i <= hi; i++) {
    struct name bound = {.name = s->name.name, .value = i, .outer = w.names};
    statements(r, (struct actor){w.process, w.instance, &bound}, s->body, s->body_count);
  }
}

static void statements(struct run *r, struct actor w, const struct syntax_statement *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct syntax_statement *s = &list[i];
    if (s->kind == STATEMENT_ASSIGN)
      assign(r, w, s->target, s->value, NULL);
    else if (s->kind == STATEMENT_FOR)
      loop(r, w, s);
    else if (s->kind == STATEMENT_IF && reference_value(r, w, s->value))
      statements(r, w, s->body, s->body_count);
    else if (s->kind == STATEMENT_IF)
      statements(r, w, s->otherwise, s->otherwise_count);
    else if (!reference_value(r, w, s->value))
      reference_fail(r);
  }
}

static void effects(struct run *r, const struct action *a, const int64_t *fields) {
  struct name names[MAX_FIELDS];
  const struct actor w = actor_with_fields(r, a, fields, a->t->sync ? a->t->sync->n : 0, names);
  statements(r, w, a->t->effects, a->t->effect_count);
}

static void take_fields(struct run *r, const struct action *a, const int64_t *fields) {
  for (size_t f = 0; f < a->t->sync->n; f++)
    if (a->t->sync->arguments[f].kind == ARGUMENT_VALUE && !bound_name(r, a, f)) {
      struct name names[MAX_FIELDS];
      assign(r, actor_with_fields(r, a, fields, f, names), a->t->sync->arguments[f].expr, NULL, &fields[f]);
    }
}

static void move(struct run *r, const struct action *a) {
  if (a->t->to.name)
    *reference_location_value(r, r->now, a->actor) = reference_location(r, a->actor.process, a->t->to.name);
}

static bool fields_match(struct run *r, const struct action *a, const int64_t *fields) {
  struct name names[MAX_FIELDS];
  for (size_t f = 0; f < a->t->sync->n; f++)
    if (a->t->sync->arguments[f].kind == ARGUMENT_MATCH &&
        reference_value(r, actor_with_fields(r, a, fields, f, names), a->t->sync->arguments[f].expr) != fields[f])
      return false;
  return !waits_for_message(r, a) ||
         reference_value(r, actor_with_fields(r, a, fields, a->t->sync->n, names), a->t->guard);
}

static void values_sent(struct run *r, const struct action *a, int64_t *fields) {
  for (size_t f = 0; f < a->t->sync->n; f++)
    fields[f] = reference_value(r, a->actor, a->t->sync->arguments[f].expr);
}

static void check_sent(struct run *r, uint32_t channel, size_t n, const int64_t *fields) {
  for (size_t f = 0; f < n; f++) {
    const struct syntax_range *range = &r->syntax->channels[channel].fields.items[f];
    struct actor nobody = {NO_PROCESS, 0, NULL};
    int64_t lo = range->lo ? reference_value(r, nobody, range->lo) : 0;
    int64_t hi = range->lo ? reference_value(r, nobody, range->hi) : 1;
    if (fields[f] < lo || fields[f] > hi)
      reference_fail(r);
  }
}

static int64_t *buffer_place(struct run *r, uint32_t channel, size_t field, uint32_t number, int64_t position) {
  const struct channel *c = &r->model->channels[channel];
  const struct variable *v = &r->model->variables[c->field_variables[field]];
  return &r->now[v->first + number * c->capacity + (uint32_t)position];
}

static void append(struct run *r, const struct action *a, const int64_t *fields) {
  uint32_t channel = reference_channel(r, a->t->sync->channel);
  uint32_t number = reference_channel_element(r, a->actor, a->t->sync->channel);
  int64_t *length = reference_length(r, channel, number);
  for (size_t f = 0; f < a->t->sync->n; f++)
    *buffer_place(r, channel, f, number, *length) = fields[f];
  ++*length;
}

static void remove_first(struct run *r, const struct action *a) {
  uint32_t channel = reference_channel(r, a->t->sync->channel);
  uint32_t number = reference_channel_element(r, a->actor, a->t->sync->channel);
  int64_t *length = reference_length(r, channel, number);
  for (size_t f = 0; f < a->t->sync->n; f++) {
    for (int64_t i = 0; i + 1 < *length; i++)
      *buffer_place(r, channel, f, number, i) = *buffer_place(r, channel, f, number, i + 1);
    uint32_t v = r->model->channels[channel].field_variables[f];
    *buffer_place(r, channel, f, number, *length - 1) = r->model->variables[v].lo;
  }
  --*length;
}

/* One firing: participants in order, the initiator first. */
static void fire(struct run *r, const struct action *const *all, size_t n) {
  bool some_committed = someone_committed(r), leaves_committed = false;
  for (size_t i = 0; i < n; i++)
    leaves_committed |= committed(r, all[i]);
  if (some_committed && !leaves_committed)
    return;
  size_t width = r->out->width;
  memcpy(r->now, r->before, width * sizeof *r->now);
  jmp_buf outer;
  memcpy(&outer, &r->failed, sizeof outer);
  if (setjmp(r->failed)) {
    r->out->failures++;
  } else {
    const struct syntax_sync *sync = all[0]->t->sync;
    int64_t fields[MAX_FIELDS] = {0};
    uint32_t channel = sync ? reference_channel(r, sync->channel) : 0;
    bool buffered = sync && r->model->channels[channel].capacity;
    if (sync && sync->send) {
      values_sent(r, all[0], fields);
      check_sent(r, channel, sync->n, fields);
    }
    if (buffered && sync->send) {
      append(r, all[0], fields);
    } else if (buffered) {
      uint32_t number = reference_channel_element(r, all[0]->actor, sync->channel);
      for (size_t f = 0; f < sync->n; f++)
        fields[f] = *buffer_place(r, channel, f, number, 0);
      remove_first(r, all[0]);
      take_fields(r, all[0], fields);
    }
    for (size_t i = 1; i < n; i++)
      take_fields(r, all[i], fields);
    for (size_t i = 0; i < n; i++)
      effects(r, all[i], fields);
    for (size_t i = 0; i < n; i++)
      move(r, all[i]);
    if (r->out->count == r->out->cap) {
      r->out->cap = r->out->cap ? 2 * r->out->cap : 16;
      r->out->successors = realloc(r->out->successors, r->out->cap * width * sizeof(int64_t));
    }
    memcpy(r->out->successors + r->out->count++ * width, r->now, width * sizeof(int64_t));
  }
  memcpy(&r->failed, &outer, sizeof outer);
  memcpy(r->now, r->before, width * sizeof *r->now);
}

/* ---- combinations ---------------------------------------------------------------- */

static bool same_instance(const struct action *a, const struct action *b) {
  return a->actor.process == b->actor.process && a->actor.instance == b->actor.instance;
}

static bool can_receive(struct run *r, const struct action *sender, const struct action *a, const int64_t *fields) {
  uint32_t channel = reference_channel(r, sender->t->sync->channel);
  return a->t->sync && !a->t->sync->send && !same_instance(sender, a) &&
         reference_channel(r, a->t->sync->channel) == channel &&
         reference_channel_element(r, a->actor, a->t->sync->channel) ==
             reference_channel_element(r, sender->actor, sender->t->sync->channel) &&
         fields_match(r, a, fields);
}

/* Fires every combination of one receiver for each instance from `from` on that has receivers. */
static void combine(struct run *r, const struct actions *all, const int64_t *fields, size_t from,
                    const struct action **team, size_t n) {
  if (from == all->n) {
    fire(r, team, n);
    return;
  }
  size_t end = from;
  bool some = false;
  while (end < all->n && same_instance(&all->items[from], &all->items[end]))
    end++;
  for (size_t i = from; i < end; i++)
    if (can_receive(r, team[0], &all->items[i], fields)) {
      some = true;
      team[n] = &all->items[i];
      combine(r, all, fields, end, team, n + 1);
    }
  if (!some)
    combine(r, all, fields, end, team, n);
}

static bool buffer_allows(struct run *r, const struct action *a) {
  const struct syntax_sync *sync = a->t->sync;
  uint32_t channel = reference_channel(r, sync->channel),
           number = reference_channel_element(r, a->actor, sync->channel);
  int64_t length = *reference_length(r, channel, number), fields[MAX_FIELDS];
  for (size_t f = 0; f < sync->n; f++)
    fields[f] = *buffer_place(r, channel, f, number, 0);
  return sync->send ? length < (int64_t)r->model->channels[channel].capacity : length > 0 && fields_match(r, a, fields);
}

static void fire_sync(struct run *r, const struct actions *all, const struct action *a) {
  const struct syntax_sync *sync = a->t->sync;
  const struct channel *c = &r->model->channels[reference_channel(r, sync->channel)];
  const struct action *team[MAX_ACTIONS] = {a};
  int64_t fields[MAX_FIELDS];
  if (c->capacity) {
    if (buffer_allows(r, a))
      fire(r, team, 1);
    return;
  }
  if (!sync->send)
    return;
  values_sent(r, a, fields);
  if (c->broadcast) {
    combine(r, all, fields, 0, team, 1);
    return;
  }
  for (size_t i = 0; i < all->n; i++)
    if (can_receive(r, a, &all->items[i], fields)) {
      team[1] = &all->items[i];
      fire(r, team, 2);
    }
}

/* True if no other edge of the instance is enabled (`else` beside edges that need other instances is an error). */
static bool nothing_else(struct run *r, const struct actions *all, const struct action *a) {
  for (size_t i = 0; i < all->n; i++) {
    const struct action *other = &all->items[i];
    if (!same_instance(a, other))
      continue;
    const struct syntax_sync *sync = other->t->sync;
    if (!sync || !r->model->channels[reference_channel(r, sync->channel)].capacity || buffer_allows(r, other))
      return false;
  }
  return true;
}

void reference_expand(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                      struct reference_step *out) {
  size_t width = model->value_count;
  struct run r = {.syntax = syntax, .model = model, .before = values, .out = out};
  struct actions all = {calloc(1024, sizeof *all.items), 0}, rest = {calloc(1024, sizeof *rest.items), 0};
  r.now = malloc(width * sizeof *r.now);
  memcpy(r.now, values, width * sizeof *r.now);
  out->width = width;
  if (setjmp(r.failed)) {
    out->failures++; /* failures in guards are not compared */
  } else {
    find_actions(&r, &all, false);
    find_actions(&r, &rest, true);
    for (size_t i = 0; i < all.n; i++) {
      const struct action *team[1] = {&all.items[i]};
      if (all.items[i].t->sync)
        fire_sync(&r, &all, &all.items[i]);
      else
        fire(&r, team, 1);
    }
    for (size_t i = 0; i < rest.n; i++) {
      const struct action *team[1] = {&rest.items[i]};
      if (nothing_else(&r, &all, team[0]))
        fire(&r, team, 1);
    }
  }
  free(r.now);
  free(all.items);
  free(rest.items);
}

bool reference_eval(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                    const struct syntax_expr *e, int64_t *value) {
  static const struct actor no_process = {NO_PROCESS, 0, NULL};
  struct run r = {.syntax = syntax, .model = model, .before = values, .now = (int64_t *)values};
  if (setjmp(r.failed))
    return false;
  *value = reference_value(&r, no_process, e);
  return true;
}
