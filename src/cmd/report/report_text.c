#include "cmd/report/report.h"

#include "cmd/message.h"
#include "cmd/quantity.h"

#include <inttypes.h>
#include <string.h>

#define MOST_NAMED 12 /* transitions that were never enabled; JSON has them all */

static void put_verdict(const floe_summary *summary, const floe_verdict *verdict) {
  bool bad = !verdict->wanted && verdict->value != FLOE_UNDECIDED && colourful(stdout);
  char text[VERDICT_WORDS];
  verdict_words(summary, verdict, text, sizeof text);
  printf("%s: %s%s", verdict->property.id, bad ? "\033[1;31m" : "", text);
  if (verdict->cause[0])
    printf(": %s", printable(verdict->cause));
  puts(bad ? "\033[0m" : "");
}

void report_model(const floe_model *model) {
  printf("model: %s", floe_model_name(model));
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    floe_constant constant = floe_model_constant(model, i);
    printf("%s %s=%" PRId64, i ? "" : ",", constant.name, constant.value);
  }
  putchar('\n');
}

static double ratio(uint64_t part, double whole) { return whole > 0 ? (double)part / whole : 0; }

static void put_end(const floe_summary *summary) {
  char text[END_WORDS];
  end_words(summary, text, sizeof text);
  printf("end: %s\n", text);
}

static void put_counts(const floe_summary *summary) {
  printf("states: %" PRIu64 "\ntransitions: %" PRIu64 "\nlevels: %" PRIu32 "\ndeadlocks: %" PRIu64 "\n",
         summary->states, summary->transitions, summary->levels, summary->deadlocks);
  printf("out-degree: average %.2f, maximum %" PRIu32 "\n", ratio(summary->transitions, (double)summary->states),
         summary->max_out_degree);
}

/* Steps that fail are not counted, but they were enabled. */
static const char *unfired_words(const floe_summary *summary) {
  return summary->cut ? "not fired without an error" : summary->complete ? "never enabled" : "not enabled so far";
}

static void put_never_enabled(const struct report *report, const floe_summary *summary) {
  size_t n = 0;
  for (size_t i = 0; i < floe_model_transitions(report->model); i++) {
    if (floe_result_fired(report->result, i) > 0 || n++ >= MOST_NAMED)
      continue;
    floe_transition transition = floe_model_transition(report->model, i);
    printf("%s: %s %s%s%s -> %s (%s:%u)\n", unfired_words(summary), transition.process, printable(transition.label),
           transition.label[0] ? ": " : "", transition.from, transition.to, printable(floe_model_file(report->model)),
           transition.line);
    report_never(report->result, i);
  }
  if (n > MOST_NAMED)
    printf("and %zu more\n", n - MOST_NAMED);
}

static void put_memory(const floe_summary *summary) {
  char peak[QUANTITY], table[QUANTITY], frontier[QUANTITY];
  printf("table: %s, %s, %.1f%% full, grown %" PRIu64 " times\n", summary->table, summary->table_detail,
         100 * summary->table_fill, summary->growths);
  printf("bytes per state: %.2f in the table, ", ratio(summary->table_bytes, (double)summary->states));
  if (summary->tree_bytes)
    printf("%.2f in the tree, ", ratio(summary->tree_bytes, (double)summary->states));
  printf("%u bits of key%s\n", summary->key_bits, summary->encoding == FLOE_ENCODING_INDEX ? ", by rank" : "");
  if (summary->tree_bytes)
    printf("tree: %s, %" PRIu64 " contents, %.4f for each state; %u bits of root\n",
           byte_text(summary->tree_bytes, table), summary->tree_contents,
           ratio(summary->tree_contents, (double)summary->states), summary->root_bits);
  printf("memory: peak %s, table %s, frontier %s\n", byte_text(summary->peak_bytes, peak),
         byte_text(summary->table_bytes, table), byte_text(summary->frontier_bytes, frontier));
  if (summary->spilled_states)
    printf("states that left the GPU's memory for a while: %" PRIu64 "\n", summary->spilled_states);
  if (summary->disk_bytes)
    printf("written to disk, as memory was short: %s\n", byte_text(summary->disk_bytes, peak));
}

/* What several threads did together and what one did alone. */
static void put_phases(const floe_summary *summary) {
  const floe_phases *p = &summary->phases;
  double together = p->together + p->clearing + p->moving;
  if (summary->threads == 1 || together <= 0)
    return;
  printf(" (all threads %.3f, of it clearing pages %.3f, moving keys %.3f, waiting %.1f%%; one thread %.3f)", together,
         p->clearing, p->moving, 100 * p->waiting / (together * summary->threads), p->alone + p->growing + p->between);
}

static void put_speed(const floe_summary *summary) {
  printf("engine: %s, %s\n", summary->engine, printable(summary->engine_detail));
  printf("rate: %.0f states/s, %.0f transitions/s\n", ratio(summary->states, summary->explore_seconds),
         ratio(summary->transitions, summary->explore_seconds));
  printf("time: %.3f s: parse %.3f, compile %.3f, ", summary->total_seconds, summary->parse_seconds,
         summary->compile_seconds);
  if (summary->start_seconds > 0)
    printf("start %.3f, ", summary->start_seconds);
  printf("explore %.3f", summary->explore_seconds);
  put_phases(summary);
  printf(", traces %.3f\n", summary->trace_seconds);
}

static void put_checkpoints(const floe_summary *summary) {
  char bytes[QUANTITY];
  if (summary->checkpoints)
    printf("checkpoints: %" PRIu64 ", the last of %s; %.3f s in all, in which nothing was explored\n",
           summary->checkpoints, byte_text(summary->checkpoint_bytes, bytes), summary->checkpoint_seconds);
}

static void put_summary(const struct report *report, const floe_summary *summary) {
  report_model(report->model);
  put_end(summary);
  put_counts(summary);
  put_never_enabled(report, summary);
  put_memory(summary);
  put_speed(summary);
  put_checkpoints(summary);
}

/* count has one verdict, of which it speaks only when something is wrong. */
static bool worth_telling(const struct report *report, const floe_verdict *verdict) {
  return strcmp(report->command, "count") != 0 || verdict->value == FLOE_VIOLATED;
}

/* Set off by empty lines from what is before and after. */
static void put_traces(const struct report *report) {
  bool any = false;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    if (verdict.trace)
      report_trace(&verdict, floe_model_file(report->model), report->options->full_states);
    any = any || verdict.trace;
  }
  if (any)
    putchar('\n');
}

void report_text(const struct report *report) {
  const floe_summary *summary = floe_result_summary(report->result);
  bool quiet = report->options->quiet;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    if (worth_telling(report, &verdict))
      put_verdict(summary, &verdict);
  }
  if (!quiet)
    put_traces(report);
  if (report->options->certificate)
    printf("certificate: %s\n", summary->certificate);
  if (!quiet)
    put_summary(report, summary);
  else if (strcmp(report->command, "count") == 0)
    printf("%" PRIu64 "%s\n", summary->states, summary->complete && !summary->cut ? "" : " or more");
}
