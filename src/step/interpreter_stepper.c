/* Stepper on the interpreter: decodes a key, tries every choice of every transition, encodes the successors. */
#include "step/stepper.h"

#include "core/mem.h"
#include "model/interpreter/sequence.h"
#include "model/transitions/successor_bound.h"
#include "step/scratch_pool.h"
#include "step/state_properties.h"

#include <assert.h>
#include <pthread.h>

struct interpreter {
  struct stepper base;
  const struct model *model;
  const struct layout *layout;
  struct state_properties properties;
  int64_t *reserve; /* used by one thread at a time if memory is exhausted */
  pthread_mutex_t reserve_lock;
  struct scratch_pool sequences; /* sequence_bytes each; of a model without transient states 0 */
};

/* Values of the expanded state, values of a successor, and the successor's key. */
struct workspace {
  int64_t *before, *after, *permitted;
  uint64_t *key;
  void *sequences;
};

static uint32_t permitted_count(const struct model *model) {
  return model->automaton ? model->automaton->permitted_count : 0;
}

static size_t workspace_words(const struct interpreter *self) {
  return 2 * self->model->value_count + permitted_count(self->model) + self->layout->key_words;
}

/* `steps`: steps will be listed. */
static struct workspace workspace_get(struct interpreter *self, bool steps) {
  int64_t *values = mem_array(workspace_words(self), sizeof *values);
  if (!values) {
    pthread_mutex_lock(&self->reserve_lock);
    values = self->reserve;
  }
  const size_t count = self->model->value_count;
  int64_t *permitted = values + 2 * count;
  return (struct workspace){values, values + count, permitted, (uint64_t *)(permitted + permitted_count(self->model)),
                            steps ? scratch_take(&self->sequences) : NULL};
}

static void workspace_put(struct interpreter *self, struct workspace workspace) {
  scratch_give(&self->sequences, workspace.sequences);
  if (workspace.before == self->reserve)
    pthread_mutex_unlock(&self->reserve_lock);
  else
    mem_free(workspace.before);
}

static struct step_edge edge_of(const struct sequence_end *end) {
  const struct sequence_firing shown = sequence_shown(end);
  return (struct step_edge){shown.transition, shown.choice, end->site};
}

/* The steps of workspace.before. */
static struct sequences steps_in(const struct interpreter *self, struct workspace workspace) {
  return (struct sequences){
      .model = self->model, .memory = workspace.sequences, .after = workspace.after, .permitted = workspace.permitted};
}

struct edge_list {
  const struct interpreter *self;
  uint64_t *successors;
  struct step_edge *edges;
  size_t n;
};

static bool append_edge(void *user, const struct sequence_end *end) {
  struct edge_list *list = user;
  const struct layout *layout = list->self->layout;
  struct step_edge edge = edge_of(end);
  if (edge.site == NO_SITE &&
      !key_of_values(list->self->model, layout, end->after, list->successors + list->n * layout->key_words))
    edge.site = BROKEN_SITE;
  assert(list->n < list->self->base.max_successors);
  list->edges[list->n++] = edge;
  return true;
}

static size_t interpreter_expand_one(const struct stepper *stepper, const uint64_t *state, uint64_t *successors,
                                     struct step_edge *edges) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self, true);
  key_values(self->model, self->layout, state, workspace.before);
  struct edge_list list = {.self = self, .successors = successors, .edges = edges};
  struct sequences steps = steps_in(self, workspace);
  steps.visit = append_edge;
  steps.user = &list;
  sequences_of_state(&steps, workspace.before);
  workspace_put(self, workspace);
  return list.n;
}

static uint64_t interpreter_properties(const struct stepper *stepper, const uint64_t *state, struct step_error *error) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self, false);
  key_values(self->model, self->layout, state, workspace.before);
  *error = no_step_error;
  uint64_t failed = 0;
  uint64_t triggered = state_properties_evaluate(&self->properties, workspace.before, UINT64_MAX, &failed, error);
  workspace_put(self, workspace);
  return triggered;
}

/* Result of expanding one state of a block. */
struct expansion {
  const struct interpreter *self;
  struct step_block *block;
  struct step_error error;
  struct workspace workspace;
  uint32_t successors, failures;
  bool moves; /* a firing counts against a deadlock */
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

/* The successor is overwritten: its key is known. */
static bool changes_state(const struct expansion *expansion, struct step_edge edge) {
  const struct model *model = expansion->self->model;
  const struct interpreter_choice chosen = {&model->transitions[edge.transition], edge.choice, NULL};
  return interpreter_moves(model, chosen, expansion->workspace.before, expansion->workspace.after);
}

static bool count_edge(void *user, const struct sequence_end *end) {
  struct expansion *expansion = user;
  struct step_block *block = expansion->block;
  const struct layout *layout = expansion->self->layout;
  const struct model *model = expansion->self->model;
  const struct step_edge edge = edge_of(end);
  if (edge.site != NO_SITE) {
    expansion->failures++;
    set_first_step_error(&expansion->error, edge.transition, edge.site);
    return true;
  }
  uint64_t *successor =
      block->changes ? expansion->workspace.key : block->successors + block->produced * layout->key_words;
  const bool has_key = key_of_values(model, layout, end->after, successor);
  if (has_key && block->changes)
    append_changes(block, successor, layout->key_words);
  block->produced += has_key;
  block->broken = block->broken || !has_key;
  expansion->successors++;
  expansion->moves = expansion->moves || !model->stuttering || changes_state(expansion, edge);
  return true;
}

static uint64_t emit_successors(const struct interpreter *self, struct workspace workspace, struct step_block *block,
                                struct step_error *error) {
  struct expansion expansion = {.self = self, .block = block, .workspace = workspace, .error = *error};
  struct sequences steps = steps_in(self, workspace);
  steps.fired = block->fired;
  steps.visit = count_edge;
  steps.user = &expansion;
  sequences_of_state(&steps, workspace.before);
  *error = expansion.error;
  if (expansion.successors > block->max_out_degree)
    block->max_out_degree = expansion.successors;
  if (expansion.failures)
    block->firing_failed = true;
  if (expansion.moves || expansion.failures)
    return 0;
  block->deadlocks++;
  return state_properties_deadlock(&self->properties, workspace.before, block, error);
}

static void interpreter_expand_block(const struct stepper *stepper, struct step_block *block) {
  struct interpreter *self = (struct interpreter *)stepper;
  struct workspace workspace = workspace_get(self, !block->properties_only);
  for (; block->next < block->count; block->next++) {
    if (!block->properties_only && block->capacity - block->produced < stepper->max_successors)
      break;
    key_values(self->model, self->layout, block->states + block->next * self->layout->key_words, workspace.before);
    struct step_error error = no_step_error;
    uint64_t triggered = state_properties_begin(&self->properties, workspace.before, block, &error);
    if (!block->properties_only)
      triggered |= emit_successors(self, workspace, block, &error);
    state_properties_end(&self->properties, block, triggered, error);
  }
  workspace_put(self, workspace);
}

static void interpreter_free(struct stepper *stepper) {
  struct interpreter *self = (struct interpreter *)stepper;
  scratch_pool_free(&self->sequences);
  pthread_mutex_destroy(&self->reserve_lock);
  mem_free(self->reserve);
  mem_free(self);
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
  self->properties = state_properties_of(model);
  self->reserve = mem_array(workspace_words(self), sizeof *self->reserve);
  pthread_mutex_init(&self->reserve_lock, NULL);
  const floe_status status = scratch_pool_create(&self->sequences, sequence_bytes(model));
  if (!self->reserve || status != FLOE_OK) {
    interpreter_free(&self->base);
    return FLOE_ERROR_MEMORY;
  }
  *out = &self->base;
  return FLOE_OK;
}
