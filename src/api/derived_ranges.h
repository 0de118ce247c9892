/* Checks a model. If its language has variables with the range of a type, these get the range that is proved for them,
   and the model is checked again within these ranges. */
#ifndef FLOE_API_DERIVED_RANGES_H
#define FLOE_API_DERIVED_RANGES_H

#include "model/language.h"

struct check_request {
  const struct language *language;
  const struct outline *outline;
  const struct definition *definitions;
  size_t definition_count;
};

/* As the operation `check` of the language; the guard of `arena` is active. */
floe_status check_with_derived_ranges(const struct check_request *request, struct arena *arena, floe_log *log,
                                      const struct model **out);

#endif
