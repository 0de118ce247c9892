/* State of an exploration from options to result, shared by the files of src/api/explore and src/api/trace. */
#ifndef FLOE_API_EXPLORE_EXPLORATION_H
#define FLOE_API_EXPLORE_EXPLORATION_H

#include "api/api.h"
#include "api/device/gpus.h"
#include "api/explore/settings.h"
#include "api/result/result.h"
#include "engine/engine.h"
#include "engine/snapshot/checkpoint_policy.h"

/* Next-state function. */
struct exploration_code {
  struct stepper *stepper;
  struct stop stop;       /* of the compiler; the stepper refers to it */
  double compile_seconds; /* of a stepper that is not tiered */
};

struct exploration_device {
  struct gpus gpus;     /* empty: explored on the CPU */
  struct reason reason; /* why there are none */
  char title[320];      /* gpus_title */
  floe_log *log;        /* messages about the GPU, passed on to the exploration's log later */
  double cpu_seconds;   /* of the CPU before the run restarted on the GPU; 0: it did not */
};

/* File of the visited order. */
struct exploration_order {
  struct order_file *file; /* NULL: none */
  struct recorder recorder;
  bool lost; /* the file could not be written */
};

struct exploration_checkpoint {
  struct checkpoint_policy policy; /* path NULL: no checkpoints */
  struct checkpoint_head head;
  struct checkpoint_reader *from; /* the checkpoint that the search continues; NULL: it starts at the initial state */
  const char *file;               /* with `from`, of a model's search: name of the file that is resumed */
  const char *product;            /* id of the property whose product is searched; NULL: it is the model's search */
};

/* Traces and explanations, after the search. Both have the time of options.trace_timeout. */
struct exploration_traces {
  bool begun;
  double started; /* clock_seconds() */
  double seconds; /* time limit, from `started` */
};

/* Progress reports before states are explored. */
struct exploration_startup {
  const char *activity; /* "compiling the model" */
  double next_report;   /* clock_seconds() */
};

/* A first part of the model's states, after which temporal properties are decided (first_part.h). */
struct exploration_first_part {
  bool bounded;                 /* the search ends after it */
  uint64_t expected_states;     /* of the whole */
  floe_log *log;                /* messages of its search; NULL: there was none */
  const floe_verdict *verdicts; /* [verdict_count] on temporal properties */
  size_t verdict_count;
  uint64_t reached[MODEL_MAX_PROPERTIES]; /* [property] states reached in its product (liveness/vacuity.h) */
};

/* What is explored. */
enum exploration_part {
  PART_MODEL,
  PART_PRODUCT, /* with the automaton of a temporal property: cycles are searched, and states (liveness/vacuity.h) */
  PART_PREFIX   /* the same, to a state of a cycle: only the selected property is checked */
};

struct exploration {
  enum exploration_part part;
  floe_model *api_model;
  const floe_options *given_options;
  floe_log *log;
  const struct model *model;
  const struct layout *layout;
  double started;            /* clock_seconds(); 0: not yet */
  const struct guess *guess; /* the search ended because this guess is wrong, or may be. NULL: it did not */
  double start_seconds;      /* opening a GPU, and the attempt on the CPU before */
  floe_status status;        /* of a guarded part */
  floe_options options;      /* resolved */
  bool host_backed;          /* options.table was SETTINGS_HOST_BACKED, and is the scheme of its tables now */
  bool without_gpus;         /* engine AUTO never uses a GPU */
  bool any_table;            /* options.table was not given, and is the scheme that the search begins with */
  uint64_t selected_mask;    /* properties that get a verdict */
  uint64_t property_mask;    /* properties that the engine checks */
  uint64_t temporal_mask;    /* selected temporal properties, which the engine does not check */
  uint64_t passes_mask;      /* of PART_MODEL: engine_task.passes */
  uint64_t first_attempt;    /* of PART_PRODUCT: engine_task.first_attempt */
  bool only_existence;       /* of PART_PRODUCT: engine_task.only_existence */
  uint64_t *initial;         /* [layout->key_words] key of the initial state */
  const char *engine;        /* name, once the outcome is set */
  struct exploration_code code;
  struct exploration_device device;
  struct exploration_order visited_order;
  struct exploration_checkpoint checkpoint;
  struct exploration_startup startup;
  struct exploration_first_part first_part;
  struct exploration_traces traces;
  struct whole_model *whole; /* for traces of a reduced model (trace/whole_trace.h); NULL: not made */
  struct engine_outcome outcome;
  floe_result *result;
};

/* It explores a reduced model, whose counts are not those of the model as read. */
static inline bool is_reduced(const struct exploration *e) {
  return (e->api_model->whole || e->api_model->simplified) && e->part == PART_MODEL;
}

/* The task as the options describe it: from the initial state, without checkpoints or recorder. */
struct engine_task exploration_task(const struct exploration *e);
/* The task of the run that finds the outcome: with checkpoints, from a checkpoint, with the visited order recorded. */
struct engine_task exploration_main_task(struct exploration *e);

/* Ends the search phase: from now on an interrupt ends traces and explanations, and their time runs. A later call
   restarts the time. Reports the activity as progress. */
void exploration_begin_traces(struct exploration *e, const char *activity);
/* Without exploration_begin_traces before: no effect. */
void exploration_end_traces(struct exploration *e);
/* Stop conditions of traces and explanations, after exploration_begin_traces. */
struct stop exploration_trace_stop(const struct exploration *e);
/* The task of a second pass, with the same stop conditions. `options` are those of the pass; sets their timeout. */
struct engine_task exploration_trace_task(const struct exploration *e, floe_options *options);

/* Request for paths to the violations that are found, with the stop conditions exploration_trace_stop. */
struct task_paths exploration_paths(struct exploration *e);

/* Copies of the model's constants; in the arena guard of e->result->arena. */
const floe_constant *exploration_constants(const struct exploration *e, uint32_t *count);

#endif
