/* Models for tests, from a file or a text to a layout. */
#ifndef FLOE_TESTS_STEP_LOADED_H
#define FLOE_TESTS_STEP_LOADED_H

#include "frontend/check/checker.h"
#include "model/model.h"
#include "step/layout/layout.h"

struct loaded {
  struct arena arena;
  floe_log *log;
  const struct syntax_model *syntax;
  const struct model *model;
  const struct layout *layout;
};

/* A definition of the user (model/language.h). */
struct loaded_constant {
  const char *name, *value;
};

/* False if the model is invalid, or the file cannot be read; loaded_message has the reason. Call loaded_free in both
   cases. constants NULL: those of the first `expect` block. */
bool loaded_from_text(struct loaded *loaded, const char *name, const char *text, size_t length,
                      const struct loaded_constant *constants, size_t constant_count);
bool loaded_from_file(struct loaded *loaded, const char *path, const struct loaded_constant *constants,
                      size_t constant_count);
void loaded_free(struct loaded *loaded);
/* Upper bound of the successors of a state in which no firing fails (model/transitions/successor_bound.h). */
uint64_t loaded_expected(const struct loaded *loaded);
/* First message of the log, or "". Without a log: that the file cannot be read. */
const char *loaded_message(const struct loaded *loaded);

#endif
