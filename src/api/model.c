/* Models: loading, constants, checking. */
#include "api/api.h"

#include "api/deadlock_mode.h"
#include "api/derived_ranges.h"
#include "api/includes.h"
#include "api/input.h"
#include "api/language_note.h"
#include "api/languages.h"
#include "base/little_endian.h"
#include "base/utf8.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "model/process.h"
#include "model/symmetry/find_symmetry.h"
#include "step/layout/canonical.h"
#include "step/layout/instances.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct parse_call {
  floe_model *model;
  const struct source *given; /* the model's own file; included ones after it take the place of files */
  const floe_load_options *options;
  bool from_file;
  struct source properties; /* text NULL: none */
  floe_log *log;
  floe_status status;
};

void floe_load_options_init(floe_load_options *options) {
  if (options)
    *options = (floe_load_options){.struct_size = sizeof *options};
}

static floe_load_options complete_options(const floe_load_options *options) {
  floe_load_options all;
  floe_load_options_init(&all);
  if (options)
    memcpy(&all, options, options->struct_size < sizeof all ? options->struct_size : sizeof all);
  return all;
}

static struct include_rules include_rules_of(const struct parse_call *call, struct arena *arena) {
  const char *name = call->given->name;
  struct include_rules rules = {.folder =
                                    call->from_file ? include_folder(name, arena) : call->options->include_folder};
  rules.root = call->options->include_folder ? call->options->include_folder : rules.folder;
  if (call->options->no_includes) {
    rules.root = NULL;
    rules.refusal = "includes are turned off";
  } else if (!rules.root) {
    rules.refusal = "the model was not read from a file";
    rules.hint = "save the model as a file: paths are relative to its folder";
  }
  return rules;
}

/* Of all texts; that of a text without includes is the text's own. */
static void set_digest(floe_model *model) {
  struct digest hash;
  unsigned char digest[DIGEST_BYTES];
  digest_init(&hash);
  digest_add(&hash, model->source.text, model->source.length);
  for (const struct source *source = model->source.next; source; source = source->next) {
    unsigned char begin[sizeof(uint32_t)]; /* the same bytes in other files have another digest */
    store32(begin, source->base);
    digest_add(&hash, begin, sizeof begin);
    digest_add(&hash, source->text, source->length);
  }
  digest_finish(&hash, digest);
  strcpy(model->digest, "sha256:");
  digest_hex(digest, model->digest + strlen(model->digest));
}

static void parse_guarded(void *data) {
  struct parse_call *call = data;
  floe_model *model = call->model;
  struct arena *arena = &model->arena;
  const struct include_rules rules = include_rules_of(call, arena);
  struct includes includes;
  model->source = source_copy(call->given, arena);
  includes_init(&includes, &rules, &model->source, arena, call->log);
  includes.given = call->given->next;
  includes.properties = call->properties.text ? &call->properties : NULL;
  model->language = language_choose(languages, model->source.name, model->source.text, model->source.length);
  if (includes.properties && !model->language->reads_properties) {
    diag_error(call->log, NULL, NOWHERE, "write the properties in the model",
               "models of the language '%s' have no files of properties", model->language->name);
    call->status = FLOE_ERROR_USAGE;
    return;
  }
  call->status = model->language->parse(&model->source, &includes.includer, arena, call->log, &model->outline);
  if (call->status == FLOE_ERROR_MODEL)
    language_note(model->language, &model->source, arena, call->log);
  set_digest(model);
  source_lines_make(&model->source, arena, &model->lines);
}

static floe_status parse_with_log(struct parse_call *call, floe_model **out) {
  const struct source *given = call->given;
  double start = clock_seconds();
  floe_model *model = mem_alloc(sizeof *model);
  if (!model)
    return no_memory(call->log);
  arena_init(&model->arena);
  arena_init(&model->checked_arena);
  arena_init(&model->reduced_arena);
  call->model = model;
  model->loaded_deadlocks = model->deadlocks = call->options->deadlocks;
  struct utf8_shown shown;
  if ((unsigned)model->deadlocks > FLOE_DEADLOCKS_STUTTERING) {
    diag_error(call->log, NULL, NOWHERE, "FLOE_DEADLOCKS_OF_LANGUAGE, _OFF, _STUCK and _STUTTERING",
               "unknown kind of deadlocks");
    call->status = FLOE_ERROR_USAGE;
  } else if (given->length > LARGEST_MODEL) {
    diag_error(call->log, NULL, NOWHERE, NULL, "%s is larger than %zu MiB", utf8_show(given->name, &shown),
               LARGEST_MODEL >> 20);
    call->status = FLOE_ERROR_USAGE;
  } else if (arena_guard(&model->arena, parse_guarded, call) != 0) {
    call->status = no_memory(call->log);
  }
  if (call->status != FLOE_OK) {
    floe_model_free(model);
    return call->status;
  }
  assert(model->outline);
  model->parse_seconds = clock_seconds() - start;
  *out = model;
  return FLOE_OK;
}

/* Also the file of properties, if one was given. */
static floe_status parse_with_properties(struct parse_call *call, floe_model **out) {
  const char *path = call->options->properties;
  const struct stop stop = {.interrupt = interruptible_flag()};
  char *text = NULL;
  if (path) {
    call->properties.name = path;
    FLOE_TRY(input_read(path, LARGEST_MODEL, &stop, call->log, &text, &call->properties.length));
  }
  call->properties.text = text;
  const floe_status status = parse_with_log(call, out);
  mem_free(text);
  return status;
}

/* The parsers need a log: it shows whether there were errors. */
static floe_status parse(struct parse_call *call, floe_model **out) {
  if (call->log)
    return parse_with_properties(call, out);
  FLOE_TRY(floe_log_create(&call->log));
  floe_status status = parse_with_properties(call, out);
  floe_log_free(call->log);
  return status;
}

floe_status model_parse_given(const struct source *given, floe_log *log, floe_model **out) {
  const floe_load_options options = complete_options(NULL);
  struct parse_call call = {.given = given, .options = &options, .log = log};
  return parse(&call, out);
}

floe_status floe_model_parse_with(const char *name, const char *text, size_t length, const floe_load_options *options,
                                  floe_log *log, floe_model **out) {
  const struct source given = {.name = name, .text = text, .length = length};
  const floe_load_options all = complete_options(options);
  struct parse_call call = {.given = &given, .options = &all, .log = log};
  REQUIRE(log, name);
  REQUIRE(log, text);
  REQUIRE(log, out);
  return parse(&call, out);
}

floe_status floe_model_parse(const char *name, const char *text, size_t length, floe_log *log, floe_model **out) {
  return floe_model_parse_with(name, text, length, NULL, log, out);
}

floe_status floe_model_load_with(const char *path, const floe_load_options *options, floe_log *log, floe_model **out) {
  char *text;
  REQUIRE(log, path);
  REQUIRE(log, out);
  const bool from_file = strcmp(path, "-") != 0;
  const floe_load_options all = complete_options(options);
  const struct stop stop = {.interrupt = interruptible_flag()};
  struct source given = {.name = from_file ? path : "<stdin>"};
  floe_status status = input_read(path, LARGEST_MODEL, &stop, log, &text, &given.length);
  if (status == FLOE_ERROR_INTERRUPTED)
    interrupt_took_effect();
  FLOE_TRY(status);
  given.text = text;
  struct parse_call call = {.given = &given, .options = &all, .from_file = from_file, .log = log};
  status = parse(&call, out);
  mem_free(text);
  return status;
}

floe_status floe_model_load(const char *path, floe_log *log, floe_model **out) {
  return floe_model_load_with(path, NULL, log, out);
}

void floe_model_free(floe_model *model) {
  if (!model)
    return;
  arena_free(&model->checked_arena);
  arena_free(&model->reduced_arena);
  arena_free(&model->arena);
  mem_free(model);
}

/* Numbers all checks of the process. */
static uint64_t next_check_number(void) {
  static atomic_uint_fast64_t last;
  return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1; /* unique; orders nothing */
}

/* Discards the results of floe_model_check, which depend on the definitions. */
void model_uncheck(floe_model *model) {
  arena_free(&model->checked_arena);
  model->model = NULL;
  model->simplified = NULL;
  model->layout = model->plain = model->index_keys = NULL;
  model->no_index_keys = false;
  model->index_key_bits = NULL;
  model->variable_names = NULL;
  model->asymmetric = NULL;
}

/* A decimal integer of 64 bits, `true` or `false`. */
static bool is_value(const char *text) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    return true;
  const char *digits = *text == '-' ? text + 1 : text;
  if (!*digits || digits[strspn(digits, "0123456789")])
    return false;
  char *end;
  errno = 0;
  strtoll(text, &end, 10);
  return errno == 0 && *end == 0;
}

/* The name of a constant in the outline, or NULL. */
static const char *find_constant(const struct outline *outline, const char *name) {
  for (size_t i = 0; i < outline->constant_count; i++)
    if (strcmp(outline->constants[i], name) == 0)
      return outline->constants[i];
  return NULL;
}

struct define_call {
  floe_model *model;
  const char *name, *value;
  floe_log *log;
  bool guessed;
};

#define MOST_LISTED 12

/* Hint with the names of all constants. */
static const char *list_names(struct arena *arena, const char *const *names, size_t n) {
  if (n == 0)
    return "the model has no constants";
  const char *text = arena_printf(arena, "its constants: %s", names[0]);
  for (size_t i = 1; i < n && i < MOST_LISTED; i++)
    text = arena_printf(arena, "%s, %s", text, names[i]);
  return n > MOST_LISTED ? arena_printf(arena, "%s and others", text) : text;
}

static void log_unknown_constant(void *data) {
  const struct define_call *call = data;
  const struct outline *outline = call->model->outline;
  struct arena *arena = &call->model->arena;
  struct utf8_shown shown;
  const char *near = most_similar_name(call->name, outline->constants, outline->constant_count);
  const char *hint = near ? arena_printf(arena, "did you mean '%s'?", near)
                          : list_names(arena, outline->constants, outline->constant_count);
  diag_error(call->log, NULL, NOWHERE, hint, "the model has no constant '%s'", utf8_show(call->name, &shown));
}

static void add_definition(void *data) {
  const struct define_call *call = data;
  floe_model *model = call->model;
  const char *value = arena_copy(&model->arena, call->value, strlen(call->value));
  for (size_t i = 0; i < model->definition_count; i++) {
    if (strcmp(model->definitions[i].name, call->name) == 0) {
      model->definitions[i].value = value;
      model->definitions[i].guessed = call->guessed;
      return;
    }
  }
  /* A guess of a reduced model may be a constant that the outline, of the whole one, has not. */
  const char *listed = find_constant(model->outline, call->name);
  const char *name = listed ? listed : arena_copy(&model->arena, call->name, strlen(call->name));
  struct definition *new =
      ARENA_PUSH(&model->arena, model->definitions, model->definition_count, model->definition_cap);
  *new = (struct definition){name, value, call->guessed};
}

floe_status floe_model_define(floe_model *model, const char *name, const char *value, floe_log *log) {
  struct define_call call = {.model = model, .name = name, .value = value, .log = log};
  struct utf8_shown shown;
  REQUIRE(log, model);
  REQUIRE(log, name);
  REQUIRE(log, value);
  if (strcmp(name, DEADLOCK_MODE) == 0) {
    FLOE_TRY(deadlock_mode_read(value, log, &model->deadlocks));
    model_uncheck(model);
    return FLOE_OK;
  }
  if (!find_constant(model->outline, name)) {
    if (arena_guard(&model->arena, log_unknown_constant, &call) != 0)
      return no_memory(log);
    return FLOE_ERROR_MODEL;
  }
  if (!is_value(value)) {
    diag_error(log, NULL, NOWHERE, "a whole number, true or false", "'%s' is no value for constant %s",
               utf8_show(value, &shown), name);
    return FLOE_ERROR_MODEL;
  }
  model_uncheck(model);
  return arena_guard(&model->arena, add_definition, &call) == 0 ? FLOE_OK : no_memory(log);
}

floe_status model_set_guess(floe_model *model, const char *constant, const char *value, floe_log *log) {
  struct define_call call = {model, constant, value, log, .guessed = true};
  const int failed = arena_guard(&model->arena, add_definition, &call); /* before the checked model is freed */
  model_uncheck(model);
  return failed ? no_memory(log) : FLOE_OK;
}

void floe_model_undefine_all(floe_model *model) {
  if (!model)
    return;
  model_uncheck(model);
  model->definition_count = 0;
  model->deadlocks = model->loaded_deadlocks;
}

void model_set_symmetric(floe_model *model, bool symmetric) {
  if (model->symmetric != symmetric)
    model_uncheck(model);
  model->symmetric = symmetric;
}

struct check_call {
  floe_model *model;
  floe_log *log;
  floe_status status;
};

/* Notes why a pass does not apply. */
static void simplify(floe_model *model, floe_log *log, struct arena *arena) {
  struct simplify_request request = model->simplify;
  struct simplified *out = arena_alloc(arena, sizeof *out);
  if (!request.merge && !request.dead)
    return;
  request.model = model->model;
  model_simplify(&request, arena, out);
  if (request.merge && out->not_merged)
    diag_note(log, NULL, NOWHERE, NULL, "no transitions are merged: %s", out->not_merged);
  if (request.dead && out->not_reset)
    diag_note(log, NULL, NOWHERE, NULL, "no dead variables are reset: %s", out->not_reset);
  if (!out->merged && !out->reset_transitions)
    return;
  model->simplified = out;
  model->model = out->model;
}

/* Keys of canonical forms. */
static void set_canonical(floe_model *model, struct arena *arena) {
  struct layout *layout = arena_alloc(arena, sizeof *layout);
  *layout = *model->layout;
  layout_join_instances(model->model, arena, layout);
  canonical_tables_make(model->model, layout, arena, &layout->canonical, &model->asymmetric);
  if (!model->asymmetric && !model->model->symmetry->any_initial && !symmetry_keeps_initial(model->model, arena))
    model->asymmetric = "its initial state is not symmetric";
  if (!model->asymmetric)
    model->layout = layout;
}

/* Symmetry of a language without symmetric types. */
static floe_status find_symmetry(floe_model *model, struct arena *arena, floe_log *log) {
  struct model *copy = arena_alloc(arena, sizeof *copy);
  *copy = *model->model;
  if (!copy->transient)
    FLOE_TRY(symmetry_find(copy, arena, log, &copy->symmetry));
  model->model = copy;
  return copy->symmetry || copy->transient || !processes_several(copy) ? FLOE_OK : FLOE_ERROR_MODEL;
}

static void check_guarded(void *data) {
  struct check_call *call = data;
  floe_model *model = call->model;
  struct arena *arena = &model->checked_arena;
  const struct check_request request = {model->language, model->outline, model->definitions, model->definition_count};
  const bool has_types = model->symmetric && model->language->check_symmetric;
  call->status = has_types ? model->language->check_symmetric(model->outline, model->definitions,
                                                              model->definition_count, arena, call->log, &model->model)
                           : check_with_derived_ranges(&request, arena, call->log, &model->model);
  if (call->status != FLOE_OK)
    return;
  assert(!model_flaw(model->model));
  if (model->symmetric && !has_types)
    call->status = find_symmetry(model, arena, call->log);
  if (call->status != FLOE_OK)
    return;
  model->model = deadlock_mode_set(model->model, model->deadlocks, arena);
  simplify(model, call->log, arena);
  assert(!model_flaw(model->model));
  call->status = layout_make(model->model, arena, &model->layout);
  model->plain = model->layout;
  if (call->status == FLOE_OK && model->model->symmetry)
    set_canonical(model, arena);
  model->check_number = next_check_number();
  model->variable_names = describe_variables(model->model, arena);
}

floe_status floe_model_check(floe_model *model, floe_log *log) {
  REQUIRE(log, model);
  if (model->model)
    return FLOE_OK;
  double start = clock_seconds();
  struct check_call call = {model, log, FLOE_OK};
  if (arena_guard(&model->checked_arena, check_guarded, &call) != 0)
    call.status = no_memory(log);
  model->parse_seconds += clock_seconds() - start;
  if (call.status != FLOE_OK)
    model_uncheck(model);
  return call.status;
}

/* All at once, because a check of a large model takes seconds. */
static floe_status widen_all(floe_model *model, floe_log *log) {
  for (const struct guess *guess = model->model->guess; guess; guess = guess->other) {
    struct define_call call = {model, guess->constant, guess->last, log, .guessed = true};
    if (arena_guard(&model->arena, add_definition, &call) != 0)
      return no_memory(log);
  }
  model_uncheck(model);
  return FLOE_OK;
}

floe_status floe_model_widen(floe_model *model, floe_log *log) {
  FLOE_TRY(floe_model_check(model, log));
  while (model->model->guess) {
    FLOE_TRY(widen_all(model, log));
    FLOE_TRY(floe_model_check(model, log));
  }
  return FLOE_OK;
}
