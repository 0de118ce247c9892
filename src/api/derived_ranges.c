#include "api/derived_ranges.h"

#include "step/analysis/step_ranges.h"

struct derivation {
  const struct check_request *request;
  struct arena *scratch; /* of the first model, the analysis and the ranges */
  floe_log *log;
  struct value_range *ranges; /* [variable] */
  floe_status status;
};

static void derive(void *data) {
  struct derivation *d = data;
  const struct check_request *r = d->request;
  const struct model *model;
  d->status = r->language->check(r->outline, r->definitions, r->definition_count, d->scratch, d->log, &model);
  if (d->status != FLOE_OK)
    return;
  d->ranges = step_ranges_make(model, NULL, d->scratch);
}

struct second_check {
  const struct derivation *derivation;
  struct arena *arena;
  const struct model **out;
  floe_status status;
};

static void check_again(void *data) {
  struct second_check *c = data;
  const struct check_request *r = c->derivation->request;
  c->status = r->language->check_within(r->outline, r->definitions, r->definition_count, c->derivation->ranges,
                                        c->arena, c->out);
}

floe_status check_with_derived_ranges(const struct check_request *request, struct arena *arena, floe_log *log,
                                      const struct model **out) {
  const struct language *language = request->language;
  if (!language->check_within)
    return language->check(request->outline, request->definitions, request->definition_count, arena, log, out);
  struct arena scratch;
  struct derivation d = {.request = request, .scratch = &scratch, .log = log};
  struct second_check again = {.derivation = &d, .arena = arena, .out = out};
  arena_init(&scratch);
  if (arena_guard(&scratch, derive, &d) != 0)
    d.status = FLOE_ERROR_MEMORY;
  if (d.status == FLOE_OK) /* guarded, so that `scratch` is freed */
    d.status = arena_guard(arena, check_again, &again) == 0 ? again.status : FLOE_ERROR_MEMORY;
  arena_free(&scratch);
  return d.status == FLOE_ERROR_MEMORY ? no_memory(log) : d.status;
}
