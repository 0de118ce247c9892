#include "model/symmetry/find_symmetry.h"

#include "model/symmetry/automorphism.h"

#include <stdlib.h>

/* Why a process is not symmetric. */
struct refusal {
  bool symmetric;
  source_at at;
  const char *why, *hint;
};

struct search {
  const struct model *model;
  const struct instance_uses *uses;
  struct refusal *refusals;       /* [process_count], of the set of each process */
  uint64_t asymmetric_properties; /* as in struct symmetry */
  struct arena scratch;
  /* In scratch: */
  struct tuple_table table;
  uint32_t *before, *after; /* [transition_count] numbers of the transitions, sorted; permuted */
  uint32_t *to;
};

static int compare_numbers(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void sort_numbers(uint32_t *numbers, size_t n) {
  if (n > 1)
    qsort(numbers, n, sizeof *numbers, compare_numbers);
}

static bool refuse(struct search *s, uint32_t set, source_at at, const char *why, const char *hint) {
  s->refusals[set] = (struct refusal){.at = at == NOWHERE ? s->model->processes[set].at : at, .why = why, .hint = hint};
  return false;
}

/* ---- one permutation ------------------------------------------------------------------------------ */

static bool refuse_transition(struct search *s, const struct automorphism *a, size_t t) {
  const struct transition *transition = &s->model->transitions[t];
  const struct part_class *class = uses_class(s->uses, uses_process(s->uses, a->set));
  if (a->named_at != NOWHERE)
    return refuse(s, a->set, a->named_at, "this names one of its instances",
                  "use -1 for no instance, in a range from -1 on");
  if (class->blamed && class->blamed_at != NOWHERE)
    return refuse(s, a->set, class->blamed_at, class->blamed_why, NULL);
  const uint32_t edge = transition->participant_count ? transition->participants[0].edge : NO_EDGE;
  return refuse(s, a->set, edge < s->model->edge_count ? s->model->edges[edge].at : NOWHERE,
                "no other instance has a transition like this one",
                "numbers of instances, -1 for none, may be copied, compared for equality and used as indices");
}

/* Of the transitions that have no equal, the first one that names an instance explains best. */
static bool keeps_transitions(struct search *s, struct automorphism *a) {
  const size_t n = s->model->transition_count;
  bool refused = false;
  for (size_t t = 0; t < n; t++) {
    s->after[t] = automorphism_transition(a, t);
    if (a->steps > USES_MAX_STEPS)
      return refuse(s, a->set, NOWHERE, "the model is too large to show it", NULL);
    const bool found = !a->failed && bsearch(&s->after[t], s->before, n, sizeof *s->before, compare_numbers);
    if (!found && (!refused || a->named_at != NOWHERE))
      refused = !refuse_transition(s, a, t);
    if (!found && a->named_at != NOWHERE)
      return false;
  }
  if (refused)
    return false;
  sort_numbers(s->after, n);
  for (size_t t = 0; t < n; t++)
    if (s->after[t] != s->before[t])
      return refuse(s, a->set, NOWHERE, "its instances have different transitions", NULL);
  return true;
}

static bool keeps_expression(struct search *s, struct automorphism *a, const struct expr *expr) {
  struct automorphism identity = {.uses = s->uses, .table = &s->table, .set = AUTOMORPHISM_IDENTITY};
  const uint32_t before = automorphism_expression(&identity, expr), after = automorphism_expression(a, expr);
  return !identity.failed && !a->failed && before == after;
}

static void check_properties(struct search *s, struct automorphism *a) {
  for (size_t i = 0; i < s->model->property_count; i++)
    if (s->model->properties[i].expr && !keeps_expression(s, a, s->model->properties[i].expr))
      s->asymmetric_properties |= UINT64_C(1) << i;
}

static bool keeps_model(struct search *s, struct automorphism *a) {
  if (!keeps_transitions(s, a))
    return false;
  if (s->model->committed && !keeps_expression(s, a, s->model->committed))
    return refuse(s, a->set, NOWHERE, "its instances differ in committed locations", NULL);
  return true;
}

/* ---- sets ----------------------------------------------------------------------------------------- */

/* The exchange of the first two instances and the rotation of all generate all permutations. */
static void set_permutation(struct search *s, uint32_t instances, bool rotate) {
  for (uint32_t i = 0; i < instances; i++)
    s->to[i] = rotate ? (i + 1) % instances : i < 2 ? 1 - i : i;
}

static bool is_symmetric(struct search *s, uint32_t set) {
  const uint32_t instances = s->model->processes[set].instances;
  const uint64_t asymmetric = s->asymmetric_properties;
  s->to = arena_array(&s->scratch, instances, sizeof *s->to);
  for (int rotate = 0; rotate < 2 && (!rotate || instances > 2); rotate++) {
    struct automorphism a = {.uses = s->uses, .table = &s->table, .set = set, .to = s->to};
    set_permutation(s, instances, rotate);
    if (!keeps_model(s, &a)) {
      s->asymmetric_properties = asymmetric;
      return false;
    }
    check_properties(s, &a);
  }
  return true;
}

static bool number_transitions(struct search *s) {
  struct automorphism a = {.uses = s->uses, .table = &s->table, .set = AUTOMORPHISM_IDENTITY};
  const size_t n = s->model->transition_count;
  s->before = arena_array(&s->scratch, n + 1, sizeof *s->before);
  s->after = arena_array(&s->scratch, n + 1, sizeof *s->after);
  for (size_t t = 0; t < n; t++) {
    s->before[t] = automorphism_transition(&a, t);
    if (a.steps > USES_MAX_STEPS)
      return false;
  }
  sort_numbers(s->before, n);
  return true;
}

static void prove(void *data) {
  struct search *s = data;
  s->table.arena = &s->scratch;
  const bool numbered = s->uses && number_transitions(s);
  for (uint32_t i = 0; i < s->model->process_count; i++) {
    const struct part_class *class = s->uses ? uses_class(s->uses, uses_process(s->uses, i)) : NULL;
    if (!numbered)
      refuse(s, i, NOWHERE, "the model is too large to show it", NULL);
    else if (class->plain || class->set == USES_NONE)
      refuse(s, i, class->at, class->why, NULL);
    else if (class->set == i)
      s->refusals[i].symmetric = is_symmetric(s, i);
    else
      s->refusals[i] = s->refusals[class->set];
  }
}

static floe_status search_once(struct search *s, const struct model *model, struct arena *arena, bool many) {
  *s = (struct search){.model = model,
                       .uses = instance_uses_find(model, arena, many),
                       .refusals = arena_array(arena, model->process_count + 1, sizeof *s->refusals)};
  arena_init(&s->scratch);
  const int failed = arena_guard(&s->scratch, prove, s);
  arena_free(&s->scratch);
  return failed ? FLOE_ERROR_MEMORY : FLOE_OK;
}

static size_t count_asymmetric(const struct search *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->model->process_count; i++)
    count += s->model->processes[i].instances > 1 && !s->refusals[i].symmetric;
  return count;
}

/* With the proposal that the proof accepts for more processes. */
static floe_status search_run(struct search *s, const struct model *model, struct arena *arena) {
  struct search other;
  FLOE_TRY(search_once(s, model, arena, true));
  if (!count_asymmetric(s))
    return FLOE_OK;
  FLOE_TRY(search_once(&other, model, arena, false));
  if (count_asymmetric(&other) < count_asymmetric(s))
    *s = other;
  return FLOE_OK;
}

static void report(const struct search *s, uint32_t process, floe_log *log) {
  const struct refusal *refusal = &s->refusals[process];
  diag_error(log, s->model->source, refusal->at, refusal->hint, "process '%s' is not symmetric: %s",
             s->model->processes[process].name, refusal->why);
}

floe_status symmetry_check_claims(const struct model *model, struct arena *arena, floe_log *log) {
  struct search s;
  floe_status status = search_run(&s, model, arena);
  for (uint32_t i = 0; i < model->process_count && status != FLOE_ERROR_MEMORY; i++)
    if (model->processes[i].symmetric && model->processes[i].instances > 1 && !s.refusals[i].symmetric) {
      report(&s, i, log);
      status = FLOE_ERROR_MODEL;
    }
  return status;
}

/* ---- the result ----------------------------------------------------------------------------------- */

/* `lo`: the least value of the part. */
static struct symmetric_range range_of(const struct search *s, uint32_t part, int64_t lo, const uint32_t *numbers,
                                       struct arena *arena) {
  const uint32_t set = uses_set(s->uses, part);
  if (set == USES_NONE || !s->refusals[set].symmetric)
    return (struct symmetric_range){0};
  struct symmetric_part *out = arena_alloc(arena, sizeof *out);
  *out = (struct symmetric_part){.set = numbers[set], .first = (uint32_t)(uses_class(s->uses, part)->base - lo)};
  return (struct symmetric_range){out, 1};
}

static const struct symmetric_variable *variables_of(const struct search *s, const uint32_t *numbers,
                                                     struct arena *arena) {
  struct symmetric_variable *variables = arena_array(arena, s->model->variable_count + 1, sizeof *variables);
  for (size_t i = 0; i < s->model->variable_count; i++) {
    const struct variable *v = &s->model->variables[i];
    struct symmetric_range *dimensions = arena_array(arena, uses_axes(v), sizeof *dimensions);
    for (uint32_t d = 0; d < variable_dimensions(v); d++)
      dimensions[d] = range_of(s, s->uses->axes[i] + 1 + d, 0, numbers, arena);
    variables[i] = (struct symmetric_variable){.dimensions = dimensions,
                                               .values = range_of(s, s->uses->values[i], v->lo, numbers, arena),
                                               .owners = range_of(s, s->uses->axes[i], 0, numbers, arena)};
  }
  return variables;
}

floe_status symmetry_find(const struct model *model, struct arena *arena, floe_log *log, const struct symmetry **out) {
  struct search s;
  FLOE_TRY(search_run(&s, model, arena));
  uint32_t *numbers = arena_array(arena, model->process_count + 1, sizeof *numbers);
  struct symmetric_set *sets = arena_array(arena, model->process_count + 1, sizeof *sets);
  size_t count = 0;
  for (uint32_t i = 0; i < model->process_count; i++)
    if (s.refusals[i].symmetric && uses_set(s.uses, uses_process(s.uses, i)) == i) {
      numbers[i] = (uint32_t)count;
      sets[count++] = (struct symmetric_set){.name = model->processes[i].name, .size = model->processes[i].instances};
    }
  *out = NULL;
  if (count) {
    struct symmetry *symmetry = arena_alloc(arena, sizeof *symmetry);
    *symmetry = (struct symmetry){.sets = sets,
                                  .set_count = count,
                                  .variables = variables_of(&s, numbers, arena),
                                  .any_initial = true,
                                  .asymmetric_properties = s.asymmetric_properties};
    *out = symmetry;
  }
  for (uint32_t i = 0; i < model->process_count && !count; i++)
    if (model->processes[i].instances > 1)
      report(&s, i, log);
  return FLOE_OK;
}
