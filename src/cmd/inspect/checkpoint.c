/* floe checkpoint: show the contents of a checkpoint and verify its checksums. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <time.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void print_constants(const floe_checkpoint *checkpoint, size_t n) {
  printf("constants:");
  for (size_t i = 0; i < n; i++) {
    floe_constant constant = floe_checkpoint_constant(checkpoint, i);
    printf("%s %s = %" PRId64, i ? "," : "", printable(constant.name), constant.value);
  }
  puts(n ? "" : " none");
}

static void print_options(const floe_checkpoint *checkpoint, size_t n) {
  printf("options:");
  for (size_t i = 0; i < n; i++)
    printf(" %s", printable(floe_checkpoint_option(checkpoint, i)));
  puts(n ? "" : " none");
}

static void print_written(const floe_checkpoint_info *info) {
  time_t seconds_since_epoch = (time_t)info->written;
  struct tm local;
  char text[64] = "?";
  if (localtime_r(&seconds_since_epoch, &local))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
  printf("written: %s by floe %s, after %.1f s of exploration\n", text, printable(info->writer), info->seconds);
}

static void print_search(const floe_checkpoint_info *info) {
  printf("%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu32 " levels, %" PRIu32 " of them complete\n",
         info->states, info->transitions, info->levels, info->complete_levels);
  printf("frontier: %" PRIu64 " states\nproperties triggered: %zu\nkey width: %u bits in %u word%s\n", info->frontier,
         info->violations, info->key_bits, info->key_words, info->key_words == 1 ? "" : "s");
}

static void print_sections(const floe_checkpoint *checkpoint, const floe_checkpoint_info *info) {
  char size[QUANTITY];
  printf("file: %s", byte_text(info->bytes, size));
  if (info->states)
    printf(", %.2f bytes per state", (double)info->bytes / (double)info->states);
  putchar('\n');
  for (size_t i = 0;; i++) {
    floe_checkpoint_section section = floe_checkpoint_section_at(checkpoint, i);
    if (!section.name)
      return;
    printf("  %s: %" PRIu64 " states, %s in %" PRIu64 " block%s\n", section.name, section.states,
           byte_text(section.bytes, size), section.blocks, section.blocks == 1 ? "" : "s");
  }
}

static void print_checkpoint(const floe_checkpoint *checkpoint) {
  const floe_checkpoint_info *info = floe_checkpoint_information(checkpoint);
  printf("model: %s\n", printable(info->model));
  if (*info->file)
    printf("model file: %s\n", printable(info->file));
  printf("model digest: %s\n", info->digest);
  print_constants(checkpoint, info->constants);
  print_options(checkpoint, info->options);
  print_written(info);
  print_search(info);
  print_sections(checkpoint, info);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *checkpoint_constants_json(const floe_checkpoint *checkpoint, size_t n) {
  json_t *object = json_object();
  for (size_t i = 0; i < n; i++) {
    floe_constant constant = floe_checkpoint_constant(checkpoint, i);
    json_object_set_new(object, constant.name, json_integer(constant.value));
  }
  return object;
}

static json_t *checkpoint_options_json(const floe_checkpoint *checkpoint, size_t n) {
  json_t *array = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(array, text_json(floe_checkpoint_option(checkpoint, i)));
  return array;
}

static json_t *checkpoint_levels_json(const floe_checkpoint *checkpoint, size_t n) {
  json_t *array = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(array, json_integer((json_int_t)floe_checkpoint_level(checkpoint, i)));
  return array;
}

static json_t *checkpoint_sections_json(const floe_checkpoint *checkpoint) {
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

static json_t *checkpoint_json(const floe_checkpoint *checkpoint, bool sound) {
  const floe_checkpoint_info *info = floe_checkpoint_information(checkpoint);
  json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:I, s:f}", "version", floe_version(), "command",
                             "checkpoint", "model", text_json(info->model), "file", text_json(info->file), "digest",
                             info->digest, "constants", checkpoint_constants_json(checkpoint, info->constants),
                             "options", checkpoint_options_json(checkpoint, info->options), "writer",
                             text_json(info->writer), "written", (json_int_t)info->written, "seconds", info->seconds);
  json_t *search =
      json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "states", (json_int_t)info->states,
                "transitions", (json_int_t)info->transitions, "levels", (json_int_t)info->levels, "complete_levels",
                (json_int_t)info->complete_levels, "states_per_level", checkpoint_levels_json(checkpoint, info->levels),
                "frontier", (json_int_t)info->frontier, "hits", (json_int_t)info->violations, "key_bits",
                (json_int_t)info->key_bits, "key_words", (json_int_t)info->key_words, "bytes", (json_int_t)info->bytes,
                "sections", checkpoint_sections_json(checkpoint), "sound", sound);
  json_object_update(object, search);
  json_decref(search);
  return object;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Prints the header even if the states are damaged. */
static int show_checkpoint(const struct options *options, floe_checkpoint *checkpoint, floe_log *log) {
  bool text = !json_replaces_text(options);
  if (text) {
    print_checkpoint(checkpoint);
    fflush(stdout);
  }
  floe_status status = floe_checkpoint_verify(checkpoint, (unsigned)options->threads);
  if (text && status == FLOE_OK)
    puts("checksums: all correct");
  bool written = !options->json.given || put_json(options->json.text, checkpoint_json(checkpoint, status == FLOE_OK));
  if (status != FLOE_OK)
    return print_failure(status, log);
  return written ? EXIT_SATISFIED : EXIT_OUTPUT;
}

static int run_checkpoint(const struct options *options, char *const *operands, int count) {
  floe_log *log;
  floe_checkpoint *checkpoint;
  (void)count;
  floe_status status = floe_log_create(&log);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  int code;
  status = floe_checkpoint_open(operands[0], log, &checkpoint);
  if (status == FLOE_OK) {
    code = show_checkpoint(options, checkpoint, log);
    floe_checkpoint_close(checkpoint);
  } else {
    code = print_failure(status, log);
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
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_checkpoint,
};
