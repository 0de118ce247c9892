#include "model/transitions/successor_bound.h"

#include "core/mem.h"
#include "model/process.h"
#include "model/transitions/exclusive_guards.h"

/* At most this many transitions of one location are compared with others, and a limited number of guards in a model (a
   few hundredths of a second). */
#define MAX_COMPARED 64
#define MAX_WORK (UINT64_C(1) << 20)

#define END_OF_LIST UINT32_MAX

static uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t saturating_product(uint64_t a, uint64_t b) { return b && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

uint64_t transition_choices(const struct transition *transition) {
  uint64_t choices = 1;
  for (size_t i = 0; i < transition->select_count; i++) {
    const struct select *select = &transition->selects[i];
    choices = saturating_product(choices, (uint64_t)(select->hi - select->lo) + 1);
  }
  return choices;
}

const struct location_test *initiator_test(const struct model *model, const struct transition *transition) {
  return model->initiators[transition->initiator].located ? &transition->tests[0] : NULL;
}

/* Adds the bound of one initiator to *sum. */
static void add_initiator(const struct model *model, const struct initiator_transitions *initiator,
                          uint64_t *at_location, uint64_t *sum) {
  const struct process *process = process_of(model, initiator->process);
  uint64_t most = 0;
  for (size_t l = 0; l < process->location_count; l++)
    at_location[l] = 0;
  for (size_t t = initiator->first; t < initiator->end; t++) {
    const struct transition *transition = &model->transitions[t];
    const struct location_test *test = initiator_test(model, transition);
    uint64_t *total = test ? &at_location[test->location] : sum;
    *total = saturating_add(*total, transition_choices(transition));
    if (test && *total > most)
      most = *total;
  }
  *sum = saturating_add(*sum, most);
}

/* The bound itself, without limits. */
static floe_status sum_of_initiators(const struct model *model, uint64_t *sum) {
  size_t locations = 1;
  for (size_t p = 0; p < model->process_count; p++)
    if (model->processes[p].location_count > locations)
      locations = model->processes[p].location_count;
  uint64_t *at_location = mem_array(locations, sizeof *at_location);
  if (!at_location)
    return FLOE_ERROR_MEMORY;
  for (size_t g = 0; g < model->initiator_count; g++)
    add_initiator(model, &model->initiators[g], at_location, sum);
  mem_free(at_location);
  return FLOE_OK;
}

static const struct transition *first_too_complex(const struct model *model) {
  for (size_t t = 0; t < model->transition_count; t++)
    if (model->transitions[t].select_count > MAX_SELECTS || model->transitions[t].temp_count > MAX_TEMPS)
      return &model->transitions[t];
  return NULL;
}

floe_status successor_bound(const struct model *model, floe_log *log, uint32_t *out) {
  uint64_t sum = 0;
  FLOE_TRY(sum_of_initiators(model, &sum));
  const struct transition *complex = first_too_complex(model);
  if (sum > MAX_SUCCESSORS && log)
    diag_error(log, model->source, NOWHERE, "make the ranges of `select` smaller",
               "one state may have %llu successors; at most %llu are possible", (unsigned long long)sum,
               (unsigned long long)MAX_SUCCESSORS);
  if (complex && log)
    diag_error(log, model->source, model->edges[complex->participants[0].edge].at, NULL,
               "too many choices and receivers meet in one transition");
  if (sum > MAX_SUCCESSORS || complex)
    return FLOE_ERROR_MODEL;
  *out = (uint32_t)(sum ? sum : 1) + (model->transient ? SEQUENCE_SUCCESSORS : 0);
  return FLOE_OK;
}

/* ---- the bound without transitions that exclude each other ------------------------------------- */

/* Transitions of one location in sets; the transitions of a set exclude each other. */
struct sets {
  const struct transition *members[MAX_COMPARED];
  size_t set_of[MAX_COMPARED];
  uint64_t choices[MAX_COMPARED]; /* [set] most choices of a transition of the set */
  size_t member_count, set_count;
  uint64_t all_choices;
  bool too_many; /* more than MAX_COMPARED transitions */
  uint64_t *work;
};

static bool set_takes(struct sets *sets, size_t set, const struct transition *transition) {
  for (size_t i = 0; i < sets->member_count; i++)
    if (sets->set_of[i] == set && !transitions_exclude(sets->members[i], transition, sets->work))
      return false;
  return true;
}

/* Adds the transition to the first set of which it excludes all. */
static void add_to_sets(struct sets *sets, const struct transition *transition) {
  const uint64_t choices = transition_choices(transition);
  size_t set = 0;
  sets->all_choices = saturating_add(sets->all_choices, choices);
  sets->too_many = sets->member_count == MAX_COMPARED;
  if (sets->too_many)
    return;
  while (set < sets->set_count && !set_takes(sets, set, transition))
    set++;
  if (set == sets->set_count)
    sets->choices[sets->set_count++] = 0;
  sets->members[sets->member_count] = transition;
  sets->set_of[sets->member_count++] = set;
  if (sets->choices[set] < choices)
    sets->choices[set] = choices;
}

/* Bound of the transitions from number `first` of the list on. */
static uint64_t expected_of(const struct model *model, const uint32_t *next, uint32_t first, uint64_t *work) {
  struct sets sets = {.work = work};
  uint64_t sum = 0;
  for (uint32_t t = first; t != END_OF_LIST; t = next[t])
    add_to_sets(&sets, &model->transitions[t]);
  for (size_t i = 0; i < sets.set_count; i++)
    sum = saturating_add(sum, sets.choices[i]);
  return sets.too_many ? sets.all_choices : sum;
}

/* Transitions of an initiator by its location: first[location], then next[number], until END_OF_LIST. */
static void list_by_location(const struct model *model, const struct initiator_transitions *initiator, uint32_t *first,
                             size_t locations, uint32_t *next) {
  for (size_t l = 0; l < locations; l++)
    first[l] = END_OF_LIST;
  for (size_t t = initiator->end; t-- > initiator->first;) {
    const struct location_test *test = initiator_test(model, &model->transitions[t]);
    uint32_t *list = &first[test ? test->location : 0];
    next[t] = *list;
    *list = (uint32_t)t;
  }
}

uint64_t successors_expected(const struct model *model, struct arena *arena) {
  uint32_t *next = arena_array(arena, model->transition_count, sizeof *next);
  uint64_t sum = 0, work = MAX_WORK;
  for (size_t g = 0; g < model->initiator_count; g++) {
    const struct initiator_transitions *initiator = &model->initiators[g];
    const size_t locations = initiator->located ? model->processes[initiator->process].location_count : 1;
    uint32_t *first = arena_array(arena, locations, sizeof *first);
    uint64_t most = 0;
    list_by_location(model, initiator, first, locations, next);
    for (size_t l = 0; l < locations; l++) {
      const uint64_t here = expected_of(model, next, first[l], &work);
      most = here > most ? here : most;
    }
    sum = saturating_add(sum, most);
  }
  return saturating_add(sum ? sum : 1, model->transient ? SEQUENCE_SUCCESSORS : 0);
}
