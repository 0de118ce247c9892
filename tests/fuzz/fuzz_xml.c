/* libFuzzer harness: the bytes through the complete front end, from XML to the ground model. */
#include "core/mem.h"
#include "frontend/check/checker.h"
#include "frontend/xml/reader.h"
#include "model/model.h"

#include <stdlib.h>

static struct reporter {
  struct includer includer;
  const struct source *source;
  floe_log *log;
} reporter;

/* No input names a file. */
static floe_status refuse(struct includer *includer, const char *href, source_at at, const struct source **out) {
  const struct reporter *self = (const struct reporter *)includer;
  (void)out;
  diag_error(self->log, self->source, at, NULL, "not included: %s", href);
  return FLOE_ERROR_MODEL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parts of a model that traces and reports print. */
struct printing {
  const struct model *model;
  struct arena *arena;
};

static void print(void *data) {
  const struct printing *p = data;
  const struct model *m = p->model;
  for (size_t i = 0; i < m->property_count; i++)
    if (m->properties[i].expr)
      expr_text(m, m->properties[i].expr, p->arena);
  for (uint32_t i = 0; i < m->variable_count; i++) {
    element_name(m, i, m->variables[i].count - 1, p->arena);
    value_text(m, i, m->variables[i].lo, p->arena);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source source = {.name = "fuzz.xml", .text = (const char *)data, .length = size};
  struct arena arena;
  struct syntax_model *syntax;
  const struct model *model;
  floe_log *log;
  arena_init(&arena);
  if (floe_log_create(&log) != FLOE_OK)
    return 0;
  reporter = (struct reporter){{refuse}, &source, log};
  floe_status status = syntax_read(&source, &reporter.includer, &arena, log, &syntax);
  if (status == FLOE_OK)
    status = model_check(syntax, NULL, 0, &arena, log, &model);
  /* exactly the failures are logged */
  if (status == FLOE_ERROR_INTERNAL || (status == FLOE_OK) != (floe_log_errors(log) == 0))
    abort();
  if (status == FLOE_OK && arena_guard(&arena, print, &(struct printing){model, &arena}) != 0)
    abort();
  arena_free(&arena);
  floe_log_free(log);
  if (mem_live() != 0)
    abort();
  return 0;
}
