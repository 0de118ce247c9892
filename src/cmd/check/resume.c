/* floe resume: continue a search from a checkpoint. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/files.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <string.h>

static int open_checkpoint_session(struct session *session, const struct options *options, const char *file,
                                   const char *model, bool *counts) {
  floe_load_options settings;
  *session = (struct session){NULL, NULL};
  floe_status status = floe_log_create(&session->log);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  make_load_settings(options, &settings);
  signals_loading(true);
  status = floe_resume_model(file, model, &settings, session->log, &session->model, counts);
  signals_loading(false);
  return status == FLOE_OK ? session_check(session) : print_failure(status, session->log);
}

static int resume_search(struct session *session, const struct options *options, const char *file, bool counts) {
  floe_options settings;
  floe_result *result;
  make_settings(options, &settings);
  int code = session_resume(session, file, &settings, &result);
  if (code != EXIT_SATISFIED)
    return code;
  print_log(session->log);
  struct options shown = *options;
  if (!shown.checkpoint)
    shown.checkpoint = file;
  const struct report report = {counts ? command_count.name : command_check.name, &shown, session->model, result, 0};
  code = check_report(&report);
  floe_result_free(result);
  return code;
}

static int run_resume(const struct options *options, char *const *operands, int count) {
  struct session session;
  bool counts = false;
  signals_begin_reading(options->timeout);
  int code = open_checkpoint_session(&session, options, operands[0], count > 1 ? operands[1] : NULL, &counts);
  if (code == EXIT_SATISFIED)
    code = resume_search(&session, options, operands[0], counts);
  session_close(&session);
  return code;
}

const struct command command_resume = {
    .name = "resume",
    .bit = IN(resume),
    .operands = "FILE [MODEL]",
    .summary = "Continue a search from the checkpoint FILE",
    .description = "The result is that of a run without interruption, on any engine, table and\n"
                   "machine. The model file is read from its former path, or from MODEL; constants\n"
                   "and properties are taken from FILE. Further checkpoints go to FILE, or to the\n"
                   "file that --checkpoint names.\n",
    .min_operands = 1,
    .max_operands = 2,
    .input_operands = 2,
    .run = run_resume,
};
