/* Models for tests, from a file or a text to a layout. */
#ifndef FLOE_TEST_LOADED_H
#define FLOE_TEST_LOADED_H

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

/* False when the model is refused: then the log says why. loaded_free is to be called in both
   cases. Constants are those of `definitions`; NULL: of the first `expect` block. */
bool loaded_from_text(struct loaded *loaded, const char *name, const char *text, size_t length,
                      const struct definition *definitions, size_t definition_count);
bool loaded_from_file(struct loaded *loaded, const char *path);
void loaded_free(struct loaded *loaded);
/* Successors that a state has at most where nothing fails (model/successor_bound.h). */
uint64_t loaded_expected(const struct loaded *loaded);
/* First message of the log, or "". */
const char *loaded_message(const struct loaded *loaded);

#endif
