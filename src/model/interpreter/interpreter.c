/* Reference semantics: expressions and firings over a plain array of values, written for clarity. doc/semantics.md
   describes the same. */
#include "model/interpreter/interpreter.h"

#include "model/bit_intervals.h"
#include "model/transition_set.h"
#include "model/transitions/successor_bound.h"

#include <assert.h>
#include <string.h>

/* Inputs and result of an evaluation. `site`: the first error, or NO_SITE. */
struct evaluation {
  const struct model *model;
  const int64_t *values, *selects, *temps;
  int64_t *permitted; /* interpreter_choice */
  uint32_t site;
  const struct statement *statement;   /* being executed */
  struct interpreter_failure *failure; /* NULL: no details of a failure are needed */
};

static int64_t eval(struct evaluation *evaluation, const struct expr *e);
static bool any_fires(const struct evaluation *evaluation, const struct enabled *set);

/* The automaton's conditions are about the state before the step, and cannot fail. */
static int64_t permitted_edges(struct evaluation *evaluation, uint32_t word) {
  const struct expr *permitted = evaluation->model->automaton->permitted[word];
  if (!evaluation->permitted)
    return eval(evaluation, permitted);
  if (evaluation->permitted[word] == NOT_EVALUATED)
    evaluation->permitted[word] = eval(evaluation, permitted);
  return evaluation->permitted[word];
}

static bool failed(const struct evaluation *evaluation) { return evaluation->site != NO_SITE; }

/* `e` NULL: the check of the statement itself failed. */
static int64_t set_failure(struct evaluation *evaluation, uint32_t site, const struct expr *e, int64_t value) {
  assert(site != NO_SITE && !failed(evaluation));
  evaluation->site = site;
  if (evaluation->failure)
    *evaluation->failure = (struct interpreter_failure){evaluation->statement, e, value};
  return 0;
}

static int64_t read_element(struct evaluation *evaluation, const struct expr *e) {
  const struct variable *variable = &evaluation->model->variables[e->id];
  int64_t element = e->a ? eval(evaluation, e->a) : 0;
  if (failed(evaluation))
    return 0;
  assert(0 <= element && element < variable->count);
  return evaluation->values[variable->first + element];
}

static int64_t index_checked(struct evaluation *evaluation, const struct expr *e) {
  int64_t index = eval(evaluation, e->a);
  if (failed(evaluation))
    return 0;
  return 0 <= index && index < e->value ? index : set_failure(evaluation, e->site, e, index);
}

static int64_t short_circuit(struct evaluation *evaluation, const struct expr *e, bool deciding) {
  bool left = eval(evaluation, e->a) != 0;
  if (failed(evaluation) || left == deciding)
    return left;
  return eval(evaluation, e->b) != 0;
}

static int64_t eval_conditional(struct evaluation *evaluation, const struct expr *e) {
  bool which = eval(evaluation, e->a) != 0;
  if (failed(evaluation))
    return 0;
  return eval(evaluation, which ? e->b : e->c);
}

static int64_t eval_binary(struct evaluation *evaluation, const struct expr *e) {
  int64_t a = eval(evaluation, e->a);
  if (failed(evaluation))
    return 0;
  int64_t b = eval(evaluation, e->b);
  if (failed(evaluation))
    return 0;
  switch (e->op) {
  case EXPR_ADD:
    return a + b;
  case EXPR_SUB:
    return a - b;
  case EXPR_MUL:
    return a * b;
  case EXPR_DIV:
    return b ? a / b : set_failure(evaluation, e->site, e, b);
  case EXPR_MOD:
    return b == 0 ? set_failure(evaluation, e->site, e, b) : b == -1 ? 0 : a % b;
  case EXPR_MIN:
    return a < b ? a : b;
  case EXPR_MAX:
    return a > b ? a : b;
  case EXPR_LT:
    return a < b;
  case EXPR_LE:
    return a <= b;
  case EXPR_EQ:
    return a == b;
  case EXPR_NE:
    return a != b;
  case EXPR_SHL:
  case EXPR_SHR:
    return 0 <= b && b <= SHIFT_MAX ? bits_value(e->op, a, b) : set_failure(evaluation, e->site, e, b);
  default:
    return bits_value(e->op, a, b);
  }
}

static int64_t eval(struct evaluation *evaluation, const struct expr *e) {
  switch (e->op) {
  case EXPR_CONST:
    return e->value;
  case EXPR_READ:
    return read_element(evaluation, e);
  case EXPR_SELECT:
    return evaluation->selects[e->id];
  case EXPR_TEMP:
    return evaluation->temps[e->id];
  case EXPR_COMMITTED:
    return evaluation->model->committed && eval(evaluation, evaluation->model->committed) != 0;
  case EXPR_AUTOMATON:
    return permitted_edges(evaluation, e->id);
  case EXPR_ENABLED:
    return any_fires(evaluation, &evaluation->model->enabled[e->id]);
  case EXPR_INDEX:
    return index_checked(evaluation, e);
  case EXPR_NEG:
    return -eval(evaluation, e->a);
  case EXPR_NOT:
    return !eval(evaluation, e->a);
  case EXPR_BITNOT:
    return ~eval(evaluation, e->a);
  case EXPR_AND:
    return short_circuit(evaluation, e, false);
  case EXPR_OR:
    return short_circuit(evaluation, e, true);
  case EXPR_COND:
    return eval_conditional(evaluation, e);
  default:
    return eval_binary(evaluation, e);
  }
}

uint32_t interpreter_eval(const struct model *model, const struct expr *expr, const int64_t *values,
                          const int64_t *selects, const int64_t *temps, int64_t *value) {
  struct evaluation evaluation = {
      .model = model, .values = values, .selects = selects, .temps = temps, .site = NO_SITE};
  int64_t result = eval(&evaluation, expr);
  if (!failed(&evaluation))
    *value = result;
  return evaluation.site;
}

uint32_t interpreter_explain(const struct model *model, const struct expr *expr, const int64_t *values,
                             struct interpreter_failure *failure) {
  struct evaluation evaluation = {.model = model, .values = values, .site = NO_SITE, .failure = failure};
  eval(&evaluation, expr);
  return evaluation.site;
}

bool interpreter_tests_hold(const struct model *model, const struct transition *transition, const int64_t *values) {
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    if (values[model->variables[test->variable].first + test->element] != test->location)
      return false;
  }
  return true;
}

/* Mixed radix, the last select varies fastest. */
static void decode_selects(const struct transition *transition, uint32_t choice, int64_t *selects) {
  for (size_t i = transition->select_count; i-- > 0;) {
    const struct select *select = &transition->selects[i];
    uint64_t size = (uint64_t)(select->hi - select->lo) + 1;
    selects[i] = select->lo + (int64_t)(choice % size);
    choice = (uint32_t)(choice / size);
  }
}

/* True with a site in the evaluation: the firing fails in its guard. */
static bool guards_hold(struct evaluation *evaluation, const struct transition *transition) {
  for (size_t i = 0; i < transition->guard_count; i++) {
    bool holds = eval(evaluation, transition->guards[i]) != 0;
    if (failed(evaluation))
      return true;
    if (!holds)
      return false;
  }
  return true;
}

static void check_range(struct evaluation *evaluation, uint32_t site, int64_t value, int64_t lo, int64_t hi) {
  if (site != NO_SITE && (value < lo || hi < value))
    set_failure(evaluation, site, NULL, value);
}

static void execute_assignment(struct evaluation *evaluation, const struct statement *statement, int64_t *values) {
  const struct variable *variable = &evaluation->model->variables[statement->id];
  int64_t element = statement->index ? eval(evaluation, statement->index) : 0;
  if (failed(evaluation))
    return;
  int64_t value = eval(evaluation, statement->value);
  if (failed(evaluation))
    return;
  check_range(evaluation, statement->site, value, variable->lo, variable->hi);
  if (!failed(evaluation))
    values[variable->first + element] = value;
}

static void execute_let(struct evaluation *evaluation, const struct statement *statement, int64_t *temps) {
  int64_t value = eval(evaluation, statement->value);
  if (failed(evaluation))
    return;
  if (statement->site != NO_SITE) {
    const struct site *site = &evaluation->model->sites[statement->site];
    check_range(evaluation, statement->site, value, site->lo, site->hi);
  }
  if (!failed(evaluation))
    temps[statement->id] = value;
}

static void execute_statements(struct evaluation *evaluation, const struct statement *statements, size_t count,
                               int64_t *values, int64_t *temps);

static void execute_if(struct evaluation *evaluation, const struct statement *statement, int64_t *values,
                       int64_t *temps) {
  const bool holds = eval(evaluation, statement->value) != 0;
  if (failed(evaluation))
    return;
  if (holds)
    execute_statements(evaluation, statement->then, statement->then_count, values, temps);
  else
    execute_statements(evaluation, statement->then + statement->then_count, statement->else_count, values, temps);
}

static void execute_statements(struct evaluation *evaluation, const struct statement *statements, size_t count,
                               int64_t *values, int64_t *temps) {
  for (size_t i = 0; i < count && !failed(evaluation); i++) {
    const struct statement *statement = &statements[i];
    evaluation->statement = statement;
    switch (statement->op) {
    case ST_LET:
      execute_let(evaluation, statement, temps);
      break;
    case ST_ASSIGN:
      execute_assignment(evaluation, statement, values);
      break;
    case ST_ASSERT:
      if (!eval(evaluation, statement->value) && !failed(evaluation))
        set_failure(evaluation, statement->site, NULL, 0);
      break;
    case ST_IF:
      execute_if(evaluation, statement, values, temps);
      break;
    }
  }
}

/* One choice of a transition whose tests hold; temps may be NULL. */
static bool fire_choice(struct evaluation *evaluation, const struct transition *transition, uint32_t choice,
                        int64_t *after, int64_t *temps) {
  int64_t selects[MAX_SELECTS], own_temps[MAX_TEMPS];
  assert(transition->select_count <= MAX_SELECTS && transition->temp_count <= MAX_TEMPS);
  if (!temps)
    temps = own_temps;
  memset(temps, 0, transition->temp_count * sizeof *temps);
  decode_selects(transition, choice, selects);
  evaluation->selects = selects;
  evaluation->temps = temps;
  if (!guards_hold(evaluation, transition))
    return false;
  if (!failed(evaluation)) {
    if (after != evaluation->values)
      memcpy(after, evaluation->values, evaluation->model->value_count * sizeof *after);
    evaluation->values = after;
    execute_statements(evaluation, transition->statements, transition->statement_count, after, temps);
  }
  return true;
}

bool interpreter_fire_choice(const struct model *model, struct interpreter_choice choice, const int64_t *before,
                             int64_t *after, int64_t *temps, uint32_t *site) {
  struct evaluation evaluation = {.model = model, .values = before, .permitted = choice.permitted, .site = NO_SITE};
  bool enabled = fire_choice(&evaluation, choice.transition, choice.number, after, temps);
  if (enabled)
    *site = evaluation.site;
  return enabled;
}

bool interpreter_fires_before(const struct model *model, const struct transition *transition, uint64_t choices,
                              const int64_t *values) {
  if (!interpreter_tests_hold(model, transition, values))
    return false;
  for (uint32_t choice = 0; choice < choices; choice++) {
    int64_t selects[MAX_SELECTS];
    struct evaluation evaluation = {.model = model, .values = values, .selects = selects, .site = NO_SITE};
    decode_selects(transition, choice, selects);
    if (guards_hold(&evaluation, transition))
      return true;
  }
  return false;
}

bool interpreter_fires(const struct model *model, const struct transition *transition, const int64_t *values) {
  return interpreter_fires_before(model, transition, transition_choices(transition), values);
}

static bool any_fires(const struct evaluation *evaluation, const struct enabled *set) {
  for (size_t i = 0; i < set->count; i++)
    if (interpreter_fires(evaluation->model, set->transitions[i], evaluation->values))
      return true;
  return false;
}

/* ---- transient states ------------------------------------------------------------------------ */

struct initiator_transitions interpreter_permitted(const struct model *model, const struct holder *holder) {
  return holder->initiator == NO_INITIATOR ? (struct initiator_transitions){0} : model->initiators[holder->initiator];
}

/* Whether a firing of the initiator before this one is enabled. */
static bool is_preceded(const struct model *model, const struct holder *holder, struct sequence_firing firing,
                        const int64_t *values) {
  for (size_t t = model->initiators[holder->initiator].first; t < firing.transition; t++)
    if (interpreter_fires(model, &model->transitions[t], values))
      return true;
  return interpreter_fires_before(model, &model->transitions[firing.transition], firing.choice, values);
}

bool interpreter_permits(const struct model *model, struct sequence_firing firing, const int64_t *values) {
  const struct holder *holder = model_holder(model, values);
  return !holder || (model->transitions[firing.transition].initiator == holder->initiator &&
                     !(holder->first_only && is_preceded(model, holder, firing, values)));
}

uint32_t interpreter_settle(const struct model *model, int64_t *values) {
  const struct holder *holder = model_holder(model, values);
  if (!holder)
    return NO_SITE;
  const struct initiator_transitions group = interpreter_permitted(model, holder);
  for (size_t t = group.first; t < group.end; t++)
    if (interpreter_fires(model, &model->transitions[t], values))
      return NO_SITE;
  values[model->variables[model->transient->variable].first] = 0;
  return holder->blocked;
}

/* ---- one firing ------------------------------------------------------------------------------ */

/* Some transition before this one fires, with or without an error. */
static bool another_fires(const struct model *model, const struct transition *transition, const int64_t *values) {
  for (const struct transition *other = model->transitions; other < transition; other++)
    if (interpreter_fires(model, other, values))
      return true;
  return false;
}

bool interpreter_fire(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values, int64_t *temps,
                      uint32_t *site) {
  const struct interpreter_choice chosen = {.transition = &model->transitions[transition], .number = choice};
  const struct sequence_firing firing = {transition, choice};
  if (!interpreter_tests_hold(model, chosen.transition, values) || !interpreter_permits(model, firing, values) ||
      (chosen.transition->otherwise && another_fires(model, chosen.transition, values)) ||
      !interpreter_fire_choice(model, chosen, values, values, temps, site))
    return false;
  if (*site == NO_SITE)
    *site = interpreter_settle(model, values);
  return true;
}

bool interpreter_atom(const struct model *model, const struct temporal *temporal, size_t atom, const int64_t *values,
                      const struct transition *next, bool *holds) {
  const struct transition_set *const taken = temporal->taken[atom];
  int64_t value = taken && next && transition_in_set(model, next, taken);
  const bool evaluated = taken || interpreter_eval(model, temporal->atoms[atom], values, NULL, NULL, &value) == NO_SITE;
  *holds = value != 0;
  return evaluated;
}

bool interpreter_explain_firing(const struct model *model, struct interpreter_choice choice, int64_t *values,
                                int64_t *temps, uint32_t *site, struct interpreter_failure *failure) {
  struct evaluation evaluation = {.model = model, .values = values, .site = NO_SITE, .failure = failure};
  if (!interpreter_tests_hold(model, choice.transition, values) ||
      !fire_choice(&evaluation, choice.transition, choice.number, values, temps))
    return false;
  *site = failed(&evaluation) ? evaluation.site : interpreter_settle(model, values);
  return true;
}

bool interpreter_moves(const struct model *model, struct interpreter_choice choice, const int64_t *before,
                       int64_t *after) {
  struct transition changing = *choice.transition;
  const struct interpreter_choice chosen = {&changing, choice.number, choice.permitted};
  uint32_t site;
  changing.statement_count -= changing.undo_count;
  return !interpreter_fire_choice(model, chosen, before, after, NULL, &site) || site != NO_SITE ||
         memcmp(after, before, model->value_count * sizeof *after) != 0;
}
