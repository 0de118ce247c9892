/* Attributes of property kinds, from property_kinds.def. Code tests these attributes, never the kinds by name. */
#ifndef FLOE_MODEL_PROPERTY_KIND_H
#define FLOE_MODEL_PROPERTY_KIND_H

#include "floe.h"

struct property_kind {
  const char *word;
  bool written;     /* an element of models, with an expression over a state */
  bool temporal;    /* an element of models, with a formula over runs */
  bool passes;      /* decided by passes over all states; single states do not trigger it */
  bool triggers_on; /* the value of its expression that triggers it */
  floe_verdict_value found, absent;
};

extern const struct property_kind property_kinds[];
extern const unsigned property_kind_count;

/* Some state triggers a property of the kind by itself. */
static inline bool property_kind_is_local(floe_property_kind kind) {
  return !property_kinds[kind].temporal && !property_kinds[kind].passes;
}

#endif
