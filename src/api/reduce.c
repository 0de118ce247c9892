/* Models reduced for some of their properties. */
#include "api/api.h"
#include "core/usage.h"

#include <string.h>

struct reduce_call {
  floe_model *model;
  const char *const *properties;
  size_t count;
  floe_log *log;
  struct arena names; /* of the properties, which may be those of the checked model */
  const struct outline *outline;
  floe_status status;
};

static void copy_names(void *data) {
  struct reduce_call *call = data;
  const char **copies = arena_array(&call->names, call->count + 1, sizeof *copies);
  for (size_t i = 0; i < call->count; i++)
    copies[i] = arena_copy(&call->names, call->properties[i], strlen(call->properties[i]));
  if (call->properties)
    call->properties = copies;
}

static void reduce_guarded(void *data) {
  struct reduce_call *call = data;
  const floe_model *model = call->model;
  call->status = model->language->reduce(model->outline, call->properties, call->count, &call->model->reduced_arena,
                                         call->log, &call->outline);
}

/* The model as read. */
static void restore(floe_model *model) {
  model_uncheck(model);
  if (model->whole)
    model->outline = model->whole;
  model->whole = NULL;
  model->simplify = (struct simplify_request){0};
  arena_free(&model->reduced_arena);
}

static bool has_given_constant(const floe_model *model) {
  for (size_t i = 0; i < model->definition_count; i++)
    if (!model->definitions[i].guessed)
      return true;
  return false;
}

/* Undoes the last reduction and calls work(call), which may allocate in reduced_arena. The names may be the model's
   own. False: no memory. */
static bool start_again(struct reduce_call *call, void (*work)(void *call)) {
  arena_init(&call->names);
  bool failed = arena_guard(&call->names, copy_names, call) != 0;
  if (!failed) {
    restore(call->model);
    failed = arena_guard(&call->model->reduced_arena, work, call) != 0;
  }
  arena_free(&call->names);
  return !failed;
}

floe_status floe_model_reduce(floe_model *model, const char *const *properties, size_t count, floe_log *log) {
  struct reduce_call call = {.model = model, .properties = properties, .count = count, .log = log};
  REQUIRE(log, model);
  if (!model->language->reduce)
    return FLOE_ERROR_UNSUPPORTED;
  if (has_given_constant(model)) {
    diag_error(log, NULL, NOWHERE, "reduce it without, or do not reduce it",
               "a model with defined constants is not reduced: removed parts could exceed them");
    return FLOE_ERROR_USAGE;
  }
  if (!start_again(&call, reduce_guarded))
    return no_memory(log);
  FLOE_TRY(call.status);
  model->whole = call.outline == model->outline ? NULL : model->outline;
  model->outline = call.outline;
  return FLOE_OK;
}

static void keep_request(void *data) {
  struct reduce_call *call = data;
  struct simplify_request *out = &call->model->simplify;
  const char **ids = arena_array(&call->model->reduced_arena, call->count + 1, sizeof *ids);
  for (size_t i = 0; i < call->count; i++)
    ids[i] = arena_copy(&call->model->reduced_arena, call->properties[i], strlen(call->properties[i]));
  *out = (struct simplify_request){.properties = call->properties ? ids : NULL, .property_count = call->count};
}

floe_status floe_model_simplify(floe_model *model, unsigned passes, const char *const *properties, size_t count,
                                floe_log *log) {
  struct reduce_call call = {.model = model, .properties = properties, .count = count, .log = log};
  REQUIRE(log, model);
  if (!start_again(&call, keep_request))
    return no_memory(log);
  model->simplify.merge = passes & FLOE_SIMPLIFY_MERGE;
  model->simplify.dead = passes & FLOE_SIMPLIFY_DEAD;
  return FLOE_OK;
}
