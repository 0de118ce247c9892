#include "model/interpreter/sequence.h"

#include "model/transitions/successor_bound.h"

#include <assert.h>
#include <string.h>

/* A firing whose successor has not been expanded. */
struct pending {
  struct sequence_firing firing;
  uint32_t site, length; /* firings of the sequence up to this one */
  int64_t values[];      /* after it */
};

/* The stack of one call of sequences_from, and the memory that it uses. */
struct walk {
  struct sequences *all;
  size_t entry; /* bytes */
  char *stack;
  size_t count;
  int64_t *before;                 /* the state being expanded */
  struct sequence_firing *firings; /* of the sequence that leads to it */
};

static size_t entry_bytes(const struct model *model) {
  return sizeof(struct pending) + model->value_count * sizeof(int64_t);
}

size_t sequence_bytes(const struct model *model) {
  if (!model->transient)
    return 0;
  return (SEQUENCE_SUCCESSORS + 1) * entry_bytes(model) + model->value_count * sizeof(int64_t) +
         (SEQUENCE_FIRINGS + 1) * sizeof(struct sequence_firing);
}

static struct walk walk_begin(struct sequences *all) {
  const size_t entry = entry_bytes(all->model);
  char *memory = all->memory;
  int64_t *before = (int64_t *)(memory + (SEQUENCE_SUCCESSORS + 1) * entry);
  return (struct walk){.all = all,
                       .entry = entry,
                       .stack = memory,
                       .before = before,
                       .firings = (struct sequence_firing *)(before + all->model->value_count)};
}

static struct pending *entry_at(const struct walk *walk, size_t i) {
  return (struct pending *)(void *)(walk->stack + i * walk->entry);
}

static void end_sequence(struct walk *walk, size_t length, uint32_t site, const int64_t *after) {
  struct sequences *all = walk->all;
  const struct sequence_end end = {walk->firings, length, site, after};
  all->ended++;
  all->stopped = !all->visit(all->user, &end);
}

/* The top of the stack becomes an entry after a sequence of `length` firings. False: that exceeds a limit. */
static bool push(struct walk *walk, struct sequence_firing firing, uint32_t site, uint32_t length) {
  struct sequences *all = walk->all;
  if (length >= SEQUENCE_FIRINGS || all->ended + walk->count >= SEQUENCE_SUCCESSORS - 1 || all->work >= SEQUENCE_WORK) {
    all->exceeded = true;
    walk->firings[length] = firing;
    end_sequence(walk, length + 1, all->model->transient->exceeded, NULL);
    return false;
  }
  all->work++;
  struct pending *top = entry_at(walk, walk->count++);
  top->firing = firing;
  top->site = site;
  top->length = length + 1;
  return true;
}

/* Pushes the firings of a transition. False: no further ones are needed, or a limit is exceeded. */
static bool push_firings(struct walk *walk, uint32_t t, uint32_t length, bool first_only) {
  const struct model *model = walk->all->model;
  const struct transition *transition = &model->transitions[t];
  if (!interpreter_tests_hold(model, transition, walk->before))
    return true;
  const uint32_t choices = (uint32_t)transition_choices(transition);
  for (uint32_t choice = 0; choice < choices; choice++) {
    const struct interpreter_choice chosen = {.transition = transition, .number = choice};
    uint32_t site;
    if (interpreter_fire_choice(model, chosen, walk->before, entry_at(walk, walk->count)->values, NULL, &site) &&
        (!push(walk, (struct sequence_firing){t, choice}, site, length) || first_only))
      return false;
  }
  return true;
}

static void swap_entries(const struct walk *walk, size_t a, size_t b) {
  char *x = walk->stack + a * walk->entry, *y = walk->stack + b * walk->entry;
  for (size_t i = 0; i < walk->entry; i++) {
    const char byte = x[i];
    x[i] = y[i];
    y[i] = byte;
  }
}

/* Replaces the top, a transient state, by its firings; the first one is then the top. */
static size_t expand_top(struct walk *walk, const struct holder *holder, uint32_t length) {
  const struct model *model = walk->all->model;
  const struct initiator_transitions group = interpreter_permitted(model, holder);
  const size_t base = --walk->count;
  memcpy(walk->before, entry_at(walk, base)->values, model->value_count * sizeof *walk->before);
  for (size_t t = group.first; t < group.end; t++)
    if (!push_firings(walk, (uint32_t)t, length, holder->first_only))
      break;
  for (size_t a = base, b = walk->count; a + 1 < b; a++)
    swap_entries(walk, a, --b);
  return walk->count - base;
}

static void count_firing(const struct walk *walk, const struct sequence_firing *firing) {
  if (walk->all->fired)
    walk->all->fired[firing->transition]++;
}

/* Follows the entry on the top of the stack. */
static void follow(struct walk *walk) {
  const struct model *model = walk->all->model;
  struct pending *top = entry_at(walk, walk->count - 1);
  const uint32_t length = top->length, site = top->site;
  struct sequence_firing *last = &walk->firings[length - 1];
  *last = top->firing;
  const struct holder *holder = site == NO_SITE ? model_holder(model, top->values) : NULL;
  if (!holder) {
    walk->count--;
    if (site == NO_SITE)
      count_firing(walk, last);
    end_sequence(walk, length, site, top->values);
    return;
  }
  const bool blocked = !expand_top(walk, holder, length);
  if (walk->all->exceeded)
    return;
  if (!blocked || holder->blocked == NO_SITE)
    count_firing(walk, last);
  walk->before[model->variables[model->transient->variable].first] = 0;
  if (blocked)
    end_sequence(walk, length, holder->blocked, walk->before);
}

/* All sequences that begin with this firing; its successor, a transient state, is in all->after. */
static void walk_from(struct sequences *all, struct sequence_firing first) {
  struct walk walk = walk_begin(all);
  if (all->exceeded)
    return;
  memcpy(entry_at(&walk, 0)->values, all->after, all->model->value_count * sizeof *all->after);
  push(&walk, first, NO_SITE, 0);
  while (walk.count && !all->exceeded && !all->stopped)
    follow(&walk);
}

/* Fires the choices of a transition whose tests hold. False: none fires. */
static bool fire_choices(struct sequences *self, uint32_t t, const int64_t *before) {
  const struct model *model = self->model;
  const struct transition *transition = &model->transitions[t];
  const uint32_t choices = (uint32_t)transition_choices(transition);
  bool fired = false;
  for (uint32_t choice = 0; choice < choices && !self->stopped; choice++) {
    const struct interpreter_choice chosen = {transition, choice, self->permitted};
    const struct sequence_firing firing = {t, choice};
    struct sequence_end end = {&firing, 1, NO_SITE, self->after};
    if (!interpreter_fire_choice(model, chosen, before, self->after, NULL, &end.site))
      continue;
    fired = true;
    if (end.site == NO_SITE && model_holder(model, self->after)) {
      walk_from(self, firing);
      continue;
    }
    if (end.site == NO_SITE && self->fired)
      self->fired[t]++;
    self->stopped = !self->visit(self->user, &end);
  }
  return fired;
}

void sequences_of_state(struct sequences *self, const int64_t *before) {
  const struct model *model = self->model;
  const uint32_t permitted_count = model->automaton ? model->automaton->permitted_count : 0;
  bool fired = false;
  for (uint32_t i = 0; i < permitted_count; i++)
    self->permitted[i] = NOT_EVALUATED;
  for (uint32_t t = 0; t < model->transition_count && !self->stopped; t++) {
    const struct transition *transition = &model->transitions[t];
    if (interpreter_tests_hold(model, transition, before) && !(transition->otherwise && fired))
      fired |= fire_choices(self, t, before);
  }
}
