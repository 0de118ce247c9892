/* Continues a search from a checkpoint file (floe_resume). */
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
  const char *path; /* of the checkpoint file */
  const char *file; /* the same, or of a damaged one that it replaces */
  floe_log *log;
  floe_options options;
  struct checkpoint_reader *reader;
  const struct layout *layout; /* with the encoding of the file */
  const char **properties;     /* ids in the file */
};

/* ---- options of the file ------------------------------------------------------------------------ */

static bool has_option(const struct checkpoint_head *head, const char *name) {
  return checkpoint_option_of(head, name) != NULL;
}

/* ---- comparison with the model ------------------------------------------------------------------- */

static floe_status log_mismatch(const struct resumption *r, const char *hint, const char *what) {
  diag_error(r->log, NULL, NOWHERE, hint, "%s: %s", r->path, what);
  return FLOE_ERROR_USAGE;
}

static const floe_constant *find_constant(const struct checkpoint_head *head, const char *name) {
  for (uint32_t i = 0; i < head->constant_count; i++)
    if (strcmp(head->constants[i].name, name) == 0)
      return &head->constants[i];
  return NULL;
}

static bool is_guess_in(const struct checkpoint_head *head, const char *name) {
  for (uint32_t i = 0; i < head->option_count; i++) {
    const char *value = checkpoint_option_value(head->options[i], "guess");
    if (value && strcmp(value, name) == 0)
      return true;
  }
  return false;
}

/* A constant that the model guesses, with another value in the file; NULL: none. */
static const floe_constant *other_guess(const struct resumption *r, const struct checkpoint_head *head) {
  for (size_t i = 0; i < floe_model_constants(r->model); i++) {
    const floe_constant here = floe_model_constant(r->model, i), *there = find_constant(head, here.name);
    if (here.guessed && there && there->value != here.value && is_guess_in(head, here.name))
      return there;
  }
  return NULL;
}

/* The search continues with the guesses of the file (model/guess.h). A value can give the model more constants. */
static floe_status use_guesses(const struct resumption *r) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  for (const floe_constant *there = other_guess(r, head); there; there = other_guess(r, head)) {
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, there->value);
    FLOE_TRY(model_set_guess(r->model, there->name, value, r->log));
    FLOE_TRY(floe_model_check(r->model, r->log));
  }
  return FLOE_OK;
}

/* Constants of the file that the model lacks change the digest. */
static floe_status compare_constants(const struct resumption *r, const struct checkpoint_head *head) {
  floe_status status = FLOE_OK;
  for (size_t i = 0; i < floe_model_constants(r->model); i++) {
    const floe_constant here = floe_model_constant(r->model, i), *there = find_constant(head, here.name);
    char what[300];
    if (!there || there->value == here.value)
      continue;
    snprintf(what, sizeof what, "constant %.100s is %" PRId64 " in the file and %" PRId64 " in the model", here.name,
             there->value, here.value);
    status = log_mismatch(r, "'floe resume' uses the constants of the file", what);
  }
  return status;
}

/* Describes how the model differs from that of the file. */
static void describe_change(const struct resumption *r, char *text, size_t size) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  const struct checkpoint_search *search = checkpoint_search_of(r->reader);
  const struct model *model = r->model->model;
  if (strcmp(head->model, floe_model_name(r->model)) != 0)
    snprintf(text, size, "checkpoint of model '%.100s', not of '%.100s'", head->model, floe_model_name(r->model));
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
    snprintf(text, size, "the model has changed, or its invariants, and with them the index keys");
  else
    snprintf(text, size, "the model has changed: variables, initial values, transitions or properties differ");
}

/* The search keeps the encoding of its keys. */
static floe_status set_encoding(struct resumption *r) {
  const floe_encoding there =
      has_option(checkpoint_head_of(r->reader), "encoding") ? FLOE_ENCODING_INDEX : FLOE_ENCODING_FIELDS;
  char what[200];
  if (r->options.encoding != FLOE_ENCODING_AUTO && r->options.encoding != there) {
    snprintf(what, sizeof what, "the file has keys with encoding '%s'", floe_encoding_name(there));
    return log_mismatch(r, "a resumed search keeps the encoding: omit --encoding", what);
  }
  r->options.encoding = there;
  r->layout = r->model->layout;
  if (there == FLOE_ENCODING_FIELDS)
    return FLOE_OK;
  floe_status status = index_key_layout(r->model, &r->layout);
  if (status == FLOE_ERROR_UNSUPPORTED)
    return log_mismatch(r, NULL, "the file has index keys, and the model has none any more");
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
  describe_change(r, text, sizeof text);
  return log_mismatch(r, "resume requires the same model and constants", text);
}

/* ---- options of the search ----------------------------------------------------------------------- */

static uint64_t number_in(const struct checkpoint_head *head, const char *name, uint64_t otherwise) {
  const char *value = checkpoint_option_of(head, name);
  return value ? strtoull(value, NULL, 10) : otherwise;
}

static floe_status set_properties(struct resumption *r, const struct checkpoint_head *head) {
  size_t n = 0;
  r->properties = mem_array((size_t)head->option_count + 1, sizeof *r->properties);
  if (!r->properties)
    return no_memory(r->log);
  for (uint32_t i = 0; i < head->option_count; i++) {
    const char *value = checkpoint_option_value(head->options[i], "property");
    if (value)
      r->properties[n++] = value;
  }
  r->options.properties = n ? r->properties : NULL;
  r->options.property_count = n;
  return FLOE_OK;
}

/* An uninterrupted run would have ended at a lesser depth than the current one; and states at the bound are not
 * expanded. */
static floe_status set_max_depth(struct resumption *r, const struct checkpoint_head *head) {
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
  return log_mismatch(r, "depths count from the initial state", what);
}

static floe_status set_max_states(struct resumption *r, const struct checkpoint_head *head) {
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
  return log_mismatch(r, "the bound includes the states of the file", what);
}

static floe_status set_options(struct resumption *r) {
  const struct checkpoint_head *head = checkpoint_head_of(r->reader);
  if (!r->options.fairness)
    r->options.fairness = checkpoint_option_of(head, "fair");
  r->options.ignore_finite_runs = r->options.ignore_finite_runs || has_option(head, "finite");
  r->options.keep_going = has_option(head, "continue");
  r->options.count_only = has_option(head, "count");
  FLOE_TRY(set_properties(r, head));
  FLOE_TRY(set_max_depth(r, head));
  return set_max_states(r, head);
}

/* ---- resuming ------------------------------------------------------------------------------------ */

static floe_status resume_search(struct resumption *r, floe_result **out) {
  FLOE_TRY(checkpoint_open(r->path, r->log, &r->reader));
  if (has_option(checkpoint_head_of(r->reader), "product"))
    return log_mismatch(r, "resume the model's checkpoint, whose name lacks '.ltl.' and what follows",
                        "checkpoint of the product with a temporal property, not of a model");
  FLOE_TRY(use_guesses(r));
  FLOE_TRY(set_encoding(r));
  FLOE_TRY(compare_model(r));
  checkpoint_expect_keys(r->reader, r->layout->keys);
  FLOE_TRY(set_options(r));
  struct exploration e = {.api_model = r->model,
                          .given_options = &r->options,
                          .log = r->log,
                          .checkpoint = {.from = r->reader, .file = r->file}};
  return explore_run(&e, out);
}

/* An operation on a file, which is repeated with FILE.previous if FILE is damaged. */
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

/* The errors of the first attempt become warnings if the second is made. */
static floe_status try_both(struct attempt *attempt) {
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

static floe_status resume_from(struct attempt *attempt, const char *path, floe_log *log) {
  struct resumption r = {
      .model = attempt->model, .path = path, .file = attempt->file, .log = log, .options = *attempt->options};
  floe_status status = resume_search(&r, attempt->result);
  checkpoint_close(r.reader);
  mem_free(r.properties);
  return status;
}

floe_status floe_resume(floe_model *model, const char *file, const floe_options *options, floe_log *log,
                        floe_result **out) {
  floe_options all;
  REQUIRE(log, model);
  REQUIRE(log, file);
  REQUIRE(log, out);
  floe_options_init(&all);
  if (options)
    memcpy(&all, options, options->struct_size < sizeof all ? options->struct_size : sizeof all);
  if (!all.checkpoint)
    all.checkpoint = file;
  if (all.visited_order) {
    diag_error(log, NULL, NOWHERE, NULL,
               "a resumed search cannot record the visited order: the states before the checkpoint would be missing");
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(floe_model_check(model, log));
  struct attempt attempt = {
      .file = file, .log = log, .with = resume_from, .model = model, .options = &all, .result = out};
  return try_both(&attempt);
}

/* ---- model of a file ----------------------------------------------------------------------------- */

struct model_attempt {
  struct attempt attempt;
  const char *model; /* path; NULL: the path in the file */
  const floe_load_options *options;
  floe_model **out;
  bool count_only;
};

static floe_status define_all(floe_model *model, const struct checkpoint_head *head, floe_log *log) {
  for (uint32_t i = 0; i < head->constant_count; i++) {
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, head->constants[i].value);
    if (head->constants[i].given && !is_guess_in(head, head->constants[i].name))
      FLOE_TRY(floe_model_define(model, head->constants[i].name, value, log));
  }
  return FLOE_OK;
}

static floe_status load_model(const struct model_attempt *search, const struct checkpoint_head *head) {
  const char *path = search->model ? search->model : head->file;
  floe_log *log = search->attempt.log;
  floe_model *model;
  if (!*path) {
    diag_error(log, NULL, NOWHERE, "floe resume FILE MODEL",
               "model '%s' was not read from a file: its text is required", head->model);
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(floe_model_load_with(path, search->options, log, &model) == FLOE_OK ? FLOE_OK : FLOE_ERROR_MODEL);
  floe_status status = define_all(model, head, log);
  if (status == FLOE_OK)
    *search->out = model;
  else
    floe_model_free(model);
  return status;
}

static floe_status find_model(struct attempt *attempt, const char *path, floe_log *log) {
  struct model_attempt *search = (struct model_attempt *)attempt;
  struct checkpoint_reader *reader;
  FLOE_TRY(checkpoint_open(path, log, &reader));
  const struct checkpoint_head *head = checkpoint_head_of(reader);
  search->count_only = has_option(head, "count");
  floe_status status = load_model(search, head);
  checkpoint_close(reader);
  return status;
}

floe_status floe_resume_model(const char *file, const char *model, const floe_load_options *options, floe_log *log,
                              floe_model **out, bool *count_only) {
  struct model_attempt search = {
      .attempt = {.file = file, .log = log, .with = find_model}, .model = model, .options = options, .out = out};
  REQUIRE(log, file);
  REQUIRE(log, out);
  FLOE_TRY(try_both(&search.attempt));
  if (count_only)
    *count_only = search.count_only;
  return FLOE_OK;
}
