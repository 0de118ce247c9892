#include "api/explore/symmetry_check.h"

#include "api/processes.h"
#include "core/diag.h"
#include "core/usage.h"
#include "model/symmetry/symmetry.h"

#include <inttypes.h>

/* A use or an option that symmetry reduction does not support; NULL: none. */
static const char *unsupported(const struct exploration *e, const floe_options *options) {
  if (e->checkpoint.from)
    return "resumed searches";
  if (options->checkpoint && *options->checkpoint)
    return "checkpoints";
  if (options->visited_order)
    return "a visited order";
  if (options->explain_unfired)
    return "explanations of transitions that never fired";
  if (options->encoding == FLOE_ENCODING_INDEX)
    return "index keys";
  if (options->measures)
    return "measures";
  return processes_comm() ? "several processes" : NULL;
}

/* Why the checked model is not explored with symmetry reduction; NULL: it is. */
static const char *refusal(const floe_model *model) {
  const struct symmetry *symmetry = model->model->symmetry;
  if (!symmetry)
    return "no variable refers to a symmetric type of several values";
  if (settings_temporal(model->model))
    return "it has temporal properties";
  return model->model->transient ? "it has atomic sequences" : model->asymmetric;
}

static floe_status refuse(struct exploration *e, const char *why) {
  diag_error(e->log, NULL, NOWHERE, "omit --symmetry=on", "no symmetry reduction of this model: %s", why);
  return FLOE_ERROR_MODEL;
}

/* Without symmetry. `why`: a reason that the user did not ask for. */
static floe_status check_all_states(struct exploration *e, const char *why) {
  model_set_symmetric(e->api_model, false);
  FLOE_TRY(floe_model_check(e->api_model, e->log));
  if (why)
    diag_note(e->log, NULL, NOWHERE, NULL, "no symmetry reduction: %s", why);
  return FLOE_OK;
}

/* Messages of the check: warnings were given when the model was first checked. */
static floe_status check_symmetric(struct exploration *e, bool required) {
  floe_log *log;
  model_set_symmetric(e->api_model, true);
  FLOE_TRY(floe_log_create(&log));
  const floe_status status = floe_model_check(e->api_model, required ? e->log : log);
  floe_log_free(log);
  if (status == FLOE_ERROR_MODEL && !required)
    return check_all_states(e, "the model may not be symmetric; --symmetry=on shows why");
  FLOE_TRY(status);
  const char *why = refusal(e->api_model);
  if (why && required)
    return refuse(e, why);
  return why ? check_all_states(e, why) : FLOE_OK;
}

floe_status symmetry_check(struct exploration *e) {
  const floe_options options = settings_complete(e->given_options);
  if (e->part != PART_MODEL || options.symmetry == FLOE_SYMMETRY_OFF)
    return check_all_states(e, NULL);
  if ((unsigned)options.symmetry > FLOE_SYMMETRY_ON) {
    diag_error(e->log, NULL, NOWHERE, "FLOE_SYMMETRY_OFF, _AUTO and _ON", "unknown symmetry reduction");
    return FLOE_ERROR_USAGE;
  }
  const bool required = options.symmetry == FLOE_SYMMETRY_ON;
  const char *option = unsupported(e, &options);
  if (!e->api_model->language->check_symmetric) {
    if (required)
      return refuse(e, "its language has no symmetric types");
    return check_all_states(e, NULL);
  }
  if (option && required) {
    diag_error(e->log, NULL, NOWHERE, "omit one of both", "symmetry reduction does not support %s", option);
    return FLOE_ERROR_USAGE;
  }
  return option ? check_all_states(e, "it does not support one of the options") : check_symmetric(e, required);
}

const char *symmetry_text(const struct model *model, struct arena *arena) {
  const struct symmetry *symmetry = model->symmetry;
  const char *text = "";
  for (uint32_t i = 0; symmetry && i < symmetry_named_sets(symmetry); i++)
    text = arena_printf(arena, "%s%s%s (%" PRIu32 ")", text, i ? ", " : "", symmetry->sets[i].name,
                        symmetry->sets[i].size);
  return text;
}
