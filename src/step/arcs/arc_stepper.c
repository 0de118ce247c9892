#include "step/arcs/arc_stepper.h"

#include "core/mem.h"
#include "model/transitions/successor_bound.h"
#include "step/arcs/arc_automaton.h"
#include "step/arcs/arc_index.h"
#include "step/arcs/element_reads.h"
#include "step/state_properties.h"

#include "tables/kernel/shim.h"

#include "step/kernel/arc_tests.h"

#include <assert.h>
#include <string.h>

/* A set of all transitions lies on the stack: 64 KiB. */
#define MAX_TRANSITIONS ((size_t)1 << 19)

/* Compiled code tests all transitions, and from so many on it is compact (step/compile/compile.c).
   EisenbergMcGuire-PT-04 (448): 1.4 times the table's time, and 2.3 s for the compiler; LamportFastMutEx-PT-4 (230):
   0.6 times. Products are explored in part, and each would be compiled. */
#define SUFFICING_TRANSITIONS 400

struct arc_stepper {
  struct stepper base;
  struct arena arena;
  const struct model *model;
  const struct layout *layout;
  struct stepper *interpreter; /* evaluates the properties of single states; expands if there is no memory for values */
  struct state_properties properties;
  const struct arcs *arcs;
  struct arc_index index;
  struct element_reads reads; /* of properties */
  struct arc_automaton automaton;
  bool is_product;
};

/* Space to expand a state. */
struct workspace {
  int64_t *values;  /* NULL: not needed */
  uint64_t *source; /* of a product: the state after the automaton's step */
};

/* False: no memory. */
static bool workspace_get(const struct arc_stepper *self, bool evaluates, struct workspace *out) {
  const size_t values = self->model->value_count;
  *out = (struct workspace){NULL, NULL};
  if (!evaluates && !self->is_product)
    return true;
  out->values = mem_array(values + self->base.words, sizeof *out->values);
  out->source = (uint64_t *)(out->values ? out->values + values : NULL);
  return out->values;
}

/* ---- firings ----------------------------------------------------------------------------------- */

/* The firings of a state, in their order: enabled transitions, of a product once for each edge that the automaton
   permits. */
struct firings {
  const struct arc_stepper *of;
  const uint64_t *state;
  const uint64_t *source; /* the transition changes this one: in a product, the edge is taken */
  uint64_t *set;          /* candidates; those before `word` are reset */
  uint64_t left;          /* of the current word */
  uint32_t word;          /* the next one */
  uint32_t current;       /* transition */

  /* Of a product. */
  uint64_t *copy; /* `source` */
  uint64_t permitted[ARC_AUTOMATON_WORDS], edges_left;
  uint32_t edge_word, edge;
  bool any;
};

static inline void start_edges(struct firings *f) {
  f->edge_word = 0;
  f->edges_left = 0;
}

static inline bool next_edge(struct firings *f) {
  const struct arc_automaton *const automaton = &f->of->automaton;
  while (!f->edges_left) {
    if (f->edge_word == automaton->words)
      return false;
    f->edges_left = f->permitted[f->edge_word++];
  }
  f->edge = PERMITTED_BITS * (f->edge_word - 1) + (uint32_t)__builtin_ctzll(f->edges_left);
  f->edges_left &= f->edges_left - 1;
  f->copy[automaton->word] = arc_automaton_take(automaton, f->state, f->edge);
  return true;
}

static inline struct firings firings_of(const struct arc_stepper *self, const uint64_t *state, uint64_t *set,
                                        struct workspace workspace) {
  struct firings f = {.of = self, .state = state, .source = state, .set = set};
  if (self->is_product) {
    if (!arc_automaton_permitted(&self->automaton, self->model, state, workspace.values, f.permitted)) {
      f.edge_word = self->automaton.words;
      f.word = self->index.set_words; /* no firing; the set remains reset */
      return f;
    }
    for (uint32_t w = 0; w < self->base.words; w++)
      workspace.source[w] = state[w];
    f.source = f.copy = workspace.source;
    f.edge_word = self->automaton.words;
  }
  arc_index_add(&self->index, state, set);
  return f;
}

static inline bool next_transition(struct firings *f) {
  const struct arc_index *const index = &f->of->index;
  for (;;) {
    while (!f->left) {
      if (f->word == index->set_words)
        return false;
      f->left = f->set[f->word];
      f->set[f->word] = index->always[f->word];
      f->word++;
    }
    f->current = 64 * (f->word - 1) + (uint32_t)__builtin_ctzll(f->left);
    f->left &= f->left - 1;
    if (arc_enabled(&f->of->arcs->table, f->current, f->state))
      return true;
  }
}

static inline bool next_firing(struct firings *f) {
  if (!f->of->is_product)
    return next_transition(f);
  while (!next_edge(f)) {
    do
      if (!next_transition(f))
        return false;
    while (f->any && f->current == f->of->automaton.stutter);
    start_edges(f);
    f->any = true;
  }
  return true;
}

/* NO_SITE: the firing does not fail. */
static inline uint32_t failure_of(const struct firings *f) {
  const struct arc_range *failure = arc_failure(&f->of->arcs->table, f->current, f->state);
  return failure ? failure->site : NO_SITE;
}

static inline uint64_t updated(const struct arc_update *update, const uint64_t *state) {
  return (state[update->word] & update->keep) + update->add;
}

static inline void write_successor(const struct firings *f, uint64_t *successor) {
  const struct arc_table *const table = &f->of->arcs->table;
  const uint32_t end = table->rows[f->current + 1].update;
  for (uint32_t w = 0; w < f->of->base.words; w++)
    successor[w] = f->source[w];
  for (uint32_t i = table->rows[f->current].update; i < end; i++)
    successor[table->updates[i].word] = updated(&table->updates[i], f->source);
}

static inline void write_change(const struct firings *f, struct step_block *block, uint32_t word, uint64_t content) {
  struct step_changes *const changes = &block->changes[word];
  if (content == f->state[word])
    return;
  changes->contents[changes->count] = content;
  changes->successors[changes->count++] = (uint32_t)block->produced;
}

static inline void write_changes(const struct firings *f, struct step_block *block) {
  const struct arc_table *const table = &f->of->arcs->table;
  const uint32_t end = table->rows[f->current + 1].update;
  bool takes_edge = f->of->is_product;
  for (uint32_t i = table->rows[f->current].update; i < end; i++) {
    const uint32_t word = table->updates[i].word;
    write_change(f, block, word, updated(&table->updates[i], f->source));
    takes_edge = takes_edge && word != f->of->automaton.word;
  }
  if (takes_edge)
    write_change(f, block, f->of->automaton.word, f->source[f->of->automaton.word]);
}

/* False: no firing is enabled. */
static bool emit_successors(const struct arc_stepper *self, const uint64_t *state, uint64_t *set,
                            struct workspace workspace, struct step_block *block, struct step_error *error) {
  const size_t before = block->produced;
  bool failed = false;
  for (struct firings f = firings_of(self, state, set, workspace); next_firing(&f);) {
    const uint32_t site = failure_of(&f);
    if (site != NO_SITE) {
      set_first_step_error(error, f.current, site);
      failed = true;
      continue;
    }
    if (block->changes)
      write_changes(&f, block);
    else
      write_successor(&f, block->successors + block->produced * self->base.words);
    block->produced++;
    block->fired[f.current]++;
  }
  const size_t degree = block->produced - before;
  block->max_out_degree = degree > block->max_out_degree ? (uint32_t)degree : block->max_out_degree;
  block->firing_failed = block->firing_failed || failed;
  block->deadlocks += !degree && !failed;
  return degree || failed;
}

/* ---- the stepper ------------------------------------------------------------------------------- */

static bool evaluates(const struct arc_stepper *self, const struct step_block *block) {
  for (size_t i = 0; i < self->model->property_count; i++)
    if ((block->requested_properties | block->errors_only) >> i & 1 && self->model->properties[i].expr)
      return true;
  return false;
}

static void expand_states(const struct arc_stepper *self, struct step_block *block, struct workspace workspace,
                          bool evaluates) {
  uint64_t set[MAX_TRANSITIONS / 64];
  memcpy(set, self->index.always, self->index.set_words * sizeof *set);
  for (; block->next < block->count; block->next++) {
    if (!block->properties_only && block->capacity - block->produced < self->base.max_successors)
      break;
    const uint64_t *const state = block->states + block->next * self->base.words;
    struct step_error error = no_step_error;
    uint64_t triggered = 0;
    if (evaluates) {
      element_reads_decode(&self->reads, state, workspace.values);
      triggered = state_properties_begin(&self->properties, workspace.values, block, &error);
    }
    if (!block->properties_only && !emit_successors(self, state, set, workspace, block, &error))
      triggered |= state_properties_deadlock(&self->properties, workspace.values, block, &error);
    state_properties_end(&self->properties, block, triggered, error);
  }
}

static void arc_expand_block(const struct stepper *stepper, struct step_block *block) {
  const struct arc_stepper *self = (const struct arc_stepper *)stepper;
  struct workspace workspace;
  const bool any = evaluates(self, block);
  if (!workspace_get(self, any, &workspace)) {
    self->interpreter->expand_block(self->interpreter, block);
    return;
  }
  expand_states(self, block, workspace, any);
  mem_free(workspace.values);
}

static size_t arc_expand_one(const struct stepper *stepper, const uint64_t *state, uint64_t *successors,
                             struct step_edge *edges) {
  const struct arc_stepper *self = (const struct arc_stepper *)stepper;
  uint64_t set[MAX_TRANSITIONS / 64];
  struct workspace workspace;
  size_t n = 0;
  if (!workspace_get(self, false, &workspace))
    return self->interpreter->expand_one(self->interpreter, state, successors, edges);
  memcpy(set, self->index.always, self->index.set_words * sizeof *set);
  for (struct firings f = firings_of(self, state, set, workspace); next_firing(&f); n++) {
    assert(n < stepper->max_successors);
    edges[n] = (struct step_edge){f.current, f.edge, failure_of(&f)};
    if (edges[n].site == NO_SITE)
      write_successor(&f, successors + n * stepper->words);
  }
  mem_free(workspace.values);
  return n;
}

static uint64_t arc_properties(const struct stepper *stepper, const uint64_t *state, struct step_error *error) {
  const struct stepper *interpreter = ((const struct arc_stepper *)stepper)->interpreter;
  return interpreter->properties(interpreter, state, error);
}

static void arc_free(struct stepper *stepper) {
  struct arc_stepper *self = (struct arc_stepper *)stepper;
  if (self->interpreter)
    self->interpreter->free(self->interpreter);
  arena_free(&self->arena);
  mem_free(self);
}

static void find_reads(struct arc_stepper *self) {
  const struct model *model = self->model;
  const struct expr **exprs = arena_array(&self->arena, model->property_count, sizeof *exprs);
  for (size_t i = 0; i < model->property_count; i++)
    exprs[i] = model->properties[i].expr;
  element_reads_make(model, self->layout, exprs, model->property_count, &self->arena, &self->reads);
}

struct preparation {
  struct arc_stepper *self;
  bool other_form;
};

static void prepare(void *data) {
  struct preparation *p = data;
  struct arc_stepper *self = p->self;
  arc_index_make(self->arcs, self->model, self->layout, &self->arena, &self->index);
  find_reads(self);
  self->is_product = self->model->automaton;
  p->other_form = self->is_product && !arc_automaton_make(self->model, self->layout, &self->arena, &self->automaton);
}

static floe_status open_parts(struct arc_stepper *self) {
  struct preparation preparation = {self, false};
  if (self->model->transition_count > MAX_TRANSITIONS)
    return FLOE_ERROR_UNSUPPORTED;
  FLOE_TRY(arc_table_make(self->model, self->layout, &self->arena, &self->arcs));
  if (arena_guard(&self->arena, prepare, &preparation))
    return FLOE_ERROR_MEMORY;
  if (preparation.other_form)
    return FLOE_ERROR_UNSUPPORTED;
  return interpreter_create(self->model, self->layout, &self->interpreter);
}

floe_status arc_stepper_create(const struct model *model, const struct layout *layout, struct stepper **out) {
  struct arc_stepper *self = mem_alloc(sizeof *self);
  if (!self)
    return FLOE_ERROR_MEMORY;
  arena_init(&self->arena);
  self->model = model;
  self->layout = layout;
  self->properties = state_properties_of(model);
  const floe_status status = open_parts(self);
  self->base = (struct stepper){.name = "arcs",
                                .detail = "table of arcs",
                                .words = layout->key_words,
                                .max_successors = status == FLOE_OK ? self->interpreter->max_successors : 0,
                                .expand_block = arc_expand_block,
                                .expand_one = arc_expand_one,
                                .properties = arc_properties,
                                .free = arc_free};
  if (status != FLOE_OK) {
    arc_free(&self->base);
    return status;
  }
  *out = &self->base;
  return FLOE_OK;
}

floe_status uncompiled_create(const struct model *model, const struct layout *layout, bool *suffices,
                              struct stepper **out) {
  const floe_status status = arc_stepper_create(model, layout, out);
  *suffices = status == FLOE_OK && (model->automaton || model->transition_count >= SUFFICING_TRANSITIONS);
  return status == FLOE_ERROR_UNSUPPORTED ? interpreter_create(model, layout, out) : status;
}
