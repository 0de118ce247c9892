#include "step/arcs/arc_stepper.h"

#include "core/mem.h"
#include "model/successor_bound.h"
#include "step/arcs/arc_index.h"
#include "step/state_properties.h"

#include "tables/kernel/shim.h"

#include "step/kernel/arc_tests.h"

#include <assert.h>
#include <string.h>

/* A set of all transitions lies on the stack: 64 KiB. */
#define MAX_TRANSITIONS ((size_t)1 << 19)

/* Compiled code tests all transitions, and from so many on it is compact (step/compile/compile.c).
   EisenbergMcGuire-PT-04 (448): 1.4 times the table's time, and 2.3 s for the compiler; LamportFastMutEx-PT-4 (230):
   0.6 times. */
#define SUFFICING_TRANSITIONS 400

/* An element that properties read. */
struct read_element {
  uint32_t value, word, shift;
  uint64_t mask;
  int64_t lo;
};

struct arc_stepper {
  struct stepper base;
  struct arena arena;
  const struct model *model;
  const struct layout *layout;
  struct stepper *interpreter; /* evaluates the properties of single states; expands if there is no memory for values */
  struct state_properties properties;
  const struct arcs *arcs;
  struct arc_index index;
  const struct read_element *reads;
  size_t read_count;
};

/* ---- values that properties read --------------------------------------------------------------- */

struct reads {
  const struct model *model;
  bool *read; /* [model->value_count] */
  bool all;
};

static void note_variable(struct reads *reads, const struct expr *e) {
  const struct variable *v = &reads->model->variables[e->id];
  const bool known = !e->a || e->a->op == EXPR_CONST;
  const uint32_t only = e->a && known ? (uint32_t)e->a->value : 0;
  for (uint32_t i = 0; i < v->count; i++)
    reads->read[v->first + i] |= !known || i == only;
}

static void note_reads(struct reads *reads, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_READ)
    note_variable(reads, e);
  reads->all |= e->op == EXPR_COMMITTED || e->op == EXPR_AUTOMATON || e->op == EXPR_ENABLED;
  note_reads(reads, e->a);
  note_reads(reads, e->b);
  note_reads(reads, e->c);
}

static void find_reads(struct arc_stepper *self) {
  const struct model *model = self->model;
  struct reads reads = {model, arena_array(&self->arena, model->value_count, sizeof *reads.read), false};
  struct read_element *list = arena_array(&self->arena, model->value_count, sizeof *list);
  for (size_t i = 0; i < model->property_count; i++)
    note_reads(&reads, model->properties[i].expr);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const struct field *f = &self->layout->fields[v];
    for (uint32_t i = 0; f->width && i < variable->count; i++)
      if (reads.all || reads.read[variable->first + i])
        list[self->read_count++] =
            (struct read_element){variable->first + i, f->word + i / f->per_word, f->shift + i % f->per_word * f->width,
                                  ((uint64_t)1 << f->width) - 1, variable->lo};
  }
  self->reads = list;
}

static void read_values(const struct arc_stepper *self, const uint64_t *state, int64_t *values) {
  for (size_t i = 0; i < self->read_count; i++) {
    const struct read_element *e = &self->reads[i];
    values[e->value] = e->lo + (int64_t)(state[e->word] >> e->shift & e->mask);
  }
}

/* ---- firings ----------------------------------------------------------------------------------- */

/* The enabled transitions of a state, in their order. */
struct firings {
  const struct arc_stepper *of;
  const uint64_t *state;
  uint64_t *set;    /* candidates; those before `word` are reset */
  uint64_t left;    /* of the current word */
  uint32_t word;    /* the next one */
  uint32_t current; /* transition */
};

static inline struct firings firings_of(const struct arc_stepper *self, const uint64_t *state, uint64_t *set) {
  arc_index_add(&self->index, state, set);
  return (struct firings){.of = self, .state = state, .set = set};
}

static inline bool next_firing(struct firings *f) {
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
    successor[w] = f->state[w];
  for (uint32_t i = table->rows[f->current].update; i < end; i++)
    successor[table->updates[i].word] = updated(&table->updates[i], f->state);
}

static inline void write_changes(const struct firings *f, struct step_block *block) {
  const struct arc_table *const table = &f->of->arcs->table;
  const uint32_t end = table->rows[f->current + 1].update;
  for (uint32_t i = table->rows[f->current].update; i < end; i++) {
    const uint32_t word = table->updates[i].word;
    const uint64_t content = updated(&table->updates[i], f->state);
    struct step_changes *const changes = &block->changes[word];
    if (content == f->state[word])
      continue;
    changes->contents[changes->count] = content;
    changes->successors[changes->count++] = (uint32_t)block->produced;
  }
}

/* False: no firing is enabled. */
static bool emit_successors(const struct arc_stepper *self, const uint64_t *state, uint64_t *set,
                            struct step_block *block, struct step_error *error) {
  const size_t before = block->produced;
  bool failed = false;
  for (struct firings f = firings_of(self, state, set); next_firing(&f);) {
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

static void expand_states(const struct arc_stepper *self, struct step_block *block, int64_t *values) {
  uint64_t set[MAX_TRANSITIONS / 64];
  memcpy(set, self->index.always, self->index.set_words * sizeof *set);
  for (; block->next < block->count; block->next++) {
    if (!block->properties_only && block->capacity - block->produced < self->base.max_successors)
      break;
    const uint64_t *const state = block->states + block->next * self->base.words;
    struct step_error error = no_step_error;
    uint64_t triggered = 0;
    if (values) {
      read_values(self, state, values);
      triggered = state_properties_begin(&self->properties, values, block, &error);
    }
    if (!block->properties_only && !emit_successors(self, state, set, block, &error))
      triggered |= state_properties_deadlock(&self->properties, values, block, &error);
    state_properties_end(&self->properties, block, triggered, error);
  }
}

static void arc_expand_block(const struct stepper *stepper, struct step_block *block) {
  const struct arc_stepper *self = (const struct arc_stepper *)stepper;
  int64_t *values = NULL;
  if (evaluates(self, block)) {
    values = mem_array(self->model->value_count, sizeof *values);
    if (!values) {
      self->interpreter->expand_block(self->interpreter, block);
      return;
    }
    model_initial_values(self->model, values);
  }
  expand_states(self, block, values);
  mem_free(values);
}

static size_t arc_expand_one(const struct stepper *stepper, const uint64_t *state, uint64_t *successors,
                             struct step_edge *edges) {
  const struct arc_stepper *self = (const struct arc_stepper *)stepper;
  uint64_t set[MAX_TRANSITIONS / 64];
  size_t n = 0;
  memcpy(set, self->index.always, self->index.set_words * sizeof *set);
  for (struct firings f = firings_of(self, state, set); next_firing(&f); n++) {
    assert(n < stepper->max_successors);
    edges[n] = (struct step_edge){f.current, 0, failure_of(&f)};
    if (edges[n].site == NO_SITE)
      write_successor(&f, successors + n * stepper->words);
  }
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

static void prepare(void *data) {
  struct arc_stepper *self = data;
  arc_index_make(self->arcs, self->model, self->layout, &self->arena, &self->index);
  find_reads(self);
}

static floe_status open_parts(struct arc_stepper *self) {
  if (self->model->transition_count > MAX_TRANSITIONS)
    return FLOE_ERROR_UNSUPPORTED;
  FLOE_TRY(arc_table_make(self->model, self->layout, &self->arena, &self->arcs));
  if (arena_guard(&self->arena, prepare, self))
    return FLOE_ERROR_MEMORY;
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
  *suffices = status == FLOE_OK && model->transition_count >= SUFFICING_TRANSITIONS;
  return status == FLOE_ERROR_UNSUPPORTED ? interpreter_create(model, layout, out) : status;
}
