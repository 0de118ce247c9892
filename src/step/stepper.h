/* Next-state function of a model: successors and properties of states. States are keys (step/layout/state_key.h). All
   implementations must agree transition by transition: the interpreter (reference), the generated code and, for some
   models, the table of arcs (step/arcs). */
#ifndef FLOE_STEP_STEPPER_H
#define FLOE_STEP_STEPPER_H

#include "core/threads/stop.h"
#include "model/interpreter/interpreter.h"
#include "model/model.h"
#include "step/kernel/abi.h"
#include "step/layout/state_key.h"

#define NO_TRANSITION UINT32_MAX
#define BROKEN_SITE (UINT32_MAX - 1) /* of a step_edge; no model has so many sites */

struct stepper {
  const char *name;        /* "interpreter", "compiled", "arcs" */
  const char *detail;      /* compiler, and whether the code was cached; for display */
  uint32_t words;          /* of a key */
  uint32_t max_successors; /* of any state; counts failing firings too */
  /* Expands states[next..count) until done or the successor buffer has less than max_successors
     left. Thread-safe if each thread has its own block. */
  void (*expand_block)(const struct stepper *self, struct step_block *block);
  /* All firings of one state in canonical order: ground transition, then choice. `successors` (words each) and `edges`
     have room for max_successors. Returns their number. Failing firings have no defined successor. */
  size_t (*expand_one)(const struct stepper *self, const uint64_t *state, uint64_t *successors,
                       struct step_edge *edges);
  /* Mask of the INVARIANT, NEVER, REACHABLE properties that trigger in the state. *error: the first
     error of the evaluation, or site NO_SITE. */
  uint64_t (*properties)(const struct stepper *self, const uint64_t *state, struct step_error *error);
  /* Adds engine_keys_mix of n keys to *sum, faster. NULL, or false: not supported. Thread-safe. */
  bool (*mix)(const struct stepper *self, const uint64_t *keys, size_t n, uint64_t *sum);
  void (*free)(struct stepper *self);
};

/* Both keep references to model and layout, which must outlive them. FLOE_ERROR_MODEL when a state
   may have too many successors (model/transitions/successor_bound.h). */
floe_status interpreter_create(const struct model *model, const struct layout *layout, struct stepper **out);

struct compile_options {
  const char *compiler;    /* "" : none */
  const char *cache_dir;   /* "" : none */
  const struct stop *stop; /* cancels generator and compiler; NULL: not cancellable */
};
/* Generates, compiles (or takes from the cache) and loads the code. FLOE_ERROR_UNSUPPORTED if there is no compiler, or
   it fails or is stopped: a note in the log gives the reason, and the caller uses the interpreter. */
floe_status compiled_create(const struct model *model, const struct layout *layout,
                            const struct compile_options *options, floe_log *log, struct stepper **out);

/* Large texts for CPUs have functions for their repeated parts: they are compiled in less time. On GPUs such functions
   take longer to compile and to execute (doc/design/compile.md). */
enum codegen_target { CODEGEN_CPU, CODEGEN_GPU };

/* The generated text (kernel C), NUL-terminated, from `arena`. FLOE_ERROR_UNSUPPORTED: cancelled by `stop` (NULL:
   not cancellable). */
floe_status codegen_text(const struct model *model, const struct layout *layout, enum codegen_target target,
                         const struct stop *stop, struct arena *arena, const char **out);

/* For a model with a table of arcs (step/arcs/arc_table.h) and keys that are fields: the text without transitions,
   which the kernels of a GPU read from the table. It is the same for all such models without properties of the same
   number of words, built-in properties and class of size. */
floe_status codegen_arc_text(const struct model *model, const struct layout *layout, struct arena *arena,
                             const char **out);

/* For a layout with index keys: the part of that text that converts keys to states, floe_decode. */
floe_status codegen_key_text(const struct model *model, const struct layout *layout, struct arena *arena,
                             const char **out);

#endif
