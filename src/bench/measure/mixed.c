/* Measures mixed queries of a map. */
#include "bench/measure/bench.h"
#include "bench/queries/query_map.h"
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/usage.h"

#include <stdio.h>
#include <string.h>

#define WARM_PARTS 16                     /* pieces of the warm-up, whose time is limited */
#define COUNTED_PAIRS (UINT64_C(1) << 22) /* keys of larger tables are not counted */

struct mixed {
  floe_bench *bench;
  const floe_bench_mixed_case *what;
  struct queries queries;
  struct query_map *map;
  uint64_t at; /* next query of the stream */
  double *rates;
  double seconds, misses;  /* of all repetitions; misses -1: unknown */
  floe_hash_traffic begun; /* before the first repetition */
  floe_bench_mixed_result *result;
};

/* ---- cases ----------------------------------------------------------------------------------- */

void floe_bench_mixed_case_init(floe_bench_mixed_case *what) {
  if (what)
    *what = (floe_bench_mixed_case){.struct_size = sizeof *what};
}

static uint64_t whole_blocks(uint64_t n) { return (n + QUERY_BLOCK - 1) / QUERY_BLOCK * QUERY_BLOCK; }

static void default_to(uint64_t *value, uint64_t otherwise) { *value = *value ? *value : otherwise; }

void floe_bench_mixed_case_complete(floe_bench_mixed_case *what) {
  if (!what)
    return;
  if (!what->table)
    what->table = "working-set";
  if (!what->variant)
    what->variant = floe_hash_variant(0);
  if (!what->threads)
    what->threads = defaults_threads();
  if (!what->repetitions)
    what->repetitions = 5;
  if (what->hot <= 0)
    what->hot = 1;
  if (what->seconds <= 0)
    what->seconds = 0.5;
  default_to(&what->pairs, (uint64_t)(0.9 * (1 << 26)));
  default_to(&what->recent, 1 << 20);
  default_to(&what->batch, 1 << 13);
  default_to(&what->queries, 10000000);
  what->queries = whole_blocks(what->queries);
  default_to(&what->warm_up, what->queries);
  what->warm_up = whole_blocks(what->warm_up);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void mixed_verdict(struct mixed *m, floe_bench_verdict verdict, const char *why) {
  if (m->result->verdict != FLOE_BENCH_MEASURED)
    return; /* the first verdict is the cause */
  m->result->verdict = verdict;
  snprintf(m->result->why, sizeof m->result->why, "%s", why);
}

static bool may_continue(struct mixed *m) {
  if (m->bench->interrupted())
    mixed_verdict(m, FLOE_BENCH_INTERRUPTED, "interrupted");
  return m->result->verdict == FLOE_BENCH_MEASURED;
}

static void judge_answers(struct mixed *m, const struct query_outcome *outcome) {
  char why[100];
  snprintf(why, sizeof why, "wrong answers: %llu", (unsigned long long)outcome->counts.wrong);
  if (outcome->counts.wrong)
    mixed_verdict(m, FLOE_BENCH_WRONG, why);
}

static floe_status judge_count(struct mixed *m) {
  uint64_t count;
  char why[100];
  if (m->what->pairs > COUNTED_PAIRS || !may_continue(m))
    return FLOE_OK;
  FLOE_TRY(query_map_count(m->map, &count));
  snprintf(why, sizeof why, "keys in the table: %llu instead of %llu", (unsigned long long)count,
           (unsigned long long)m->what->pairs);
  if (count != m->what->pairs)
    mixed_verdict(m, FLOE_BENCH_WRONG, why);
  return FLOE_OK;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static floe_status run_queries(struct mixed *m, uint64_t n, struct query_outcome *out) {
  FLOE_TRY(query_map_run(m->map, &m->queries, m->at, (size_t)n, out));
  judge_answers(m, out);
  m->at += n;
  return FLOE_OK;
}

/* Skips the queries up to `to`. Restores keys deleted so far, because the skipped queries would not. */
static floe_status skip(struct mixed *m, uint64_t to) {
  struct query_outcome outcome;
  FLOE_TRY(query_map_restore(m->map, &m->queries, m->at, &outcome));
  judge_answers(m, &outcome);
  m->at = to;
  return FLOE_OK;
}

static floe_status warm_up_by(struct mixed *m, uint64_t n, double *seconds) {
  struct query_outcome outcome;
  FLOE_TRY(run_queries(m, n, &outcome));
  *seconds += outcome.seconds;
  return FLOE_OK;
}

/* Runs warm-up queries until the time limit, and the last ones in any case, so that later queries find the same keys
   whatever was skipped. From the rate follows the number of queries per repetition. */
static floe_status warm_up(struct mixed *m) {
  const uint64_t all = m->what->warm_up, piece = whole_blocks(all / WARM_PARTS + 1);
  const uint64_t last = all < QUERY_LAG * QUERY_BLOCK ? all : QUERY_LAG * QUERY_BLOCK;
  uint64_t done = 0;
  double seconds = 0;
  for (; done + last < all && seconds < m->what->seconds && may_continue(m); done = m->at)
    FLOE_TRY(warm_up_by(m, all - last - done < piece ? all - last - done : piece, &seconds));
  if (done + last < all)
    FLOE_TRY(skip(m, all - last));
  FLOE_TRY(warm_up_by(m, last, &seconds));
  const double most = (double)(done + last) / seconds * m->what->seconds;
  if (most < (double)m->result->queries)
    m->result->queries = whole_blocks((uint64_t)most + 1);
  return FLOE_OK;
}

static floe_status repeat(struct mixed *m) {
  struct query_outcome outcome;
  floe_bench_mixed_result *result = m->result;
  FLOE_TRY(run_queries(m, result->queries, &outcome));
  m->rates[result->repetitions++] = (double)result->queries / outcome.seconds;
  m->seconds += outcome.seconds;
  m->misses = outcome.misses < 0 || m->misses < 0 ? -1 : m->misses + outcome.misses;
  result->found = outcome.counts.found;
  result->put = outcome.counts.fresh;
  result->deleted = outcome.counts.deleted;
  return FLOE_OK;
}

static floe_status compute_results(struct mixed *m) {
  floe_bench_mixed_result *result = m->result;
  floe_hash_traffic end;
  FLOE_TRY(query_map_traffic(m->map, &end));
  const double done = (double)result->queries * result->repetitions;
  result->rate = bench_median(m->rates, result->repetitions);
  result->rate_least = m->rates[0];
  result->rate_most = m->rates[result->repetitions - 1];
  result->misses = m->misses < 0 ? -1 : m->misses / done;
  result->first = 1 - (double)(end.asked - m->begun.asked) / done;
  result->moved_up = (double)(end.moved_up - m->begun.moved_up) / done;
  result->moved_down = (double)(end.moved_down - m->begun.moved_down) / done;
  result->waited = (end.waited_seconds - m->begun.waited_seconds) / m->seconds;
  result->second = (end.second_seconds - m->begun.second_seconds) / m->seconds;
  result->beside = (end.beside_seconds - m->begun.beside_seconds) / m->seconds;
  result->kernels = (end.kernel_seconds - m->begun.kernel_seconds) / m->seconds;
  result->copies = (end.copy_seconds - m->begun.copy_seconds) / m->seconds;
  return FLOE_OK;
}

static floe_status repeat_all(struct mixed *m) {
  struct query_outcome outcome;
  FLOE_TRY(warm_up(m));
  FLOE_TRY(query_map_traffic(m->map, &m->begun));
  for (unsigned i = 0; i < m->what->repetitions && may_continue(m); i++)
    FLOE_TRY(repeat(m));
  if (m->result->repetitions > 0 && m->result->verdict == FLOE_BENCH_MEASURED)
    FLOE_TRY(compute_results(m));
  FLOE_TRY(query_map_restore(m->map, &m->queries, m->at, &outcome));
  judge_answers(m, &outcome);
  return judge_count(m);
}

/* Reuses the present map, or replaces it. */
static floe_status get_map(struct mixed *m) {
  floe_bench *bench = m->bench;
  if (!bench->map || !query_map_fits(bench->map, m->what)) {
    query_map_free(bench->map);
    bench->map = NULL;
    FLOE_TRY(query_map_create(&bench->how, m->what, bench->log, &bench->map));
  }
  m->map = bench->map;
  m->result->bytes = query_map_bytes(m->map);
  return FLOE_OK;
}

static bool is_possible(struct mixed *m) {
  char why[sizeof m->result->why] = "";
  if (query_map_plan(&m->bench->how, m->what, sizeof why, why) == FLOE_ERROR_USAGE)
    mixed_verdict(m, FLOE_BENCH_REFUSED, why);
  return may_continue(m);
}

static floe_status measure(struct mixed *m) {
  floe_status status = get_map(m);
  m->rates = mem_array(m->what->repetitions, sizeof *m->rates);
  if (status == FLOE_OK)
    status = m->rates ? repeat_all(m) : FLOE_ERROR_MEMORY;
  mem_free(m->rates);
  if (status == FLOE_ERROR_MEMORY) {
    mixed_verdict(m, FLOE_BENCH_REFUSED, "there is not enough memory for the table");
    return FLOE_OK;
  }
  return status;
}

floe_status floe_bench_mixed(floe_bench *bench, const floe_bench_mixed_case *what, floe_bench_mixed_result *out) {
  floe_bench_mixed_case all;
  floe_bench_mixed_result result = {.verdict = FLOE_BENCH_MEASURED, .misses = -1};
  REQUIRE(NULL, bench);
  REQUIRE(bench->log, what);
  REQUIRE(bench->log, out);
  floe_bench_mixed_case_init(&all);
  memcpy(&all, what, what->struct_size < sizeof all ? what->struct_size : sizeof all);
  floe_bench_mixed_case_complete(&all);
  struct mixed m = {.bench = bench, .what = &all, .result = &result};
  result.queries = all.queries;
  if (!queries_init(all.pairs, all.hot, all.updates, all.seed, &m.queries))
    mixed_verdict(&m, FLOE_BENCH_REFUSED, "hot: above 0 up to 0.57, or 1; updates: 0 to 1 in fiftieths");
  result.deviation = m.queries.deviation;
  result.share = may_continue(&m) ? queries_share(&m.queries, 0.2) : 0;
  if (may_continue(&m) && is_possible(&m))
    FLOE_TRY(measure(&m));
  *out = result;
  return FLOE_OK;
}
