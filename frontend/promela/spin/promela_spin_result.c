/* Results in the form of Spin's verifiers (pan), for programs that read it. */
#include "frontend/promela/spin/promela_spin.h"

#include <inttypes.h>
#include <string.h>

static bool is_error(const floe_verdict *verdict) { return verdict->value == FLOE_VIOLATED && !verdict->satisfied; }

size_t pr_assertion_length(const char *cause, const char **text) {
  static const char lead[] = "assertion fails: ";
  const char *end = NULL;
  if (strncmp(cause, lead, sizeof lead - 1) != 0)
    return 0;
  *text = cause + sizeof lead - 1;
  for (const char *at = strstr(*text, " ("); at; at = strstr(at + 1, " ("))
    end = at;
  return end ? (size_t)(end - *text) : strlen(*text);
}

static void write_cause(const floe_verdict *verdict, FILE *out) {
  const char *text;
  const size_t length = pr_assertion_length(verdict->cause, &text);
  if (verdict->property.kind == FLOE_DEADLOCK)
    fputs("invalid end state", out);
  else if (verdict->property.kind == FLOE_LTL)
    fputs(strcmp(verdict->property.id, "progress") == 0 ? "non-progress cycle" : "acceptance cycle", out);
  else if (length)
    fprintf(out, "assertion violated (%.*s)", (int)length, text);
  else
    fputs(verdict->cause, out);
}

/* Steps as Spin counts them: each half of a rendezvous, each statement of an atomic sequence, and each d_step. */
static int64_t count_actions(const struct tool_trace *trace, size_t steps) {
  int64_t count = 0;
  for (size_t i = 0; i < steps && i < trace->count; i++)
    for (size_t k = 0; k < trace->steps[i].count; k++)
      count += !trace->steps[i].actions[k].continues;
  return count;
}

/* Pan counts the failing event of a trace, too, but of a rendezvous whose send fails not the receive. */
static int64_t failing_event(const floe_verdict *verdict, const struct tool_trace *trace) {
  bool receives;
  if (verdict->property.kind != FLOE_ERRORS || !trace->count || !pr_is_trace_failure(verdict->cause, &receives))
    return 0;
  return receives || trace->steps[trace->count - 1].count == 1;
}

/* Steps before the failing one, before the last one of a run into an invalid end state, as pan counts, and before the
   repeated part of a run. -1: not known. Without a trace they are floe's. */
static int64_t depth_of(const floe_verdict *verdict, const struct tool_trace *trace) {
  const bool repeats = verdict->property.kind == FLOE_LTL;
  if (trace && repeats)
    return count_actions(trace, trace->loop);
  if (trace)
    return count_actions(trace, trace->count) - 1 + failing_event(verdict, trace);
  return repeats ? -1 : verdict->depth - (verdict->property.kind == FLOE_DEADLOCK);
}

static void write_error(size_t number, const floe_verdict *verdict, const struct tool_trace *trace, FILE *out) {
  const int64_t depth = depth_of(verdict, trace);
  fprintf(out, "pan:%zu: ", number);
  write_cause(verdict, out);
  if (depth >= 0 || verdict->property.kind != FLOE_LTL)
    fprintf(out, " (at depth %" PRId64 ")", depth);
  fputc('\n', out);
}

static const char *sign(const floe_result *result, floe_property_kind kind) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++)
    if (floe_result_verdict(result, i).property.kind == kind)
      return "+";
  return "-";
}

static void write_claims(const floe_result *result, FILE *out) {
  size_t count = 0;
  fputs("\tnever claim         \t", out);
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    if (verdict.property.kind == FLOE_LTL)
      fprintf(out, "%s%s", count++ ? ", " : "+ (", verdict.property.id);
  }
  fputs(count ? ")\n" : "- (none specified)\n", out);
}

/* The start states count as transitions, as with pan. */
static void write_counts(const floe_summary *summary, size_t errors, FILE *out) {
  const uint64_t transitions = summary->transitions + 1;
  fprintf(out, "State-vector %u byte, depth reached %" PRIu32 ", errors: %zu\n", (summary->key_bits + 7) / 8,
          summary->levels ? summary->levels - 1 : 0, errors);
  fprintf(out, "%9" PRIu64 " states, stored\n", summary->states);
  if (transitions >= summary->states)
    fprintf(out, "%9" PRIu64 " states, matched\n", transitions - summary->states);
  fprintf(out, "%9" PRIu64 " transitions (= stored+matched)\n", transitions);
}

void pr_spin_write_result(const floe_result *result, tool_trace_of *trace_of, FILE *out) {
  const floe_summary *summary = floe_result_summary(result);
  size_t errors = 0;
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    if (is_error(&verdict))
      write_error(++errors, &verdict, trace_of(verdict.trace), out);
  }
  fprintf(out, "\n(floe %s)\n", floe_version());
  if (!summary->complete)
    fputs("Warning: Search not completed\n", out);
  fputs("\t+ Breadth-First Search\n\nFull statespace search for:\n", out);
  write_claims(result, out);
  fprintf(out, "\tassertion violations\t%s\n", sign(result, FLOE_ERRORS));
  fprintf(out, "\tinvalid end states\t%s\n\n", sign(result, FLOE_DEADLOCK));
  write_counts(summary, errors, out);
  fprintf(out, "\n%9.3f\ttotal actual memory usage\n\n\npan: elapsed time %.3g seconds\n",
          (double)summary->peak_bytes / (1024 * 1024), summary->total_seconds);
}
