/* Stepper on the interpreter: decodes a key, tries every choice of every transition, encodes the successors. */
#include "step/stepper.h"

#include "core/mem.h"
#include "model/property_kind.h"
#include "model/successor_bound.h"

#include <assert.h>
#include <pthread.h>

struct interpreter {
  struct stepper base;
  const struct model *model;
  const struct layout *layout;
  uint32_t deadlock, errors; /* property numbers; NO_PROPERTY */
  int64_t *reserve;          /* used by one thread at a time if memory is exhausted */
  pthread_mutex_t reserve_lock;
};

#define NO_PROPERTY UINT32_MAX

/* Values of the expanded state, values of a successor, and the successor's key. */
struct workspace {
  int64_t *before, *after;
  uint64_t *key;
};

static size_t workspace_words(const struct interpreter *self) {
  return 2 * self->model->value_count + self->layout->key_words;
}

static struct workspace workspace_get(struct interpreter *self) {
  int64_t *values = mem_array(workspace_words(self), sizeof *values);
  if (!values) {
    pthread_mutex_lock(&self->reserve_lock);
    values = self->reserve;
  }
  const size_t count = self->model->value_count;
  return (struct workspace){values, values + count, (uint64_t *)(values + 2 * count)};
}

static void workspace_put(struct interpreter *self, struct workspace workspace) {
  if (workspace.before == self->reserve)
    pthread_mutex_unlock(&self->reserve_lock);
  else
    mem_free(workspace.before);
}

static uint64_t property_bit(uint32_t property) { return property == NO_PROPERTY ? 0 : (uint64_t)1 << property; }

static const struct step_error no_error = {NO_TRANSITION, NO_SITE};

static void set_first_error(struct step_error *error, uint32_t transition, uint32_t site) {
  if (error->site == NO_SITE)
    *error = (struct step_error){transition, site};
}

static uint64_t evaluate_requested(const struct model *model, const int64_t *values, uint64_t requested,
                                   uint64_t *failed, struct step_error *error) {
  uint64_t triggered = 0;
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    if (!(requested & property_bit(i)) || !property_is_evaluated(property))
      continue;
    int64_t value;
    uint32_t site = interpreter_eval(model, property->expr, values, NULL, NULL, &value);
    if (site != NO_SITE) {
      set_first_error(error, NO_TRANSITION, site);
      *failed |= property_bit(i);
    } else if (!property->temporal && (value != 0) == property_kinds[property->kind].triggers_on)
      triggered |= property_bit(i);
  }
  return triggered;
}

static uint64_t evaluate_deadlock(const struct interpreter *self, const int64_t *values, struct step_block *block,
                                  struct step_error *error) {
  if (!(property_bit(self->deadlock) & (block->requested_properties | block->errors_only)))
    return 0;
  const struct expr *unless = self->model->properties[self->deadlock].expr;
  int64_t excused = 0;
  uint32_t site = unless ? interpreter_eval(self->model, unless, values, NULL, NULL, &excused) : NO_SITE;
  if (site != NO_SITE) {
    set_first_error(error, NO_TRANSITION, site);
    block->failed |= property_bit(self->deadlock);
  }
  return site == NO_SITE && !excused ? property_bit(self->deadlock) & block->requested_properties : 0;
}

/* Calls `visit` for every firing in canonical order; `after` is the successor if the edge has no site. */
static void each_firing(const struct interpreter *self, struct workspace workspace,
                        void (*visit)(void *user, struct step_edge edge, const int64_t *after), void *user) {
  const struct model *model = self->model;
  bool fired = false;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    if (!interpreter_tests_hold(model, transition, workspace.before) || (transition->otherwise && fired))
      continue;
    uint32_t choices = (uint32_t)transition_choices(transition);
    for (uint32_t choice = 0; choice < choices; choice++) {
      uint32_t site;
      if (interpreter_fire_choice(model, (struct interpreter_choice){transition, choice}, workspace.before,
                                  workspace.after, NULL, &site)) {
        visit(user, (struct step_edge){t, choice, site}, workspace.after);
        fired = true;
      }
    }
  }
}

struct edge_list {
  const struct interpreter *self;
  uint64_t *successors;
  struct step_edge *edges;
  size_t n;
};

static void append_edge(void *user, struct step_edge edge, const int64_t *after) {
  struct edge_list *list = user;
  const struct layout *layout = list->self->layout;
  if (edge.site == NO_SITE &&
      !key_of_values(list->self->model, layout, after, list->successors + list->n * layout->key_words))
    edge.site = BROKEN_SITE;
  assert(list->n < list->self->base.max_successors);
  list->edges[list->n++] = edge;
}

static size_t interpreter_expand_one(const struct stepper *stepper, const uint64_t *state, uint64_t *successors,
                                     struct step_edge *edges) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self);
  key_values(self->model, self->layout, state, workspace.before);
  struct edge_list list = {.self = self, .successors = successors, .edges = edges};
  each_firing(self, workspace, append_edge, &list);
  workspace_put(self, workspace);
  return list.n;
}

static uint64_t interpreter_properties(const struct stepper *stepper, const uint64_t *state, struct step_error *error) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self);
  key_values(self->model, self->layout, state, workspace.before);
  *error = no_error;
  uint64_t failed = 0;
  uint64_t triggered = evaluate_requested(self->model, workspace.before, UINT64_MAX, &failed, error);
  workspace_put(self, workspace);
  return triggered;
}

/* Result of expanding one state of a block. */
struct expansion {
  const struct interpreter *self;
  struct step_block *block;
  uint64_t *key; /* key of a successor */
  struct step_error error;
  uint32_t successors, failures;
};

static void append_changes(struct step_block *block, const uint64_t *key, uint32_t words) {
  const uint64_t *const state = block->states + block->next * words;
  for (uint32_t w = 0; w < words; w++) {
    struct step_changes *changes = &block->changes[w];
    if (key[w] == state[w])
      continue;
    changes->contents[changes->count] = key[w];
    changes->successors[changes->count++] = (uint32_t)block->produced;
  }
}

static void count_edge(void *user, struct step_edge edge, const int64_t *after) {
  struct expansion *expansion = user;
  struct step_block *block = expansion->block;
  const struct layout *layout = expansion->self->layout;
  if (edge.site != NO_SITE) {
    expansion->failures++;
    set_first_error(&expansion->error, edge.transition, edge.site);
    return;
  }
  uint64_t *successor = block->changes ? expansion->key : block->successors + block->produced * layout->key_words;
  const bool has_key = key_of_values(expansion->self->model, layout, after, successor);
  if (has_key && block->changes)
    append_changes(block, successor, layout->key_words);
  block->produced += has_key;
  block->broken = block->broken || !has_key;
  block->fired[edge.transition]++;
  expansion->successors++;
}

static uint64_t emit_successors(const struct interpreter *self, struct workspace workspace, struct step_block *block,
                                struct step_error *error) {
  struct expansion expansion = {.self = self, .block = block, .key = workspace.key, .error = *error};
  each_firing(self, workspace, count_edge, &expansion);
  *error = expansion.error;
  if (expansion.successors > block->max_out_degree)
    block->max_out_degree = expansion.successors;
  if (expansion.failures)
    block->firing_failed = true;
  if (expansion.successors || expansion.failures)
    return 0;
  block->deadlocks++;
  return evaluate_deadlock(self, workspace.before, block, error);
}

static void interpreter_expand_block(const struct stepper *stepper, struct step_block *block) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self);
  for (; block->next < block->count; block->next++) {
    if (!block->properties_only && block->capacity - block->produced < stepper->max_successors)
      break;
    key_values(self->model, self->layout, block->states + block->next * self->layout->key_words, workspace.before);
    struct step_error error = no_error;
    uint64_t triggered = block->requested_properties &
                         evaluate_requested(self->model, workspace.before,
                                            block->requested_properties | block->errors_only, &block->failed, &error);
    if (!block->properties_only)
      triggered |= emit_successors(self, workspace, block, &error);
    if (block->ends)
      block->ends[block->next] = (uint32_t)block->produced;
    if (error.site != NO_SITE)
      triggered |= property_bit(self->errors) & block->requested_properties;
    block->triggered |= triggered;
    if (triggered)
      block->on_trigger(block->user, block->next, triggered, error);
  }
  workspace_put(self, workspace);
}

static void interpreter_free(struct stepper *stepper) {
  struct interpreter *self = (struct interpreter *)stepper;
  pthread_mutex_destroy(&self->reserve_lock);
  mem_free(self->reserve);
  mem_free(self);
}

static uint32_t property_of_kind(const struct model *model, floe_property_kind kind) {
  for (uint32_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind == kind)
      return i;
  return NO_PROPERTY;
}

floe_status interpreter_create(const struct model *model, const struct layout *layout, struct stepper **out) {
  uint32_t bound;
  FLOE_TRY(successor_bound(model, NULL, &bound));
  struct interpreter *self = mem_alloc(sizeof *self);
  if (!self)
    return FLOE_ERROR_MEMORY;
  self->base = (struct stepper){.name = "interpreter",
                                .detail = "reference interpreter",
                                .words = layout->key_words,
                                .max_successors = bound,
                                .expand_block = interpreter_expand_block,
                                .expand_one = interpreter_expand_one,
                                .properties = interpreter_properties,
                                .free = interpreter_free};
  self->model = model;
  self->layout = layout;
  self->deadlock = property_of_kind(model, FLOE_DEADLOCK);
  self->errors = property_of_kind(model, FLOE_ERRORS);
  self->reserve = mem_array(workspace_words(self), sizeof *self->reserve);
  pthread_mutex_init(&self->reserve_lock, NULL);
  if (!self->reserve) {
    interpreter_free(&self->base);
    return FLOE_ERROR_MEMORY;
  }
  *out = &self->base;
  return FLOE_OK;
}
