/* libFuzzer harness: the bytes through the complete front end of Petri nets, from PNML to the ground model. After a NUL
   comes the file of properties. */
#include "core/mem.h"
#include "frontend/pnml/pnml_language.h"

#include <stdlib.h>
#include <string.h>

static struct parts {
  struct includer includer;
  struct source net, properties;
  struct arena arena, checked;
  floe_log *log;
  floe_status status;
  const struct model *model;
} parts;

static floe_status properties(struct includer *includer, const struct source **out) {
  struct parts *self = (struct parts *)includer;
  *out = self->properties.text ? &self->properties : NULL;
  return FLOE_OK;
}

static void check(void *data) {
  const struct outline *outline = data;
  parts.status = pnml_language.check(outline, NULL, 0, &parts.checked, parts.log, &parts.model);
}

static void read_all(void *data) {
  const struct outline *outline;
  (void)data;
  parts.status = pnml_language.parse(&parts.net, &parts.includer, &parts.arena, parts.log, &outline);
  if (parts.status == FLOE_OK && arena_guard(&parts.checked, check, (void *)outline) != 0)
    parts.status = FLOE_ERROR_MEMORY;
}

/* Parts of a model that traces and reports print. */
static void print(void *data) {
  const struct model *m = data;
  for (size_t i = 0; i < m->property_count; i++)
    if (m->properties[i].expr)
      expr_text(m, m->properties[i].expr, &parts.checked);
  for (uint32_t i = 0; i < m->variable_count; i++)
    element_name(m, i, m->variables[i].count - 1, &parts.checked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data, *part = size ? memchr(text, 0, size) : NULL;
  parts = (struct parts){.includer = {.properties = properties}};
  parts.net = (struct source){.name = "fuzz.pnml", .text = text, .length = part ? (size_t)(part - text) : size};
  if (part)
    parts.properties = (struct source){.name = "fuzz.xml",
                                       .text = part + 1,
                                       .length = size - (size_t)(part + 1 - text),
                                       .base = source_end(&parts.net)};
  parts.net.next = part ? &parts.properties : NULL;
  arena_init(&parts.arena);
  arena_init(&parts.checked);
  if (floe_log_create(&parts.log) != FLOE_OK)
    return 0;
  if (arena_guard(&parts.arena, read_all, NULL) != 0)
    parts.status = FLOE_ERROR_MEMORY;
  /* exactly the failures are logged, and models are sound */
  if (parts.status == FLOE_ERROR_INTERNAL || (parts.status == FLOE_OK) != (floe_log_errors(parts.log) == 0) ||
      (parts.status == FLOE_OK && model_flaw(parts.model)))
    abort();
  if (parts.status == FLOE_OK && arena_guard(&parts.checked, print, (void *)parts.model) != 0)
    abort();
  arena_free(&parts.checked);
  arena_free(&parts.arena);
  floe_log_free(parts.log);
  if (mem_live() != 0)
    abort();
  return 0;
}
