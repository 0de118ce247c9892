/* What a language declares to composition (compose.h): processes, channels and transitions as written, and operations
   that lower a transition of one instance to a part. */
#ifndef FLOE_MODEL_COMPOSE_DECLARATIONS_H
#define FLOE_MODEL_COMPOSE_DECLARATIONS_H

#include "model/build.h"

#define COMPOSE_MAX_TRANSITIONS (1000000 / MODEL_SCALE)
#define COMPOSE_MAX_CHOICES (1u << 20) /* of one ground transition */

#define COMPOSE_NONE UINT32_MAX /* no channel, no location, no variable */

/* A transition as written, for all instances of its process. */
struct compose_edge {
  uint32_t number;      /* index into model->edges */
  const uint32_t *from; /* locations that it leaves */
  size_t from_count;
  uint32_t to;            /* COMPOSE_NONE: the location does not change */
  uint32_t channel;       /* index into model->channels; COMPOSE_NONE: no synchronisation */
  bool sends;             /* on the channel; false: it receives */
  bool otherwise;         /* its guard is `else`; that of its parts is 1, and it has no channel */
  bool reads_message;     /* the language sets it when a part of some instance reads a field of the message */
  bool *uses_field;       /* [field] likewise when the part reads it within the step; NULL: no part does */
  source_at at, guard_at; /* guard_at: only for `else` */
  source_at channel_at;
  const source_at *field_at; /* [field] sent or received */
};

/* Expressions for each field of a message: before the step, and within it, when variables may have changed. NULL is
   allowed for fields that are not read. */
struct message {
  const struct expr *const *before, *const *within;
};

/* A transition of an instance, lowered. */
struct part {
  /* The language sets these. If the selects have chosen values, select_count is 0. */
  struct select *selects; /* lo > hi: there are no values */
  size_t select_count;
  const struct expr *guard;         /* 1 if it reads the message; then see message_guard */
  const struct expr *message_guard; /* a guard that reads the message, tested after the other conditions on the message;
                                       NULL: none */
  const struct expr *element;       /* element of the channel, checked; NULL: no synchronisation */
  const struct expr **values;       /* [field] value sent, or value to match (NULL: any) */
  struct place *targets;            /* [field] target of a received value; variable COMPOSE_NONE: dropped */
  struct statement *effects;
  size_t effect_count;

  /* Composition sets these. */
  struct part *next; /* of the same edge of the same instance */
  uint32_t base;     /* number of its first select */
  bool never;        /* its guard is false, or a select has no values */
};

/* A transition of an instance. */
struct instance_edge {
  const struct compose_process *process;
  uint32_t instance;
  struct compose_edge *written;
  struct part *parts; /* parts lowered so far; the last one has base 0. NULL: an error was reported */
};

struct compose_process {
  uint32_t number; /* index into model->processes */
  const struct process *process;
  source_at at;
  struct compose_edge *edges;
  size_t edge_count;
  struct instance_edge *instances; /* [instance * edge_count + edge]; compose_edges sets it */
};

struct compose_channel {
  const struct interval *fields;          /* [field] range of the values sent */
  const bool *guessed;                    /* [field] the range is a guess (guess.h); NULL: none is */
  const struct enumeration *const *types; /* [field] names of the values, NULL: none; NULL: no field has names */
  const bool *is_bool;                    /* [field] for texts; NULL: no field is */
  struct instance_edge **receivers;       /* of all instances, in order; compose_edges sets them */
  size_t receiver_count, receiver_cap;
};

/* Which part of an edge is needed. */
struct part_request {
  uint32_t base;                 /* the selects are numbered from here */
  const int64_t *chosen;         /* the selects have these values; NULL: any value */
  const struct message *message; /* received; NULL: any message. A part for any message is used only for its
                                    selects and targets if the edge reads the message */
};

struct compose;

/* What a language implements. */
struct compose_operations {
  /* Lowers the edge; `out` is zeroed. Called by compose_edges for each edge of each instance with base 0, and by
     compose_transitions for further requests. False: an error was reported. */
  bool (*lower)(struct compose *c, const struct instance_edge *edge, const struct part_request *request,
                struct part *out);
  /* The assignment of a received value to a target of the part. Its value is NULL if an error was reported. */
  struct statement (*assign)(struct compose *c, source_at at, const struct place *target, const struct expr *value);
};

struct compose {
  /* The language sets these. The model has its processes, channels and edges, and their numbers. */
  struct builder *build;
  const struct compose_operations *operations;
  void *language;                    /* for the operations */
  struct compose_process *processes; /* [model->process_count] */
  struct compose_channel *channels;  /* [model->channel_count] */

  /* Composition sets these. */
  const struct expr *not_committed; /* priority: no instance is at a committed location; NULL: no such location */
  struct transition_builder *current;
  struct transition *transitions; /* their numbers are in the model */
  struct initiator_transitions *initiators;
  size_t transition_cap, initiator_cap;
};

#endif
