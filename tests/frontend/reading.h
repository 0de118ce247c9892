/* Shared by the tests of the reader: a text, read, and its log. */
#ifndef FLOE_TESTS_FRONTEND_READING_H
#define FLOE_TESTS_FRONTEND_READING_H

#include "core/mem.h"
#include "frontend/parse/parse.h"
#include "frontend/xml/reader.h"
#include "tests/suite.h"

#include <string.h>

struct reading {
  struct source source;
  struct arena arena;
  floe_log *log;
};

static inline void reading_init(struct reading *r, const char *text, size_t length) {
  *r = (struct reading){.source = {.name = "m.xml", .text = text, .length = length}};
  arena_init(&r->arena);
  ck_assert_int_eq(floe_log_create(&r->log), FLOE_OK);
}

static inline void reading_free(struct reading *r) {
  arena_free(&r->arena);
  floe_log_free(r->log);
}

/* "LINE:COLUMN: MESSAGE" of the first message, in a static buffer; "" if there is none. */
static inline const char *reading_message(const struct reading *r) {
  static char text[600];
  text[0] = '\0';
  if (floe_log_count(r->log) > 0) {
    const floe_message *m = floe_log_at(r->log, 0);
    snprintf(text, sizeof text, "%u:%u: %s", m->line, m->column, m->message);
  }
  return text;
}

#endif
