#include "api/api.h"
#include "api/explore/symmetry_check.h"
#include "core/usage.h"
#include "model/process.h"
#include "step/layout/canonical.h"

#include <stdio.h>

static void fill(void *data) {
  floe_symmetry_plan *out = ((void **)data)[1];
  floe_model *model = ((void **)data)[0];
  const struct canonical_tables *tables = model->layout->canonical;
  snprintf(out->sets, sizeof out->sets, "%s", symmetry_text(model->model, &model->checked_arena));
  out->factor = symmetry_permutations(model->model->symmetry);
  out->instances = tables->instances;
  out->elements = tables->elements;
}

/* The model is checked with symmetry. */
static floe_status plan_of(floe_model *model, floe_symmetry_plan *out) {
  floe_log *log;
  FLOE_TRY(floe_log_create(&log));
  floe_status status = floe_model_check(model, log);
  floe_log_free(log);
  if (status == FLOE_OK && model->layout->canonical &&
      arena_guard(&model->checked_arena, fill, (void *[]){model, out}) != 0)
    status = FLOE_ERROR_MEMORY;
  return status == FLOE_ERROR_MODEL ? FLOE_OK : status;
}

floe_status floe_model_symmetry_plan(floe_model *model, floe_log *log, floe_symmetry_plan *out) {
  REQUIRE(log, model);
  REQUIRE(log, out);
  *out = (floe_symmetry_plan){.factor = 1};
  FLOE_TRY(floe_model_check(model, log));
  if (!model->language->check_symmetric && !processes_several(model->model))
    return FLOE_OK;
  model_set_symmetric(model, true);
  const floe_status status = plan_of(model, out);
  model_set_symmetric(model, false);
  FLOE_TRY(status);
  return floe_model_check(model, log);
}
