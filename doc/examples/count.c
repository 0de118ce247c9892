/* Counts the states of a model and prints which properties hold:

     cc count.c -o count $(pkg-config --cflags --libs libfloe)
     ./count peterson.xml N=3 */
#include <floe.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library prints nothing itself. */
static void print_log(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    fprintf(stderr, "%s:%u: %s\n", message->file ? message->file : "floe", message->line, message->message);
  }
}

/* "N=3" */
static floe_status define(floe_model *model, const char *text, floe_log *log) {
  char name[64];
  const char *equals = strchr(text, '=');
  if (!equals || (size_t)(equals - text) >= sizeof name)
    return FLOE_ERROR_USAGE;
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  return floe_model_define(model, name, equals + 1, log);
}

static void print_result(const floe_result *result) {
  const floe_summary *summary = floe_result_summary(result);
  printf("%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu32 " levels\n", summary->states, summary->transitions,
         summary->levels);
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = floe_result_verdict(result, i);
    printf("%s %s\n", verdict.property.id, floe_verdict_name(verdict.value));
    for (size_t step = 0; verdict.trace && step < floe_trace_steps(verdict.trace); step++)
      printf("  %s\n", floe_trace_step(verdict.trace, step).action);
  }
}

static floe_status explore(floe_model *model, floe_log *log) {
  floe_options options;
  floe_options_init(&options);
  options.keep_going = true; /* explore all states, even if a property is violated */
  floe_result *result;
  floe_status status = floe_explore(model, &options, log, &result);
  if (status != FLOE_OK)
    return status;
  print_result(result);
  floe_result_free(result);
  return FLOE_OK;
}

int main(int argc, char **argv) {
  floe_log *log;
  floe_model *model = NULL;
  if (argc < 2 || floe_log_create(&log) != FLOE_OK)
    return EXIT_FAILURE;
  floe_status status = floe_model_load(argv[1], log, &model);
  for (int i = 2; i < argc && status == FLOE_OK; i++)
    status = define(model, argv[i], log);
  if (status == FLOE_OK)
    status = explore(model, log);
  print_log(log);
  floe_model_free(model);
  floe_log_free(log);
  return status == FLOE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
