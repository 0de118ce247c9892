#include "cmd/report/report.h"

#include "cmd/console/message.h"
#include "cmd/quantity.h"

#include <inttypes.h>
#include <string.h>

#define MAX_LISTED 12    /* transitions that never fired, vacuous parts of a property; JSON lists all */
#define MANY_STATES 1000 /* of fewer, bytes per state are those of a table that is almost empty */

static void print_verdict(const floe_summary *summary, const floe_verdict *verdict) {
  bool bad = !verdict->satisfied && verdict->value != FLOE_UNDECIDED && use_colour(stdout);
  char text[VERDICT_PHRASE_SIZE];
  verdict_phrase(summary, verdict, text, sizeof text);
  printf("%s: %s%s", verdict->property.id, bad ? "\033[1;31m" : "", text);
  if (verdict->fairness[0])
    printf(" (fairness: %s)", printable(verdict->fairness));
  if (verdict->cause[0])
    printf(": %s", printable(verdict->cause));
  puts(bad ? "\033[0m" : "");
  if (verdict->holds_fairness[0])
    printf("  it holds with more fairness: --fair='%s'\n", printable(verdict->holds_fairness));
  for (size_t i = 0; i < verdict->vacuous_count && i < MAX_LISTED; i++)
    printf("  %s%s\n", vacuous_lead(verdict->vacuous[i].part), printable(verdict->vacuous[i].text));
  if (verdict->vacuous_count > MAX_LISTED)
    printf("  and %zu more of these\n", verdict->vacuous_count - MAX_LISTED);
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

static void print_end(const floe_summary *summary) {
  char text[END_PHRASE_SIZE];
  end_phrase(summary, text, sizeof text);
  printf("end: %s\n", text);
}

static void print_counts(const floe_summary *summary) {
  printf("states: %" PRIu64 "\ntransitions: %" PRIu64 "\ndepth: %" PRIu32 "\ndeadlocks: %" PRIu64 "\n", summary->states,
         summary->transitions, greatest_depth(summary), summary->deadlocks);
}

/* Failing steps are enabled but not counted. */
static const char *unfired_phrase(const floe_summary *summary) {
  return summary->firing_failed ? "never fired without an error"
         : summary->complete    ? "never enabled"
                                : "not enabled so far";
}

/* Not of a reduced model, which has other transitions. */
static void print_unfired(const struct report *report, const floe_summary *summary) {
  size_t n = 0;
  if (summary->reduced)
    return;
  for (size_t i = 0; i < floe_model_transitions(report->model); i++) {
    if (floe_result_fired(report->result, i) > 0 || n++ >= MAX_LISTED)
      continue;
    floe_transition transition = floe_model_transition(report->model, i);
    printf("%s: ", unfired_phrase(summary));
    report_transition(stdout, &transition, ": ");
    report_place(stdout, transition.file, floe_model_file(report->model), transition.line);
    putchar('\n');
    report_unfired(report->result, i);
  }
  if (n > MAX_LISTED)
    printf("and %zu more\n", n - MAX_LISTED);
}

static void print_bytes_per_state(const floe_summary *summary) {
  if (summary->states < MANY_STATES)
    return;
  printf("bytes per state: %.2f in the table", ratio(summary->table_bytes, (double)summary->states));
  if (summary->tree_bytes)
    printf(", %.2f in the tree", ratio(summary->tree_bytes, (double)summary->states));
  putchar('\n');
}

static void print_tables(const floe_summary *summary) {
  char tree[QUANTITY], table[QUANTITY], frontier[QUANTITY];
  printf("table: %s, %s, %.1f%% full, grown %" PRIu64 " times, keys of %u bits%s\n", summary->table,
         summary->table_detail, 100 * summary->table_fill, summary->growths, summary->key_bits,
         summary->encoding == FLOE_ENCODING_INDEX ? " (index keys)" : "");
  print_bytes_per_state(summary);
  if (summary->tree_bytes)
    printf("tree: %s, %" PRIu64 " nodes, %.4f per state; roots of %u bits\n", byte_text(summary->tree_bytes, tree),
           summary->tree_contents, ratio(summary->tree_contents, (double)summary->states), summary->root_bits);
  printf("memory by part: table %s, frontier %s\n", byte_text(summary->table_bytes, table),
         byte_text(summary->frontier_bytes, frontier));
}

/* Time of the parallel phases and of the serial ones, which add up to that of the exploration. */
static void print_threads(const floe_summary *summary) {
  const floe_phases *p = &summary->phases;
  double together = p->together + p->clearing + p->moving;
  if (summary->threads == 1 || together <= 0)
    return;
  printf("threads: parallel %.3f s, of it clearing pages %.3f s and moving keys %.3f s, idle %.1f%%; serial %.3f s\n",
         together, p->clearing, p->moving, 100 * p->waiting / (together * summary->threads),
         p->alone + p->growing + p->between);
}

/* The compiler works beside the interpreter, so the phases need not add up to the time. */
static void print_phases(const floe_summary *summary) {
  printf("phases, which can overlap: parse %.3f s, compile %.3f s, ", summary->parse_seconds, summary->compile_seconds);
  if (summary->start_seconds > 0)
    printf("start %.3f s, ", summary->start_seconds);
  printf("explore %.3f s", summary->explore_seconds);
  if (summary->resume_seconds > 0)
    printf(" (of it reading the checkpoint %.3f s)", summary->resume_seconds);
  printf(", traces %.3f s\n", summary->trace_seconds);
  print_threads(summary);
}

static void print_statistics(const floe_summary *summary) {
  const double seconds = summary->explore_seconds - summary->resume_seconds;
  printf("out-degree: average %.2f, maximum %" PRIu32 "\n", ratio(summary->transitions, (double)summary->states),
         summary->max_out_degree);
  printf("rate: %.0f states/s, %.0f transitions/s%s\n", ratio(summary->states - summary->resumed_states, seconds),
         ratio(summary->transitions - summary->resumed_transitions, seconds),
         summary->resumed_states ? ", since the run was resumed" : "");
  print_tables(summary);
  print_phases(summary);
}

static void print_time_and_memory(const floe_summary *summary) {
  char bytes[QUANTITY];
  printf("time: %.3f s\nmemory: %s\n", summary->total_seconds, byte_text(summary->peak_bytes, bytes));
}

/* Memory that did not suffice. */
static void print_moved_states(const floe_summary *summary) {
  char bytes[QUANTITY];
  if (summary->spilled_states)
    printf("frontier states moved temporarily to host memory: %" PRIu64 "\n", summary->spilled_states);
  if (summary->disk_bytes)
    printf("frontier written to a temporary file, for lack of memory: %s\n", byte_text(summary->disk_bytes, bytes));
}

static bool can_resume(const floe_summary *summary) {
  return summary->end == FLOE_END_STATES || summary->end == FLOE_END_MEMORY || summary->end == FLOE_END_TIMEOUT ||
         summary->end == FLOE_END_INTERRUPT;
}

static void print_checkpoints(const struct report *report, const floe_summary *summary) {
  char bytes[QUANTITY];
  if (!summary->checkpoints)
    return;
  printf("checkpoints: %" PRIu64 ", the last of %s; the search paused for %.3f s", summary->checkpoints,
         byte_text(summary->checkpoint_bytes, bytes), summary->checkpoint_seconds);
  if (can_resume(summary))
    printf("; to continue: floe resume%s %s", summary->end == FLOE_END_STATES ? " --max-states=N" : "",
           printable(report->options->checkpoint));
  putchar('\n');
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

static void print_reduction(const floe_summary *summary) {
  const uint32_t merged = summary->merged_transitions, resets = summary->reset_transitions;
  if (!summary->reduced)
    return;
  fputs("reduction: ", stdout);
  if (merged)
    printf("merge (%" PRIu32 " transition%s merged into those before); ", merged, plural(merged));
  if (resets)
    printf("dead (%" PRIu32 " transition%s reset%s %" PRIu32 " local variable%s); ", resets, plural(resets),
           resets == 1 ? "s" : "", summary->reset_variables, plural(summary->reset_variables));
  printf("states, transitions, depth and deadlocks are those of the reduced %s\n", merged || resets ? "model" : "net");
}

static void print_summary(const struct report *report, const floe_summary *summary) {
  report_model(report->model);
  printf("engine: %s, %s\n", summary->engine, printable(summary->engine_detail));
  print_end(summary);
  if (*summary->symmetry)
    printf("symmetry: one state of each orbit; %s\n", printable(summary->symmetry));
  print_reduction(summary);
  print_unfired(report, summary);
  print_moved_states(summary);
  print_checkpoints(report, summary);
  if (report->options->verbose)
    print_statistics(summary);
  print_counts(summary);
  print_time_and_memory(summary);
}

/* count prints its only verdict if it is a violation. */
static bool is_shown(const struct report *report, const floe_verdict *verdict) {
  return strcmp(report->command, "count") != 0 || verdict->value == FLOE_VIOLATED;
}

/* Each ends with an empty line. */
static void print_traces(const struct report *report) {
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    if (!verdict.trace)
      continue;
    report_trace(stdout, &verdict, floe_model_file(report->model), report->options->full_states);
    putchar('\n');
  }
}

/* States are missing, so that a verdict is undecided or the number of states a lower bound. */
static bool is_cut(const struct report *report, const floe_summary *summary) {
  bool cut = false;
  if (summary->complete && !summary->firing_failed)
    return false;
  if (strcmp(report->command, "count") == 0)
    return true;
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++)
    cut |= report_verdict(report->result, i).value == FLOE_UNDECIDED;
  return cut;
}

/* With --quiet, standard output has no reason. */
static void explain_cut(const floe_summary *summary) {
  char text[END_PHRASE_SIZE];
  end_phrase(summary, text, sizeof text);
  fflush(stdout);
  fprintf(stderr, "floe: note: %s\n", text);
}

/* The traces come first: they are long, and the end of the output is what a terminal shows. */
void report_text(const struct report *report) {
  const floe_summary *summary = floe_result_summary(report->result);
  bool quiet = report->options->quiet;
  if (!quiet)
    print_traces(report);
  for (size_t i = 0; i < floe_result_verdicts(report->result); i++) {
    floe_verdict verdict = report_verdict(report->result, i);
    if (is_shown(report, &verdict))
      print_verdict(summary, &verdict);
  }
  if (report->options->certificate)
    printf("certificate: %s\n", summary->certificate);
  if (!quiet)
    print_summary(report, summary);
  else if (strcmp(report->command, "count") == 0)
    printf("%" PRIu64 "%s\n", summary->states, is_cut(report, summary) ? " or more" : "");
  if (quiet && is_cut(report, summary))
    explain_cut(summary);
}
