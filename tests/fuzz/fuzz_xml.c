/* libFuzzer harness: the bytes through the complete front end, from XML to the ground model. */
#include "core/mem.h"
#include "frontend/check/checker.h"
#include "frontend/xml/reader.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The input is a model; after a NUL comes the text that each include of it has, up to MOST. */
#define MOST 3
static struct parts {
  struct includer includer;
  struct source own, included[MOST];
  const char *text;
  size_t length, count;
  floe_log *log;
} parts;

static floe_status include(struct includer *includer, const char *href, source_at at, const struct source **out) {
  struct parts *self = (struct parts *)includer;
  if (!self->text || self->count == MOST) {
    diag_error(self->log, &self->own, at, NULL, "not included: %s", href);
    return FLOE_ERROR_MODEL;
  }
  struct source *source = &self->included[self->count];
  *source =
      (struct source){.name = "part.xml", .text = self->text, .length = self->length, .base = source_end(&self->own)};
  *(self->count ? &self->included[self->count - 1].next : &self->own.next) = source;
  self->count++;
  *out = source;
  return FLOE_OK;
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
  const char *text = (const char *)data, *part = size ? memchr(text, 0, size) : NULL;
  struct arena arena;
  struct syntax_model *syntax;
  const struct model *model;
  floe_log *log;
  arena_init(&arena);
  if (floe_log_create(&log) != FLOE_OK)
    return 0;
  parts = (struct parts){.includer = {include, include}, .log = log};
  parts.own = (struct source){.name = "fuzz.xml", .text = text, .length = part ? (size_t)(part - text) : size};
  parts.text = part ? part + 1 : NULL;
  parts.length = part ? size - (size_t)(part + 1 - text) : 0;
  floe_status status = syntax_read(&parts.own, &parts.includer, &arena, log, &syntax);
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
