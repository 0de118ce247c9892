/* Models as texts of another language. */
#include "api/api.h"

#include "api/deadlock_mode.h"
#include "api/languages.h"
#include "core/usage.h"

#include <string.h>

/* The i-th language that has a writer. */
static const struct language *writer_at(size_t i) {
  for (const struct language *const *l = languages; *l; l++)
    if ((*l)->write && i-- == 0)
      return *l;
  return NULL;
}

const char *floe_written_language(size_t i) {
  const struct language *language = writer_at(i);
  return language ? language->name : NULL;
}

const char *floe_written_language_of(const char *file) {
  for (const struct language *const *l = languages; file && *l; l++)
    if ((*l)->write && language_has_ending(*l, file))
      return (*l)->name;
  return NULL;
}

static const struct language *writer_named(const char *name) {
  const struct language *language;
  for (size_t i = 0; (language = writer_at(i)); i++)
    if (strcmp(language->name, name) == 0)
      return language;
  return NULL;
}

struct write_call {
  floe_model *model;
  const struct language *language;
  floe_log *log;
  const char *text;
  floe_status status;
};

/* The writers know deadlocks without steps alone. */
static const struct model *without_stuttering(const struct write_call *call) {
  const struct model *model = call->model->model;
  if (!model->stuttering)
    return model;
  diag_warning(call->log, NULL, NOWHERE, "--deadlock=stuck keeps the check for states without enabled transitions",
               "the property 'deadlock' is left out: in '%s' a state all of whose steps lead back to it is no deadlock",
               call->language->name);
  return deadlock_mode_set(model, FLOE_DEADLOCKS_OFF, &call->model->checked_arena);
}

static void write_guarded(void *data) {
  struct write_call *call = data;
  struct arena *arena = &call->model->checked_arena;
  call->status = call->language->write(without_stuttering(call), arena, call->log, &call->text);
}

/* Reads the text, so that no file is written that floe refuses. */
static floe_status read_again(const struct write_call *call) {
  char name[64];
  floe_model *read;
  floe_log *log;
  snprintf(name, sizeof name, "the text%s", call->language->endings[0]);
  FLOE_TRY(floe_log_create(&log));
  floe_status status = floe_model_parse(name, call->text, strlen(call->text), log, &read);
  if (status == FLOE_OK) {
    status = floe_model_check(read, log);
    floe_model_free(read);
  }
  for (size_t i = 0; status == FLOE_ERROR_MODEL && i < floe_log_count(log); i++)
    if (floe_log_at(log, i)->severity == FLOE_ERROR) {
      diag_error(call->log, NULL, NOWHERE, NULL, "the model exceeds a limit of the language '%s': %s",
                 call->language->name, floe_log_at(log, i)->message);
      break;
    }
  floe_log_free(log);
  return status;
}

floe_status floe_model_write(floe_model *model, const char *language, floe_log *log, const char **text) {
  REQUIRE(log, model);
  REQUIRE(log, language);
  REQUIRE(log, text);
  struct write_call call = {.model = model, .language = writer_named(language), .log = log};
  if (!call.language) {
    diag_error(log, NULL, NOWHERE, NULL, "models cannot be written in the language '%s'", language);
    return FLOE_ERROR_USAGE;
  }
  if (model->model->start_firings) {
    diag_error(log, NULL, NOWHERE, NULL,
               "a model with several start states cannot be written: '%s' has one initial state", call.language->name);
    return FLOE_ERROR_MODEL;
  }
  if (model->model->transient) {
    diag_error(log, NULL, NOWHERE, NULL, "a model with atomic sequences cannot be written: '%s' has none",
               call.language->name);
    return FLOE_ERROR_MODEL;
  }
  FLOE_TRY(floe_model_widen(model, log)); /* a search starts again with a larger guess, a reader of the text cannot */
  if (arena_guard(&model->checked_arena, write_guarded, &call) != 0)
    return no_memory(log);
  FLOE_TRY(call.status);
  FLOE_TRY(read_again(&call));
  *text = call.text;
  return FLOE_OK;
}
