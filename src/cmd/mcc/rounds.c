/* One search for all formulas answers most of them. A net can be reduced much further for one formula than for all, so
   those that a search of few states leaves open are tried alone, with as many states altogether; then all together with
   more states, and so on. The last search is for all that are left, without a limit. */
#include "cmd/mcc/rounds.h"

#include "cmd/clock.h"
#include "cmd/console/exit_code.h"
#include "cmd/console/message.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stdlib.h>

/* States of the first search; each round has ROUND_GROWTH times as many; LAST_LIMIT: no limit after it. */
#define FIRST_LIMIT (UINT64_C(1) << 18)
#define ROUND_GROWTH 16
#define LAST_LIMIT (UINT64_C(1) << 26)
/* A search of so many states ends before a compiler has compiled code for it. */
#define FEW_STATES (UINT64_C(1) << 19)

int reduce_model(struct session *session, const char *const *ids, size_t count, bool quiet, bool *reduced) {
  const size_t before = floe_log_count(session->log);
  const floe_status status = floe_model_reduce(session->model, ids, count, session->log);
  *reduced = status == FLOE_OK && floe_log_count(session->log) > before;
  if (quiet)
    floe_log_clear(session->log);
  return status == FLOE_OK ? session_check(session) : print_failure(status, session->log);
}

/* ---- one search ---------------------------------------------------------------------------------- */

/* What a search may use. */
struct limits {
  uint64_t states;
  double seconds; /* 0: no limit */
};

static void note_answers(struct rounds *r, const floe_result *result) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    answer_verdict(r->answers, verdict.property.id, verdict.value);
  }
  for (size_t i = 0; i < floe_result_measures(result); i++) {
    const floe_measure measure = floe_result_measure(result, i);
    char value[24];
    snprintf(value, sizeof value, "%" PRId64, measure.greatest);
    if (measure.known)
      answer_formula(r->answers, measure.id, value);
  }
}

/* Of the model as it is, for these formulas. *end: why it ended. */
static int search(struct rounds *r, const char *const *ids, size_t count, struct limits limits, floe_end *end) {
  floe_options settings = r->settings;
  floe_result *result;
  settings.max_states = limits.states;
  settings.timeout = limits.seconds;
  if (limits.states <= FEW_STATES)
    settings.compiler = "";
  if (!settings.count_only) {
    settings.properties = ids;
    settings.property_count = count;
  }
  const int code = session_explore(r->session, &settings, &result);
  if (code != EXIT_SATISFIED)
    return code;
  print_log(r->session->log);
  note_answers(r, result);
  *end = floe_result_summary(result)->end;
  floe_result_free(result);
  return EXIT_SATISFIED;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* 0: no limit. Negative: nothing is left. */
static double seconds_left(const struct rounds *r) {
  const double left = r->settings.timeout - (clock_now() - r->begun);
  return r->settings.timeout <= 0 ? 0 : left > 0 ? left : -1;
}

static size_t open_formulas(const struct answers *answers, const char **ids) {
  size_t n = 0;
  for (size_t i = 0; i < answers->count; i++)
    if (!answers->answered[i])
      ids[n++] = answers->ids[i];
  return n;
}

/* Size of the model, so that equal ones are not searched twice. */
struct model_size {
  size_t transitions;
  uint32_t bits;
};

static struct model_size size_of(const struct rounds *r) {
  struct model_size size = {.transitions = floe_model_transitions(r->session->model)};
  uint32_t words;
  if (floe_model_layout_bits(r->session->model, NULL, &size.bits, &words) != FLOE_OK)
    size.bits = 0;
  return size;
}

/* Each alone, with a part of the states, and of the time that is left. */
static int search_each(struct rounds *r, const char *const *ids, size_t count, uint64_t states,
                       struct model_size whole) {
  int code = EXIT_SATISFIED;
  for (size_t i = 0; i < count && code == EXIT_SATISFIED && !signals_received(); i++) {
    struct limits limits = {states == UINT64_MAX ? states : states / count, seconds_left(r)};
    floe_end end = FLOE_END_COMPLETE;
    if (limits.seconds < 0)
      break;
    limits.seconds /= (double)(count - i);
    code = reduce_model(r->session, &ids[i], 1, true, &r->answers->reduced);
    const struct model_size size = size_of(r);
    if (code == EXIT_SATISFIED && (size.bits < whole.bits || size.transitions < whole.transitions))
      code = search(r, &ids[i], 1, limits, &end);
  }
  return code;
}

/* All together. *whole: the size of their model. */
static int search_all(struct rounds *r, const char *const *ids, size_t count, uint64_t states, struct model_size *whole,
                      floe_end *end) {
  struct limits limits = {r->temporal ? UINT64_MAX : states, seconds_left(r)};
  int code = EXIT_SATISFIED;
  if (r->reduces)
    code = reduce_model(r->session, ids, count, states != FIRST_LIMIT, &r->answers->reduced);
  *whole = size_of(r);
  if (r->temporal && states != UINT64_MAX)
    limits.seconds /= 2;
  return code == EXIT_SATISFIED ? search(r, ids, count, limits, end) : code;
}

/* Formulas of linear time have no limit of states: without one of time, the first search is the last one. */
static uint64_t first_limit(const struct rounds *r, size_t count) {
  return r->reduces && count > 1 && (!r->temporal || r->settings.timeout > 0) ? FIRST_LIMIT : UINT64_MAX;
}

static uint64_t next_limit(const struct rounds *r, uint64_t states, size_t count) {
  return r->temporal || states >= LAST_LIMIT || count == 1 ? UINT64_MAX : states * ROUND_GROWTH;
}

/* A search that filled the memory would fill it again, with larger limits, too: then the searches for each are the last
   ones. */
static int answer_with(struct rounds *r, const char **ids) {
  size_t n = open_formulas(r->answers, ids);
  uint64_t states = first_limit(r, n);
  int code = EXIT_SATISFIED;
  while (n > 0 && code == EXIT_SATISFIED && seconds_left(r) >= 0 && !signals_received()) {
    struct model_size whole;
    floe_end end = FLOE_END_COMPLETE;
    code = search_all(r, ids, n, states, &whole, &end);
    n = open_formulas(r->answers, ids);
    const bool last = states == UINT64_MAX && end != FLOE_END_MEMORY;
    if (code != EXIT_SATISFIED || last || (end == FLOE_END_COMPLETE && !r->temporal))
      break;
    if (r->reduces)
      code = search_each(r, ids, n, r->temporal || end == FLOE_END_MEMORY ? UINT64_MAX : states, whole);
    if (states == UINT64_MAX || end == FLOE_END_MEMORY)
      break;
    states = next_limit(r, states, n);
    n = open_formulas(r->answers, ids);
  }
  return code;
}

int answer_in_rounds(struct rounds *rounds) {
  const char **ids = calloc(rounds->answers->count + 1, sizeof *ids);
  const int code = ids ? answer_with(rounds, ids) : EXIT_UNDECIDED;
  free(ids);
  return code;
}
