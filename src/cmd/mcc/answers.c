#include "cmd/mcc/answers.h"

#include <stdlib.h>
#include <string.h>

static void add_id(struct answers *answers, const char *id) { answers->ids[answers->count++] = id; }

static void add_ids(const floe_model *model, bool measures, struct answers *answers) {
  for (size_t i = 0; measures && i < floe_model_measures(model); i++)
    add_id(answers, floe_model_measure(model, i));
  for (size_t i = 0; !measures && i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    if (property.kind != FLOE_DEADLOCK && property.kind != FLOE_ERRORS)
      add_id(answers, property.id);
  }
}

bool answers_create(const floe_model *model, bool measures, struct answers *answers) {
  const size_t most = floe_model_properties(model) + floe_model_measures(model);
  *answers =
      (struct answers){.ids = calloc(most, sizeof *answers->ids), .answered = calloc(most, sizeof *answers->answered)};
  if (answers->ids)
    add_ids(model, measures, answers);
  for (size_t i = 0; answers->ids && i < answers->count; i++) /* the model may be checked again */
    answers->ids[i] = strdup(answers->ids[i]);
  return answers->ids && answers->answered;
}

void answers_free(struct answers *answers) {
  for (size_t i = 0; answers->ids && i < answers->count; i++)
    free((char *)answers->ids[i]);
  free(answers->ids);
  free(answers->answered);
}

void print_formula(const char *id, const char *value, bool reduced) {
  printf("FORMULA %s %s", id, value);
  if (strcmp(value, "CANNOT_COMPUTE") != 0)
    printf(" TECHNIQUES EXPLICIT%s", reduced ? " STRUCTURAL_REDUCTION" : "");
  putchar('\n');
  fflush(stdout);
}

void answer_formula(struct answers *answers, const char *id, const char *value) {
  for (size_t i = 0; i < answers->count; i++)
    if (strcmp(answers->ids[i], id) == 0 && !answers->answered[i]) {
      answers->answered[i] = true;
      print_formula(id, value, answers->reduced);
    }
}

void answer_verdict(struct answers *answers, const char *id, floe_verdict_value value) {
  if (value != FLOE_UNDECIDED)
    answer_formula(answers, id, value == FLOE_HOLDS || value == FLOE_IS_REACHABLE ? "TRUE" : "FALSE");
}

bool answer_rest(struct answers *answers) {
  bool all = true;
  for (size_t i = 0; i < answers->count; i++)
    if (!answers->answered[i]) {
      all = false;
      answer_formula(answers, answers->ids[i], "CANNOT_COMPUTE");
    }
  return all;
}
