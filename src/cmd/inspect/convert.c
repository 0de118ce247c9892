/* floe convert: write a model in another language. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/files.h"
#include "cmd/output.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <string.h>

static bool is_known(const char *language) {
  for (size_t i = 0; floe_written_language(i); i++)
    if (strcmp(floe_written_language(i), language) == 0)
      return true;
  return false;
}

static void list_languages(char *list, size_t size) {
  for (size_t i = 0, length = 0; floe_written_language(i) && length < size; i++)
    length += (size_t)snprintf(list + length, size - length, "%s%s", i ? ", " : "", floe_written_language(i));
}

/* By --to, or else by the ending of the output's name. NULL after a message. */
static const char *choose_language(const struct options *options, const char *output) {
  const char *language = options->to ? options->to : floe_written_language_of(output);
  char list[100] = "";
  list_languages(list, sizeof list);
  if (language && is_known(language))
    return language;
  if (language)
    print_error(list, "--to=%s is no language that models can be written in", language);
  else
    print_error(list, "the language of the output is not known: name it with --to=LANGUAGE");
  return NULL;
}

static bool add_outputs(struct files *files, const struct options *options, char *const *operands, int count) {
  (void)options;
  if (count < 2 || is_standard_output(operands[1]))
    return true;
  files_add_output(files, "OUTPUT", operands[1]);
  return can_write_file(operands[1]);
}

static bool put_text(FILE *stream, const void *text) { return fputs(text, stream) != EOF; }

static int run_convert(const struct options *options, char *const *operands, int count) {
  const char *output = count > 1 ? operands[1] : "-", *text;
  const char *language = choose_language(options, output);
  struct session session;
  if (!language)
    return EXIT_USAGE;
  signals_begin_reading(0);
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED) {
    floe_log_clear(session.log);
    const floe_status status = floe_model_write(session.model, language, session.log, &text);
    signals_end_reading();
    if (status != FLOE_OK) {
      code = print_failure(status, session.log);
    } else {
      print_log(session.log);
      code = write_file(output, put_text, text) ? EXIT_SATISFIED : EXIT_OUTPUT;
    }
  }
  session_close(&session);
  return code;
}

const struct command command_convert = {
    .name = "convert",
    .bit = IN(convert),
    .operands = "MODEL [OUTPUT]",
    .summary = "Write a model in another language",
    .description = "The written model has the same states and steps; constants have their values.\n"
                   "Its language is that of --to, or of the ending of OUTPUT (standard output).\n",
    .min_operands = 1,
    .max_operands = 2,
    .input_operands = 1,
    .add_outputs = add_outputs,
    .run = run_convert,
};
