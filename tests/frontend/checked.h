/* A model read from a text and checked, for the checker's tests. */
#ifndef FLOE_TESTS_FRONTEND_CHECKED_H
#define FLOE_TESTS_FRONTEND_CHECKED_H

#include "frontend/check/checker.h"
#include "frontend/xml/reader.h"
#include "model/model.h"

struct checked {
  struct arena arena;
  floe_log *log;
  struct source source;
  struct syntax_model *syntax;
  const struct definition *definitions;
  size_t definition_count;
  const struct model *model; /* NULL unless status is FLOE_OK */
  floe_status status;
};

/* `constants` is "N=3 K=4" or "". */
void checked_open(struct checked *m, const char *xml, const char *constants);
void checked_close(struct checked *m);
/* Text of an expression, valid until checked_close. */
const char *checked_text(struct checked *m, const struct expr *expr);
/* The expression of property `id`. */
const struct expr *checked_property(const struct checked *m, const char *id);
/* Fails the test, with the model's messages, unless the model is correct. */
void checked_must_hold(const struct checked *m);
/* True if some message contains the text. */
bool checked_says(const struct checked *m, const char *text);

#endif
