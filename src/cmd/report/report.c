/* What text and JSON share: exit codes and words. */
#include "cmd/report/report.h"

#include "base/utf8.h"
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

static bool is_violation(const floe_verdict *verdict) { return !verdict->wanted && verdict->value != FLOE_UNDECIDED; }

floe_verdict report_verdict(const floe_result *result, size_t i) {
  size_t count = floe_result_verdicts(result);
  for (int first = 1; first >= 0; first--)
    for (size_t j = 0; j < count; j++) {
      floe_verdict verdict = floe_result_verdict(result, j);
      if (is_violation(&verdict) == (first == 1) && i-- == 0)
        return verdict;
    }
  return (floe_verdict){0};
}

void verdict_text(floe_verdict_value value, int64_t depth, char *out, size_t size) {
  if (depth >= 0)
    snprintf(out, size, "%s at depth %" PRId64, floe_verdict_name(value), depth);
  else
    snprintf(out, size, "%s", floe_verdict_name(value));
}

static const char explored[] = " in the states explored";

/* Up to the depth at which a step failed first nothing can be missing, and one step further no
 * shorter way. */
static const char *reserve(const floe_summary *summary, int64_t depth, int64_t sure) {
  return summary->cut && depth > (int64_t)summary->cut_depth + sure ? explored : "";
}

static void undecided_words(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size) {
  const char *found = floe_property_kind_found(verdict->property.kind) == FLOE_IS_REACHABLE ? "reached" : "violated";
  if (verdict->undecided == FLOE_UNDECIDED_EVALUATION)
    snprintf(out, size, "undecided, its evaluation failed in some state");
  else if (verdict->undecided == FLOE_UNDECIDED_STEP)
    snprintf(out, size, "undecided, not %s%s", found, explored);
  else if (summary->any_complete)
    snprintf(out, size, "undecided, not %s up to depth %" PRIu32 "%s", found, summary->complete_depth,
             reserve(summary, summary->complete_depth, 0));
  else
    snprintf(out, size, "undecided");
}

void verdict_words(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size) {
  if (verdict->value == FLOE_UNDECIDED) {
    undecided_words(summary, verdict, out, size);
    return;
  }
  verdict_text(verdict->value, verdict->depth, out, size);
  size_t used = strlen(out);
  snprintf(out + used, size - used, "%s", reserve(summary, verdict->depth, 1));
}

const char *end_text(floe_end end) {
  static const char *const sentences[] = {
#define END(end, word, sentence, cut) [FLOE_END_##end] = sentence,
#include "base/ends.def"
  };
  return (size_t)end < sizeof sentences / sizeof *sentences ? sentences[end] : floe_end_name(end);
}

void end_words(const floe_summary *summary, char *out, size_t size) {
  const bool all = summary->complete && summary->cut;
  size_t used =
      (size_t)snprintf(out, size, "%s", all ? "every state reached without an error explored" : end_text(summary->end));
  if (!summary->complete && summary->any_complete)
    used += (size_t)snprintf(out + used, size - used, "; complete up to depth %" PRIu32, summary->complete_depth);
  else if (!summary->complete)
    used += (size_t)snprintf(out + used, size - used, "; no depth is complete");
  if (summary->cut)
    snprintf(out + used, size - used, "; what follows failing steps, from depth %" PRIu32 " on, is not explored",
             summary->cut_depth);
}

bool json_instead(const struct options *options) {
  return options->json.given && is_standard_output(options->json.text);
}

/* The control characters that JSON has in strings as they are, and a terminal as commands, as escapes. A character
   comes in one piece. */
static int put_piece(const char *text, size_t size, void *stream) {
  for (size_t i = 0, whole = 0; i <= size; i++) {
    const size_t control = i < size && (text[i] & 0x80 || text[i] == 0x7F) ? utf8_control(text + i) : 0;
    if (i < size && !control)
      continue;
    fwrite(text + whole, 1, i - whole, stream);
    if (control)
      fprintf(stream, "\\u%04x", (unsigned)(unsigned char)text[i + control - 1]);
    whole = i + control;
    i += control ? control - 1 : 0;
  }
  return ferror(stream) ? -1 : 0;
}

static bool dump(FILE *stream, const void *object) {
  return json_dump_callback(object, put_piece, stream, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) ==
             0 &&
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
