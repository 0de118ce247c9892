/* Fill of an iceberg table when the first key reaches its third level, which the paper's tables lack. */
#include "bench/measure/plan.h"

#include "core/mem.h"
#include "core/usage.h"

#include <stdio.h>

/* Each repetition uses other permutations and other keys. */
static floe_status find_fills(floe_bench *bench, const struct bench_plan *plan, double *fills, floe_bench_result *out) {
  for (unsigned i = 0; i < plan->repetitions; i++) {
    struct table_config config = plan->config;
    struct table_overflow overflow;
    if (bench->interrupted()) {
      out->verdict = FLOE_BENCH_INTERRUPTED;
      return FLOE_OK;
    }
    config.seed = plan->seed + i;
    FLOE_TRY(table_first_overflow(&config, plan->seed + i, &overflow));
    fills[i] = (double)overflow.keys / (double)overflow.slots;
    out->keys = overflow.keys;
  }
  return FLOE_OK;
}

static floe_status find_median(floe_bench *bench, const struct bench_plan *plan, floe_bench_result *out) {
  unsigned n = plan->repetitions;
  double *fills = mem_array(n, sizeof *fills);
  if (!fills)
    return FLOE_ERROR_MEMORY;
  floe_status status = find_fills(bench, plan, fills, out);
  out->repetitions = n;
  out->after = bench_median(fills, n);
  mem_free(fills);
  return status;
}

static void describe_table(const struct bench_plan *plan, floe_bench_result *out) {
  out->slot_bits = plan->shape.slot_bits;
  out->second_slot_bits = plan->shape.second_slot_bits;
  out->bucket_slots = plan->shape.bucket_slots;
  out->slots = plan->slots;
  out->bytes = plan->shape.bytes;
}

floe_status floe_bench_overflow(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out) {
  floe_bench_case all;
  struct bench_plan plan;
  FLOE_TRY(bench_copy_case(bench, what, &all));
  REQUIRE(bench->log, out);
  all.operation = FLOE_BENCH_FIND_OR_PUT;
  all.after = 1;
  case_complete(bench, &all);
  *out = (floe_bench_result){.verdict = FLOE_BENCH_MEASURED, .key_bits = all.key_bits, .probe_mean = -1};
  if (!plan_make(bench, &all, &plan, out->why)) {
    out->verdict = FLOE_BENCH_REFUSED;
  } else if (!table_overflows(all.table)) {
    out->verdict = FLOE_BENCH_REFUSED;
    snprintf(out->why, sizeof out->why, "only iceberg tables have a third level");
  } else {
    describe_table(&plan, out);
    return find_median(bench, &plan, out);
  }
  return FLOE_OK;
}
