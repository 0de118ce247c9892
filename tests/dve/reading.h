/* A text through the front end of DVE, for tests with random input. */
#ifndef FLOE_TESTS_DVE_READING_H
#define FLOE_TESTS_DVE_READING_H

#include "api/derived_ranges.h"
#include "core/mem.h"
#include "frontend/dve/dve_language.h"
#include "model/model.h"

#include <stdlib.h>

struct dve_reading {
  struct source source;
  struct arena arena;
  floe_log *log;
  floe_status status;
  const char *flaw; /* model_flaw */
};

/* Parts of a model that traces and reports print. */
static inline void dve_print_model(const struct model *m, struct arena *arena) {
  for (size_t i = 0; i < m->property_count; i++)
    if (m->properties[i].expr)
      expr_text(m, m->properties[i].expr, arena);
  for (uint32_t i = 0; i < m->variable_count; i++) {
    element_name(m, i, m->variables[i].count - 1, arena);
    value_text(m, i, m->variables[i].lo, arena);
  }
  for (size_t i = 0; i < m->edge_count; i++)
    for (size_t k = 0; k < m->edges[i].guard_count; k++)
      if (m->edges[i].instances->guards[k])
        expr_text_of(m, &m->edges[i], m->edges[i].instances->guards[k], arena);
}

static inline void dve_read_guarded(void *data) {
  struct dve_reading *r = data;
  const struct outline *outline = NULL;
  const struct model *model;
  r->status = dve_language.parse(&r->source, NULL, &r->arena, r->log, &outline);
  const struct check_request request = {.language = &dve_language, .outline = outline};
  if (r->status == FLOE_OK)
    r->status = check_with_derived_ranges(&request, &r->arena, r->log, &model);
  if (r->status == FLOE_OK)
    r->flaw = model_flaw(model);
  if (r->status == FLOE_OK && !r->flaw)
    dve_print_model(model, &r->arena);
}

/* False: something is wrong: failures and logged errors do not agree, the model is not sound, or memory is left. *valid
   (may be NULL): the text is a model. */
static inline bool dve_read(const char *text, size_t length, bool *valid) {
  struct dve_reading r = {.source = {.name = "fuzz.dve", .text = text, .length = length}};
  const size_t live = mem_live();
  if (floe_log_create(&r.log) != FLOE_OK)
    return false;
  arena_init(&r.arena);
  const bool enough = arena_guard(&r.arena, dve_read_guarded, &r) == 0;
  const bool agrees = r.status != FLOE_ERROR_INTERNAL && (r.status == FLOE_OK) == (floe_log_errors(r.log) == 0);
  dve_language.recognise(text, length);
  if (valid)
    *valid = enough && r.status == FLOE_OK;
  arena_free(&r.arena);
  floe_log_free(r.log);
  return (!enough || agrees) && !r.flaw && mem_live() == live;
}

#endif
