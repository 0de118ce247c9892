/* Exit codes and phrases, shared by text, JSON and HTML. */
#include "cmd/report/report.h"

#include "base/utf8.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"

#include <inttypes.h>
#include <string.h>

/* A violation is certain, so it takes precedence over an undecided property. */
int report_code(const struct report *report) {
  bool undecided = false;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = floe_result_verdict(report->result, i);
    if (verdict.value == FLOE_UNDECIDED)
      undecided = true;
    else if (!verdict.satisfied)
      return EXIT_VIOLATED;
  }
  return undecided ? EXIT_UNDECIDED : EXIT_SATISFIED;
}

bool has_processes(const floe_model *model) {
  for (size_t i = 0; i < floe_model_transitions(model); i++)
    if (floe_model_transition(model, i).process[0])
      return true;
  return false;
}

const char *digest_digits(const floe_model *model) {
  const char *colon = strchr(floe_model_digest(model), ':');
  return colon ? colon + 1 : "";
}

bool is_transition(const floe_blocked_transition *blocked) { return blocked->label[0] || blocked->to[0]; }

bool is_violation(const floe_verdict *verdict) { return !verdict->satisfied && verdict->value != FLOE_UNDECIDED; }

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

const char *vacuous_lead(floe_vacuous_part part) {
  return part == FLOE_VACUOUS_FAIRNESS ? "fairness without effect, as none of its transitions is ever enabled: "
                                       : "vacuous: the left side of an implication is never true: ";
}

int64_t verdict_level(const floe_verdict *verdict) { return verdict->property.kind == FLOE_LTL ? -1 : verdict->depth; }

static const char in_explored_states[] = " in the states explored";

/* Marks depths that hold only for the explored states. Up to the depth of the first failing step no state is missing,
   and one level further no shorter path (`exact_beyond` is 1 for paths). */
static const char *scope_note(const floe_summary *summary, int64_t depth, int64_t exact_beyond) {
  return summary->firing_failed && depth > (int64_t)summary->firing_failed_depth + exact_beyond ? in_explored_states
                                                                                                : "";
}

static void undecided_phrase(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size) {
  const char *found = floe_verdict_when_found(verdict->property.kind) == FLOE_IS_REACHABLE ? "reached" : "violated";
  if (verdict->undecided == FLOE_UNDECIDED_EVALUATION)
    snprintf(out, size, "undecided, its evaluation failed in a state");
  else if (verdict->undecided == FLOE_UNDECIDED_STEP)
    snprintf(out, size, "undecided, not %s%s", found, in_explored_states);
  else if (verdict->undecided == FLOE_UNDECIDED_PRODUCT)
    snprintf(out, size, "undecided, the %s ended early",
             verdict->property.kind == FLOE_RECOVERABLE ? "passes over the states" : "search for a violating run");
  else if (verdict->property.kind == FLOE_LTL)
    snprintf(out, size, "undecided, runs were not searched");
  else if (verdict->property.kind == FLOE_RECOVERABLE)
    snprintf(out, size, "undecided, it depends on all states");
  else if (summary->any_complete)
    snprintf(out, size, "undecided, not %s up to depth %" PRIu32 "%s", found, summary->complete_depth,
             scope_note(summary, summary->complete_depth, 0));
  else
    snprintf(out, size, "undecided");
}

/* A run that violates a temporal property. */
static void run_phrase(const floe_trace *trace, char *out, size_t size) {
  const size_t loop = floe_trace_loop(trace), steps = floe_trace_steps(trace);
  const char *violated = floe_verdict_name(FLOE_VIOLATED);
  if (loop == FLOE_NO_LOOP)
    snprintf(out, size, "%s", violated);
  else if (loop == steps)
    snprintf(out, size, "%s, by a run that stays in state %zu", violated, loop);
  else
    snprintf(out, size, "%s, by a run that repeats its last %zu step%s", violated, steps - loop,
             steps - loop == 1 ? "" : "s");
}

void verdict_phrase(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size) {
  if (verdict->value == FLOE_UNDECIDED) {
    undecided_phrase(summary, verdict, out, size);
    return;
  }
  if (verdict->property.kind == FLOE_LTL && verdict->value == FLOE_VIOLATED) {
    run_phrase(verdict->trace, out, size);
    return;
  }
  verdict_text(verdict->value, verdict_level(verdict), out, size);
  size_t used = strlen(out);
  const bool is_lost = verdict->property.kind == FLOE_RECOVERABLE && verdict->value == FLOE_VIOLATED;
  snprintf(out + used, size - used, "%s%s", is_lost ? ": no state that satisfies it can be reached from there" : "",
           scope_note(summary, verdict_level(verdict), 1));
}

uint32_t greatest_depth(const floe_summary *summary) { return summary->levels ? summary->levels - 1 : 0; }

const char *end_text(floe_end end) {
  static const char *const sentences[] = {
#define END(end, word, sentence, cut) [FLOE_END_##end] = sentence,
#include "base/ends.def"
  };
  return (size_t)end < sizeof sentences / sizeof *sentences ? sentences[end] : floe_end_name(end);
}

void end_phrase(const floe_summary *summary, char *out, size_t size) {
  const bool all = summary->complete && summary->firing_failed;
  size_t used =
      (size_t)snprintf(out, size, "%s", all ? "every state reached without an error explored" : end_text(summary->end));
  if (!summary->complete && summary->any_complete)
    used += (size_t)snprintf(out + used, size - used, "; complete up to depth %" PRIu32, summary->complete_depth);
  else if (!summary->complete)
    used += (size_t)snprintf(out + used, size - used, "; no depth is complete");
  if (summary->firing_failed)
    snprintf(out + used, size - used, "; successors of failing steps, from depth %" PRIu32 " on, not explored",
             summary->firing_failed_depth);
}

bool is_junit(const struct options *options) { return options->format && strcmp(options->format, "junit") == 0; }

bool json_replaces_text(const struct options *options) {
  return options->json.given && is_standard_output(options->json.text);
}

/* Callback of json_dump_callback. Escapes control characters that JSON allows in strings but a terminal interprets. A
   character is never split between two calls. */
static int put_json_text(const char *text, size_t size, void *stream) {
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

static bool put_json_object(FILE *stream, const void *object) {
  return json_dump_callback(object, put_json_text, stream,
                            JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) == 0 &&
         fputc('\n', stream) != EOF;
}

bool put_json(const char *path, json_t *object) {
  if (!object) {
    print_error(NULL, "out of memory for the JSON result");
    return false;
  }
  bool written = write_file(path, put_json_object, object);
  json_decref(object);
  return written;
}
