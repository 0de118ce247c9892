/* Checkpoint of the search of a product. It has a file of its own beside the model's, FILE.ltl.ID. The model's search
   and the products are saved also when they are complete, so that a resumed run repeats the passes at most. */
#ifndef FLOE_API_LIVENESS_PRODUCT_CHECKPOINT_H
#define FLOE_API_LIVENESS_PRODUCT_CHECKPOINT_H

#include "api/api.h"
#include "checkpoint/checkpoint.h"

struct product_checkpoint {
  const char *file; /* of the model */
  const char *property;
  floe_model *product; /* checked */
  uint32_t max_depth;  /* of the search */
  struct arena *arena;
  floe_log *log;
};

/* "FILE.ltl.ID"; in the arena's guard. */
const char *product_checkpoint_path(const char *file, const char *property, struct arena *arena);

/* Opens the checkpoint that the search of the product can continue; the caller closes it. NULL: there is none, or it is
   of another product, model or depth, which is logged as a warning. *encoding: of its keys, if there is one. In the
   arena's guard. FLOE_ERROR_IO, logged: it is damaged. FLOE_ERROR_MEMORY, FLOE_ERROR_INTERRUPTED. */
floe_status product_checkpoint_open(const struct product_checkpoint *request, struct checkpoint_reader **out,
                                    floe_encoding *encoding);

#endif
