/* Constraints of fairness: doc/semantics.md, "Fairness". */
#ifndef FLOE_MODEL_FAIRNESS_H
#define FLOE_MODEL_FAIRNESS_H

#include "model/model.h"

/* A constraint. Its set: the transitions with a participant to which process, instance, edge and label apply. */
struct fairness_constraint {
  const char *name; /* "Client[0]", "Server[1].grant", "grant" */
  bool strong;
  uint32_t process, instance; /* NO_PROCESS: any */
  uint32_t edge;              /* NO_EDGE: any */
  const char *label;          /* of the edge, or "from -> to" if it has none; NULL: any */
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

/* Reads a list. False: *error is set. Memory and texts are the arena's, whose guard is active. */
bool fairness_parse(const struct model *model, const char *text, struct arena *arena, struct fairness *out,
                    struct fairness_error *error);
/* The constraints of the model's processes and edges (`fair`). */
void fairness_of_model(const struct model *model, struct arena *arena, struct fairness *out);

/* Those of `fairness`, then weak ones of the instances of all processes as far as they are missing. */
void fairness_with_instances(const struct model *model, const struct fairness *fairness, struct arena *arena,
                             struct fairness *out);

bool fairness_includes(const struct model *model, const struct fairness_constraint *constraint,
                       const struct transition *transition);

#endif
