#include "api/explore/reduction_check.h"

#include "api/processes.h"
#include "core/diag.h"

/* Resets of dead locals keep it; merged steps, and rules of nets, do not. */
static bool keeps_fairness(const floe_model *model) { return model->simplified && !model->simplified->followers; }

/* By models of both kinds. */
static const char *unsupported_by_all(const struct exploration *e, const floe_options *options) {
  if (e->checkpoint.from || (options->checkpoint && *options->checkpoint))
    return "checkpoints";
  if (options->visited_order)
    return "a visited order";
  if (options->explain_unfired)
    return "explanations of transitions that never fired";
  if (options->fairness && *options->fairness && !keeps_fairness(e->api_model))
    return "fairness";
  return processes_comm() ? "several processes" : NULL;
}

static const char *unsupported(const struct exploration *e, const floe_options *options) {
  const char *what = unsupported_by_all(e, options);
  if (what || e->api_model->simplified)
    return what;
  if (e->api_model->deadlocks != FLOE_DEADLOCKS_OF_LANGUAGE && e->api_model->deadlocks != FLOE_DEADLOCKS_OFF)
    return "a choice of deadlocks";
  if (options->ignore_finite_runs)
    return "runs without those that end";
  return NULL;
}

floe_status reduction_check(const struct exploration *e) {
  const floe_options options = settings_complete(e->given_options);
  const char *what = is_reduced(e) ? unsupported(e, &options) : NULL;
  if (!what)
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "load the model again", "a reduced model does not support %s", what);
  return FLOE_ERROR_USAGE;
}
