/* What text and JSON share: exit codes and words. */
#include "cmd/report.h"

#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"

#include <inttypes.h>
#include <string.h>

/* A violation is certain whatever was not decided, so it wins. */
int report_code(const struct report *report) {
  bool undecided = false;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = floe_result_verdict(report->result, i);
    if (verdict.value == FLOE_UNDECIDED)
      undecided = true;
    else if (!verdict.wanted)
      return EXIT_VIOLATED;
  }
  return undecided ? EXIT_UNDECIDED : EXIT_AS_WANTED;
}

void verdict_text(floe_verdict_value value, int64_t depth, char *out, size_t size) {
  if (depth >= 0)
    snprintf(out, size, "%s at depth %" PRId64, floe_verdict_name(value), depth);
  else
    snprintf(out, size, "%s", floe_verdict_name(value));
}

const char *end_text(floe_end end) {
  switch (end) {
  case FLOE_END_COMPLETE:
    return "every reachable state explored";
  case FLOE_END_DECIDED:
    return "ended when the verdict was clear; --continue explores the rest";
  case FLOE_END_DEPTH:
    return "ended at --max-depth";
  case FLOE_END_STATES:
    return "ended at --max-states";
  case FLOE_END_MEMORY:
    return "ended at the memory limit; --memory sets it";
  case FLOE_END_TIMEOUT:
    return "ended at --timeout";
  case FLOE_END_INTERRUPT:
    return "interrupted";
  }
  return floe_end_name(end);
}

bool json_instead(const struct options *options) {
  return options->json.given && is_standard_output(options->json.text);
}

static bool dump(FILE *stream, const void *object) {
  return json_dumpf(object, stream,
                    JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) == 0 &&
         fputc('\n', stream) != EOF;
}

bool put_json(const char *path, json_t *object) {
  if (!object) {
    complain(NULL, "out of memory for the JSON result");
    return false;
  }
  bool written = write_file(path, dump, object);
  json_decref(object);
  return written;
}
