/* floe checkpoint: what the file of a search at rest holds, and whether it is sound. */
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <time.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void put_constants(const floe_checkpoint *checkpoint, size_t n) {
  printf("constants:");
  for (size_t i = 0; i < n; i++) {
    floe_constant constant = floe_checkpoint_constant(checkpoint, i);
    printf("%s %s = %" PRId64, i ? "," : "", printable(constant.name), constant.value);
  }
  puts(n ? "" : " none");
}

static void put_options(const floe_checkpoint *checkpoint, size_t n) {
  printf("options:");
  for (size_t i = 0; i < n; i++)
    printf(" %s", printable(floe_checkpoint_option(checkpoint, i)));
  puts(n ? "" : " none");
}

static void put_written(const floe_checkpoint_info *info) {
  time_t moment = (time_t)info->written;
  struct tm local;
  char text[64] = "?";
  if (localtime_r(&moment, &local))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
  printf("written: %s by floe %s, after %.1f s of exploration\n", text, printable(info->writer), info->seconds);
}

static void put_search(const floe_checkpoint_info *info) {
  printf("%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu32 " levels, %" PRIu32 " of them complete\n",
         info->states, info->transitions, info->levels, info->complete_levels);
  printf("frontier: %" PRIu64 " states\nproperties triggered: %zu\nkey width: %u bits, in %u word%s\n", info->frontier,
         info->hits, info->key_bits, info->key_words, info->key_words == 1 ? "" : "s");
}

static void put_sections(const floe_checkpoint *checkpoint, const floe_checkpoint_info *info) {
  char size[QUANTITY];
  printf("file: %s", byte_text(info->bytes, size));
  if (info->states)
    printf(", %.2f bytes a state", (double)info->bytes / (double)info->states);
  putchar('\n');
  for (size_t i = 0;; i++) {
    floe_checkpoint_section section = floe_checkpoint_section_at(checkpoint, i);
    if (!section.name)
      return;
    printf("  %s: %" PRIu64 " states, %s in %" PRIu64 " block%s\n", section.name, section.states,
           byte_text(section.bytes, size), section.blocks, section.blocks == 1 ? "" : "s");
  }
}

static void put_facts(const floe_checkpoint *checkpoint) {
  const floe_checkpoint_info *info = floe_checkpoint_information(checkpoint);
  printf("model: %s\n", printable(info->model));
  if (*info->file)
    printf("model file: %s\n", printable(info->file));
  printf("model digest: %s\n", info->digest);
  put_constants(checkpoint, info->constants);
  put_options(checkpoint, info->options);
  put_written(info);
  put_search(info);
  put_sections(checkpoint, info);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *constants_of(const floe_checkpoint *checkpoint, size_t n) {
  json_t *object = json_object();
  for (size_t i = 0; i < n; i++) {
    floe_constant constant = floe_checkpoint_constant(checkpoint, i);
    json_object_set_new(object, constant.name, json_integer(constant.value));
  }
  return object;
}

static json_t *options_of(const floe_checkpoint *checkpoint, size_t n) {
  json_t *array = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(array, text_json(floe_checkpoint_option(checkpoint, i)));
  return array;
}

static json_t *levels_of(const floe_checkpoint *checkpoint, size_t n) {
  json_t *array = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(array, json_integer((json_int_t)floe_checkpoint_level(checkpoint, i)));
  return array;
}

static json_t *sections_of(const floe_checkpoint *checkpoint) {
  json_t *array = json_array();
  for (size_t i = 0;; i++) {
    floe_checkpoint_section section = floe_checkpoint_section_at(checkpoint, i);
    if (!section.name)
      return array;
    json_array_append_new(array,
                          json_pack("{s:s, s:I, s:I, s:I}", "name", section.name, "states", (json_int_t)section.states,
                                    "blocks", (json_int_t)section.blocks, "bytes", (json_int_t)section.bytes));
  }
}

static json_t *facts_json(const floe_checkpoint *checkpoint, bool sound) {
  const floe_checkpoint_info *info = floe_checkpoint_information(checkpoint);
  json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:I, s:f}", "version", floe_version(), "command",
                             "checkpoint", "model", text_json(info->model), "file", text_json(info->file), "digest",
                             info->digest, "constants", constants_of(checkpoint, info->constants), "options",
                             options_of(checkpoint, info->options), "writer", text_json(info->writer), "written",
                             (json_int_t)info->written, "seconds", info->seconds);
  json_t *search =
      json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "states", (json_int_t)info->states,
                "transitions", (json_int_t)info->transitions, "levels", (json_int_t)info->levels, "complete_levels",
                (json_int_t)info->complete_levels, "states_per_level", levels_of(checkpoint, info->levels), "frontier",
                (json_int_t)info->frontier, "hits", (json_int_t)info->hits, "key_bits", (json_int_t)info->key_bits,
                "key_words", (json_int_t)info->key_words, "bytes", (json_int_t)info->bytes, "sections",
                sections_of(checkpoint), "sound", sound);
  json_object_update(object, search);
  json_decref(search);
  return object;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What it says of itself is shown even where its states are damaged. */
static int show(const struct options *options, floe_checkpoint *checkpoint, floe_log *log) {
  bool text = !json_instead(options);
  if (text) {
    put_facts(checkpoint);
    fflush(stdout);
  }
  floe_status status = floe_checkpoint_verify(checkpoint, (unsigned)options->threads);
  if (text && status == FLOE_OK)
    puts("checksums: all are right");
  bool written = !options->json.given || put_json(options->json.text, facts_json(checkpoint, status == FLOE_OK));
  if (status != FLOE_OK)
    return explain(status, log);
  return written ? EXIT_AS_WANTED : EXIT_OUTPUT;
}

static int run(const struct options *options, char *const *operands, int count) {
  floe_log *log;
  floe_checkpoint *checkpoint;
  (void)count;
  floe_status status = floe_log_create(&log);
  if (status != FLOE_OK) {
    complain(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  int code;
  status = floe_checkpoint_open(operands[0], log, &checkpoint);
  if (status == FLOE_OK) {
    code = show(options, checkpoint, log);
    floe_checkpoint_close(checkpoint);
  } else {
    code = explain(status, log);
  }
  floe_log_free(log);
  return code;
}

const struct command command_checkpoint = {
    .name = "checkpoint",
    .bit = IN(checkpoint),
    .operands = "FILE",
    .summary = "Show and verify the contents of a checkpoint file",
    .description = "",
    .least = 1,
    .most = 1,
    .reads = 1,
    .run = run,
};
