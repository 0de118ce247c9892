/* Constraints of fairness: doc/semantics.md, "Fairness". */
#ifndef FLOE_MODEL_FAIRNESS_H
#define FLOE_MODEL_FAIRNESS_H

#include "model/transition_set.h"

struct fairness_constraint {
  struct transition_set set;
  const char *name; /* "Client[0]", "Server[1].grant", "grant" */
  bool strong;
};

struct fairness {
  const char *text; /* as a list: "weak Client, strong grant"; "": no constraints */
  const struct fairness_constraint *constraints;
  size_t count; /* no two have the same set */
};

/* Where and why a list is wrong. */
struct fairness_error {
  size_t offset; /* in the text */
  const char *message, *hint;
};

/* Reads a list; NULL: the constraints of the model's processes and edges (`fair`). False: *error is set. Memory and
   texts are the arena's, whose guard is active. */
bool fairness_parse(const struct model *model, const char *text, struct arena *arena, struct fairness *out,
                    struct fairness_error *error);

/* Those of `fairness`, then weak ones of the instances of all processes as far as they are missing. */
void fairness_with_instances(const struct model *model, const struct fairness *fairness, struct arena *arena,
                             struct fairness *out);

#endif
