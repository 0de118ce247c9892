#include "api/explore/symmetry_check.h"

#include "api/processes.h"
#include "core/diag.h"
#include "core/usage.h"
#include "model/process.h"
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

static uint64_t selected_properties(const struct exploration *e) {
  const floe_options options = settings_complete(e->given_options);
  uint64_t selected, checked;
  const floe_status status = settings_properties(&options, e->api_model->model, NULL, &selected, &checked);
  return status == FLOE_OK ? selected : UINT64_MAX;
}

/* Why the checked model is not explored with symmetry reduction; NULL: it is. *at: its place. */
static const char *refusal(const struct exploration *e, source_at *at) {
  const struct model *model = e->api_model->model;
  const uint64_t selected = selected_properties(e);
  *at = NOWHERE;
  if (model->transient)
    return "it has atomic sequences";
  if (!model->symmetry && !e->api_model->language->check_symmetric)
    return "no process has several instances";
  if (!model->symmetry)
    return "no variable refers to a symmetric type of several values";
  if (selected & settings_temporal(model))
    return "it has temporal properties";
  for (size_t i = 0; i < model->property_count; i++)
    if (selected & model->symmetry->asymmetric_properties & UINT64_C(1) << i) {
      *at = model->properties[i].at;
      return "a property depends on which instance is which";
    }
  return e->api_model->asymmetric;
}

static floe_status refuse(struct exploration *e, source_at at, const char *why) {
  const char *hint = at == NOWHERE ? "omit --symmetry=on" : "select other properties, or quantify over the instances";
  diag_error(e->log, at == NOWHERE ? NULL : e->api_model->model->source, at, hint,
             "no symmetry reduction of this model: %s", why);
  return FLOE_ERROR_MODEL;
}

/* Without symmetry. `why`: a reason that the user did not ask for. */
static floe_status check_all_states(struct exploration *e, const char *why) {
  model_set_symmetric(e->api_model, false);
  FLOE_TRY(floe_model_check(e->api_model, e->log));
  /* In other languages, only processes of several instances may be symmetric. */
  if (why && (e->api_model->language->check_symmetric || processes_several(e->api_model->model)))
    diag_note(e->log, NULL, NOWHERE, NULL, "no symmetry reduction: %s", why);
  return FLOE_OK;
}

/* Warnings were given when the model was first checked. */
static floe_status check_symmetric(struct exploration *e, bool required) {
  floe_log *log;
  model_set_symmetric(e->api_model, true);
  FLOE_TRY(floe_log_create(&log));
  floe_status status = floe_model_check(e->api_model, log);
  floe_log_free(log);
  if (status == FLOE_ERROR_MODEL && !required)
    return check_all_states(e, "the model may not be symmetric; --symmetry=on shows why");
  if (status == FLOE_ERROR_MODEL)
    status = floe_model_check(e->api_model, e->log);
  FLOE_TRY(status);
  source_at at;
  const char *why = refusal(e, &at);
  if (why && required)
    return refuse(e, at, why);
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
