/* Transitions as written: names resolved once, then lowered for each instance. */
#ifndef FLOE_CHECK_PART_H
#define FLOE_CHECK_PART_H

#include "frontend/check/check.h"
#include "frontend/check/check_effect.h"
#include "frontend/check/check_expr.h"
#include "frontend/check/check_fields.h"

/* A transition of an instance. */
struct move {
  const struct template *process;
  uint32_t instance;
  struct edge_info *info;
  struct part *parts; /* as lowered so far */
};

/* A move lowered with its selects numbered from `base`. */
struct part {
  struct part *next;
  uint32_t base;
  bool never;              /* guard false, or nothing to select */
  bool empty;              /* nothing to select */
  size_t constants_before; /* constants read before it was lowered: of which its guard depends on none otherwise */
  struct select *selects;
  size_t select_count;
  const struct expr *guard;   /* 1 where it reads a bound field */
  const struct expr *last;    /* such a guard, tested after all else that the message must be; NULL: none */
  const struct expr *element; /* of the channel; NULL: no synchronisation */
  const struct expr **values; /* a field each: sent, or to be equal (NULL: anything) */
  struct place *targets;      /* a field each: where it is received; variable NONE: dropped */
  struct statement *effects;
  size_t effect_count;
};

void edges_resolve(struct check *c, struct template *process);
void moves_lower(struct check *c, struct template *process);
/* NULL only when a limit is passed, once moves_lower has accepted the move. */
const struct part *part_lower(struct check *c, struct move *move, uint32_t base);
/* With the select names bound to `chosen`, no selects left. */
const struct part *part_chosen(struct check *c, const struct move *move, const int64_t *chosen);
/* The part for a message: `chosen` may be NULL, then selects are numbered from `base`. */
const struct part *part_receiving(struct check *c, struct move *move, uint32_t base, const int64_t *chosen,
                                  const struct message *message);
/* All choices of the selects, the last one varying fastest. Only where there is something to select. */
int64_t *choice_first(struct check *c, const struct part *part);
bool choice_next(const struct part *part, int64_t *chosen); /* false after the last */

#endif
