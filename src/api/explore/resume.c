/* Going on with a search that another run wrote to a file. */
#include "api/explore/explore.h"

#include "api/explore/key_encoding.h"
#include "checkpoint/identity.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct resumption {
  floe_model *model;
  const char *path; /* of the file that is read */
  floe_log *log;
  floe_options options;
  struct checkpoint_reader *reader;
  const struct layout *layout; /* with keys as the file has them */
  const char **properties;     /* of the file */
};

/* ---- words of the file ------------------------------------------------------------------------- */

/* The value of "name=value"; NULL: it is another one. */
static const char *value_of(const char *word, const char *name) {
  const size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool has(const struct checkpoint_head *head, const char *name) {
  for (uint32_t i = 0; i < head->option_count; i++)
    if (value_of(head->options[i], name))
      return true;
  return false;
}

/* ---- is it of this model? ------------------------------------------------------------------------ */

static floe_status refuse(const struct resumption *r, const char *hint, const char *what) {
  diag_error(r->log, NULL, NOWHERE, hint, "%s: %s", r->path, what);
  return FLOE_ERROR_USAGE;
}

static const floe_constant *find_constant(const struct checkpoint_head *head, const char *name) {
  for (uint32_t i = 0; i < head->constant_count; i++)
    if (strcmp(head->constants[i].name, name) == 0)
      return &head->constants[i];
  return NULL;
}

/* Those that the file has and the model has not make another digest. */
static floe_status compare_constants(const struct resumption *r, const struct checkpoint_head *head) {
  floe_status status = FLOE_OK;
  for (size_t i = 0; i < floe_model_constants(r->model); i++) {
    const floe_constant here = floe_model_constant(r->model, i), *there = find_constant(head, here.name);
    char what[300];
    if (!there || there->value == here.value)
      continue;
    snprintf(what, sizeof what, "constant %.100s is %" PRId64 " there and %" PRId64 " here", here.name, there->value,
             here.value);
    status = refuse(r, "floe resume takes the constants from the file", what);
  }
  return status;
}

/* What a changed model shows of its change. */
static void tell_change(const struct resumption *r, char *text, size_t size) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  const struct checkpoint_search *search = checkpoint_search_of(r->reader);
  const struct model *model = r->model->model;
  if (strcmp(head->model, floe_model_name(r->model)) != 0)
    snprintf(text, size, "it is of model '%.100s', this is '%.100s'", head->model, floe_model_name(r->model));
  else if (head->bits != r->layout->key_bits)
    snprintf(text, size, "the model has changed: keys had %" PRIu32 " bits, and have %" PRIu32, head->bits,
             r->layout->key_bits);
  else if (search->transition_count != model->transition_count)
    snprintf(text, size, "the model has changed: it had %" PRIu32 " ground transitions, and has %zu",
             search->transition_count, (size_t)model->transition_count);
  else if (search->property_count != model->property_count)
    snprintf(text, size, "the model has changed: it had %" PRIu32 " properties, and has %zu", search->property_count,
             (size_t)model->property_count);
  else if (r->layout->encoding)
    snprintf(text, size, "the model has changed, or what is proved of it, and so its ranks");
  else
    snprintf(text, size, "the model has changed: variables, initial values, transitions or properties are others");
}

/* The keys of the file, which go on as they are. */
static floe_status take_encoding(struct resumption *r) {
  const floe_encoding there =
      has(checkpoint_head_of(r->reader), "encoding") ? FLOE_ENCODING_INDEX : FLOE_ENCODING_FIELDS;
  char what[200];
  if (r->options.encoding != FLOE_ENCODING_AUTO && r->options.encoding != there) {
    snprintf(what, sizeof what, "its keys are encoded by '%s'", floe_encoding_name(there));
    return refuse(r, "a search goes on with the keys that it began with", what);
  }
  r->options.encoding = there;
  r->layout = r->model->layout;
  if (there == FLOE_ENCODING_FIELDS)
    return FLOE_OK;
  floe_status status = index_key_alternatives_of(r->model, &r->layout);
  if (status == FLOE_ERROR_UNSUPPORTED)
    return refuse(r, NULL, "its keys are ranks, and the model has none any more");
  return status == FLOE_ERROR_MEMORY ? no_memory(r->log) : status;
}

static floe_status compare_model(const struct resumption *r) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  unsigned char digest[DIGEST_BYTES];
  char text[400];
  FLOE_TRY(compare_constants(r, head));
  checkpoint_identity(r->model->model, r->layout, digest);
  if (memcmp(digest, head->digest, sizeof digest) == 0)
    return FLOE_OK;
  tell_change(r, text, sizeof text);
  return refuse(r, "a search can only go on in the model that it began in", text);
}

/* ---- what it was asked for ----------------------------------------------------------------------- */

static uint64_t number_in(const struct checkpoint_head *head, const char *name, uint64_t otherwise) {
  for (uint32_t i = 0; i < head->option_count; i++) {
    const char *value = value_of(head->options[i], name);
    if (value)
      return strtoull(value, NULL, 10);
  }
  return otherwise;
}

static floe_status take_properties(struct resumption *r, const struct checkpoint_head *head) {
  size_t n = 0;
  r->properties = mem_array((size_t)head->option_count + 1, sizeof *r->properties);
  if (!r->properties)
    return no_memory(r->log);
  for (uint32_t i = 0; i < head->option_count; i++) {
    const char *value = value_of(head->options[i], "property");
    if (value)
      r->properties[n++] = value;
  }
  r->options.properties = n ? r->properties : NULL;
  r->options.property_count = n;
  return FLOE_OK;
}

/* A run without a break would have ended at a lesser depth than the one in work; and at the bound states are not
   expanded. */
static floe_status take_depth(struct resumption *r, const struct checkpoint_head *head) {
  const uint32_t depth = checkpoint_search_of(r->reader)->levels - 1;
  const uint32_t before = (uint32_t)number_in(head, "max-depth", UINT32_MAX);
  char what[200];
  if (r->options.max_depth == UINT32_MAX || r->options.max_depth == before) {
    r->options.max_depth = before;
    return FLOE_OK;
  }
  if (r->options.max_depth > depth && before > depth)
    return FLOE_OK;
  snprintf(what, sizeof what, "the search is at depth %" PRIu32 ": a bound of %" PRIu32 " comes too late", depth,
           r->options.max_depth);
  return refuse(r, "the depth counts from the initial state", what);
}

static floe_status take_most_states(struct resumption *r, const struct checkpoint_head *head) {
  const struct checkpoint_search *search = checkpoint_search_of(r->reader);
  const uint64_t before = number_in(head, "max-states", UINT64_MAX);
  uint64_t states = 0;
  char what[200];
  if (r->options.max_states == UINT64_MAX || r->options.max_states == before) {
    r->options.max_states = before;
    return FLOE_OK;
  }
  for (uint32_t i = 0; i < search->levels; i++)
    states += search->level_states[i];
  if (r->options.max_states >= states)
    return FLOE_OK;
  snprintf(what, sizeof what, "the search has found %" PRIu64 " states: a bound of %" PRIu64 " comes too late", states,
           r->options.max_states);
  return refuse(r, "states count from the initial one", what);
}

static floe_status take_options(struct resumption *r) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  r->options.keep_going = has(head, "continue");
  r->options.count_only = has(head, "count");
  FLOE_TRY(take_properties(r, head));
  FLOE_TRY(take_depth(r, head));
  return take_most_states(r, head);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static floe_status keep_going(struct resumption *r, floe_result **out) {
  FLOE_TRY(checkpoint_open(r->path, r->log, &r->reader));
  FLOE_TRY(take_encoding(r));
  FLOE_TRY(compare_model(r));
  checkpoint_expect_keys(r->reader, r->layout->keys);
  FLOE_TRY(take_options(r));
  struct exploration e = {
      .api_model = r->model, .given_options = &r->options, .log = r->log, .checkpoint.from = r->reader};
  return explore_run(&e, out);
}

/* What is to be done with a file, and is tried with FILE.previous where FILE turns out to be damaged. */
struct attempt {
  const char *file;
  floe_log *log;
  floe_status (*with)(struct attempt *attempt, const char *path, floe_log *log);
  floe_model *model;
  const floe_options *options;
  floe_result **result;
};

static floe_status try_previous(struct attempt *attempt, const floe_log *before) {
  char *previous = mem_alloc(strlen(attempt->file) + sizeof ".previous");
  if (!previous)
    return no_memory(attempt->log);
  sprintf(previous, "%s.previous", attempt->file);
  floe_status status = FLOE_ERROR_IO;
  if (access(previous, F_OK) == 0) {
    diag_pass_on_as_warnings(before, attempt->log);
    diag_warning(attempt->log, NULL, NOWHERE, NULL, "%s takes its place", previous);
    status = attempt->with(attempt, previous, attempt->log);
  } else {
    diag_pass_on(before, attempt->log);
  }
  mem_free(previous);
  return status;
}

/* What is an error of the first attempt may turn out to be a warning. */
static floe_status try_either(struct attempt *attempt) {
  floe_log *first;
  FLOE_TRY(floe_log_create(&first));
  floe_status status = attempt->with(attempt, attempt->file, first);
  if (status == FLOE_ERROR_IO)
    status = try_previous(attempt, first);
  else
    diag_pass_on(first, attempt->log);
  floe_log_free(first);
  return status;
}

static floe_status go_on_from(struct attempt *attempt, const char *path, floe_log *log) {
  struct resumption r = {.model = attempt->model, .path = path, .log = log, .options = *attempt->options};
  floe_status status = keep_going(&r, attempt->result);
  checkpoint_close(r.reader);
  mem_free(r.properties);
  return status;
}

floe_status floe_resume(floe_model *model, const char *file, const floe_options *options, floe_log *log,
                        floe_result **out) {
  floe_options all;
  WANT(log, model);
  WANT(log, file);
  WANT(log, out);
  floe_options_init(&all);
  if (options)
    memcpy(&all, options, options->struct_size < sizeof all ? options->struct_size : sizeof all);
  if (!all.checkpoint)
    all.checkpoint = file;
  if (all.visited_order) {
    diag_error(log, NULL, NOWHERE, NULL, "a search that goes on records no order: what came before is not in it");
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(floe_model_check(model, log));
  struct attempt attempt = {
      .file = file, .log = log, .with = go_on_from, .model = model, .options = &all, .result = out};
  return try_either(&attempt);
}

/* ---- the model ----------------------------------------------------------------------------------- */

struct search_of_model {
  struct attempt attempt;
  const char *model; /* path; NULL: of the file */
  floe_model **out;
  bool count_only;
};

static floe_status define_all(floe_model *model, const struct checkpoint_head *head, floe_log *log) {
  for (uint32_t i = 0; i < head->constant_count; i++) {
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, head->constants[i].value);
    if (head->constants[i].given)
      FLOE_TRY(floe_model_define(model, head->constants[i].name, value, log));
  }
  return FLOE_OK;
}

static floe_status load_model(const struct checkpoint_head *head, const char *path, floe_log *log, floe_model **out) {
  floe_model *model;
  if (!*path) {
    diag_error(log, NULL, NOWHERE, "floe resume FILE MODEL", "model '%s' was read from no file: its text is needed",
               head->model);
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(floe_model_load(path, log, &model) == FLOE_OK ? FLOE_OK : FLOE_ERROR_MODEL);
  floe_status status = define_all(model, head, log);
  if (status == FLOE_OK)
    *out = model;
  else
    floe_model_free(model);
  return status;
}

static floe_status find_model(struct attempt *attempt, const char *path, floe_log *log) {
  struct search_of_model *search = (struct search_of_model *)attempt;
  struct checkpoint_reader *reader;
  FLOE_TRY(checkpoint_open(path, log, &reader));
  const struct checkpoint_head *head = checkpoint_head_of(reader);
  search->count_only = has(head, "count");
  floe_status status = load_model(head, search->model ? search->model : head->file, log, search->out);
  checkpoint_close(reader);
  return status;
}

floe_status floe_resume_model(const char *file, const char *model, floe_log *log, floe_model **out, bool *count_only) {
  struct search_of_model search = {
      .attempt = {.file = file, .log = log, .with = find_model}, .model = model, .out = out};
  WANT(log, file);
  WANT(log, out);
  FLOE_TRY(try_either(&search.attempt));
  if (count_only)
    *count_only = search.count_only;
  return FLOE_OK;
}
