#include "api/explore/checkpoint_save.h"

#include "api/includes.h"
#include "checkpoint/format.h"
#include "checkpoint/identity.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Absolute path of the model, for `floe resume` in any folder; "": the text was not read from a file. A symbolic link
   stays: included files are relative to its folder. */
static const char *path_of_model(const struct exploration *e, struct arena *arena) {
  const char *file = floe_model_file(e->api_model), *slash = strrchr(file, '/');
  char folder[PATH_MAX];
  if (access(file, F_OK) != 0 || !realpath(include_folder(file, arena), folder))
    return "";
  return arena_printf(arena, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, slash ? slash + 1 : file);
}

static void copy_options(const struct exploration *e, struct arena *arena, struct checkpoint_head *head) {
  const floe_options *options = &e->options;
  const size_t properties = options->properties ? options->property_count : 0;
  const size_t constants = floe_model_constants(e->api_model);
  const char **words = arena_array(arena, properties + constants + 8, sizeof *words);
  uint32_t n = 0;
  for (size_t i = 0; i < properties; i++)
    words[n++] = arena_printf(arena, "property=%s", options->properties[i]);
  if (options->keep_going)
    words[n++] = "continue=yes";
  if (options->count_only)
    words[n++] = "count=yes";
  for (size_t i = 0; i < constants; i++)
    if (floe_model_constant(e->api_model, i).guessed)
      words[n++] = arena_printf(arena, "guess=%s", floe_model_constant(e->api_model, i).name);
  if (e->layout->encoding)
    words[n++] = "encoding=rank";
  if (options->max_depth != UINT32_MAX)
    words[n++] = arena_printf(arena, "max-depth=%" PRIu32, options->max_depth - model_first_level(e->model));
  if (options->max_states != UINT64_MAX)
    words[n++] = arena_printf(arena, "max-states=%" PRIu64, options->max_states);
  if (options->fairness)
    words[n++] = arena_printf(arena, "fair=%s", options->fairness);
  if (options->ignore_finite_runs)
    words[n++] = "finite=ignore";
  if (e->checkpoint.product)
    words[n++] = arena_printf(arena, "product=%s", e->checkpoint.product);
  head->options = words;
  head->option_count = n;
}

floe_status checkpoint_save_init(struct exploration *e) {
  struct arena *arena = &e->result->arena;
  struct checkpoint_head *head = &e->checkpoint.head;
  if (!e->options.checkpoint || !*e->options.checkpoint)
    return FLOE_OK;
  if (e->layout->key_words > MOST_STATE_WORDS) {
    diag_error(e->log, NULL, NOWHERE, "run without --checkpoint",
               "checkpoints support states of at most %zu words of 64 bits; this model has %" PRIu32, MOST_STATE_WORDS,
               e->layout->key_words);
    return FLOE_ERROR_USAGE;
  }
  *head = (struct checkpoint_head){.model = floe_model_name(e->api_model),
                                   .file = path_of_model(e, arena),
                                   .bits = e->layout->key_bits,
                                   .words = e->layout->key_words,
                                   .seconds = e->checkpoint.from ? checkpoint_head_of(e->checkpoint.from)->seconds : 0};
  checkpoint_identity(e->model, e->layout, head->digest);
  head->constants = exploration_constants(e, &head->constant_count);
  copy_options(e, arena, head);
  e->checkpoint.policy =
      (struct checkpoint_policy){.path = e->options.checkpoint,
                                 .every = e->options.checkpoint_every,
                                 .of_complete = e->temporal_mask || e->passes_mask || e->checkpoint.product,
                                 .head = head};
  return FLOE_OK;
}
