/* Start states are executed while the model is checked: their values are the initial values of the variables. */
#include "frontend/murphi/murphi_check.h"

#include "model/interpreter/interpreter.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

/* ---- errors -------------------------------------------------------------------------------------- */

static void report(struct mu_check *c, uint32_t failed, int64_t value) {
  const struct site *site = &c->build.sites.items[failed];
  const char *const what = site->what;
  switch (site->kind) {
  case SITE_UNDEFINED:
    MU_ERROR(c, site->at, NULL, "error in the start state: '%s' is undefined", what);
    break;
  case SITE_VALUE:
  case SITE_INDEX:
    MU_ERROR(c, site->at, NULL, "error in the start state: %lld for '%s' is outside %lld..%lld",
             (long long)(value + site->lo), what, (long long)site->lo, (long long)site->hi);
    break;
  case SITE_DIVISION:
    MU_ERROR(c, site->at, NULL, "error in the start state: division by zero: '%s' is 0", what);
    break;
  default:
    MU_ERROR(c, site->at, NULL, "error in the start state: %s", what);
  }
}

/* ---- all start states ---------------------------------------------------------------------------- */

static void set_initial(struct mu_check *c, const int64_t *values) {
  for (size_t i = 0; i < c->build.model->variable_count; i++) {
    struct variable *v = &c->variables[i];
    int64_t *init = arena_array(c->build.arena, v->count, sizeof *init);
    memcpy(init, values + v->first, v->count * sizeof *init);
    v->init = init;
  }
}

static struct transition transition_of(const struct mu_firing *start) {
  return (struct transition){.selects = start->selects,
                             .select_count = start->select_count,
                             .statements = start->body.items,
                             .statement_count = start->body.n,
                             .temp_count = start->temp_count};
}

static const char forbidden[] = "an assumption forbids the start state";

static void assume(struct mu_check *c, struct mu_firing *start, const struct expr *assumption) {
  c->block = &start->body;
  mu_require(c, assumption, SITE_ERROR, NOWHERE, forbidden);
  c->block = NULL;
}

enum outcome { STARTS, IS_FORBIDDEN, FAILS };

/* Values of a start state. */
static enum outcome run(struct mu_check *c, const struct transition *start, uint64_t choice, int64_t *values) {
  const struct interpreter_choice chosen = {.transition = start, .number = (uint32_t)choice};
  struct interpreter_failure failure = {0};
  uint32_t failed;
  model_initial_values(c->build.model, values);
  interpreter_explain_firing(c->build.model, chosen, values, NULL, &failed, &failure);
  if (failed == NO_SITE)
    return STARTS;
  const struct site *site = &c->build.sites.items[failed];
  if (site->at == NOWHERE && site->what && strcmp(site->what, forbidden) == 0)
    return IS_FORBIDDEN;
  report(c, failed, failure.value);
  return FAILS;
}

/* A variable for the state before the start states, in which all others are undefined. */
static void add_started(struct mu_check *c) {
  static const int64_t no = 0;
  struct model *model = c->build.model;
  for (size_t i = 0; i < model->variable_count; i++)
    c->variables[i].assigned = true;
  c->started = (uint32_t)model->variable_count;
  *ARENA_PUSH(c->build.arena, c->variables, model->variable_count, c->variable_cap) =
      (struct variable){.name = MU_STARTED,
                        .kind = VARIABLE_GLOBAL,
                        .count = 1,
                        .length = 1,
                        .is_bool = true,
                        .assigned = true,
                        .hi = 1,
                        .init = &no,
                        .at = NOWHERE};
  model->variables = c->variables;
  build_places(&c->build);
}

struct outcomes {
  int64_t *first; /* values of the first start state; NULL: there is none */
  uint64_t firings;
  bool differ, forbidden;
};

/* False: an error was reported. */
static bool run_all(struct mu_check *c, const struct mu_firing *firing, struct outcomes *out) {
  const size_t count = c->build.model->value_count;
  const struct transition start = transition_of(firing);
  for (uint64_t choice = 0, choices = transition_choices(&start); choice < choices; choice++, out->firings++) {
    int64_t *values = arena_array(c->build.arena, count + 1, sizeof *values);
    const enum outcome outcome =
        build_spend(&c->build, firing->item->at, 0, 1 + count) ? run(c, &start, choice, values) : FAILS;
    if (outcome == FAILS)
      return false;
    out->forbidden |= outcome == IS_FORBIDDEN;
    if (outcome == IS_FORBIDDEN)
      continue;
    out->differ |= out->first && memcmp(out->first, values, count * sizeof *values) != 0;
    out->first = out->first ? out->first : values;
  }
  return true;
}

void mu_lower_starts(struct mu_check *c) {
  struct mu_firings starts = {0};
  struct outcomes outcomes = {0};
  mu_lower_firings(c, true, &starts);
  const struct expr *assumption = c->build.errors ? NULL : mu_assumption(c);
  if (c->build.errors)
    return;
  for (size_t i = 0; i < starts.n; i++) {
    assume(c, &starts.items[i], assumption);
    if (!run_all(c, &starts.items[i], &outcomes))
      return;
  }
  if (!starts.n)
    MU_ERROR(c, NOWHERE, "add 'startstate begin ... end'", "the model has no start state");
  else if (!outcomes.first)
    MU_ERROR(c, starts.items[0].item->at, NULL, "the assumptions of the model forbid all start states");
  else if (outcomes.differ && outcomes.forbidden)
    MU_ERROR(c, starts.items[0].item->at, "leave out those that the assumptions forbid",
             "the assumptions of the model forbid some of several start states");
  else if (outcomes.differ) {
    c->start_firings = outcomes.firings;
    add_started(c);
  } else
    set_initial(c, outcomes.first);
}
