/* Limits of the memory, measured once for each footprint. */
#include "bench/measure/bench.h"
#include "core/usage.h"

/* Updates all or nothing, so that rates of a footprint may be measured at different times. */
static floe_status measure_missing_rates(floe_bench *bench, enum bench_place place, uint64_t footprint, unsigned needed,
                                         struct bench_ceilings *ceilings) {
  struct bench_ceilings more = *ceilings;
  FLOE_TRY(bench->device->measure_ceilings(bench->engine, place, footprint, needed, &more));
  *ceilings = more;
  return FLOE_OK;
}

floe_status bench_ceilings_for(floe_bench *bench, enum bench_place place, uint64_t bytes, unsigned needed,
                               const struct bench_ceilings **out) {
  unsigned bits = BENCH_LEAST_BITS;
  bytes = bytes < UINT64_C(1) << bits ? UINT64_C(1) << bits : bytes;
  while (bits < 63 && bytes >> bits > 1)
    bits++;
  uint64_t eighths = bytes >> (bits - 3); /* 8 to 15 */
  struct bench_ceilings *ceilings = &bench->ceilings[place][8 * (bits - BENCH_LEAST_BITS) + (eighths & 7)];
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    if (ceilings->rates[i] > 0)
      needed &= ~(1u << i);
  if (needed) {
    uint64_t footprint = ceilings->footprint ? ceilings->footprint : eighths << (bits - 3);
    floe_status status = measure_missing_rates(bench, place, footprint, needed, ceilings);
    if (status == FLOE_ERROR_MEMORY && !ceilings->footprint && footprint > 1 << 24)
      status = measure_missing_rates(bench, place, footprint / 2, needed,
                                     ceilings); /* the table takes a part of the memory */
    FLOE_TRY(status);
  }
  *out = ceilings;
  return FLOE_OK;
}

floe_status floe_bench_limits(floe_bench *bench, uint64_t bytes, floe_bench_ceilings *out) {
  const struct bench_ceilings *found;
  REQUIRE(NULL, bench);
  REQUIRE(bench->log, out);
  FLOE_TRY(bench_ceilings_for(bench, BENCH_AT_HOME, bytes, (1u << BENCH_ACCESSES) - 1, &found));
  *out = (floe_bench_ceilings){found->footprint, found->rates[BENCH_READ], found->rates[BENCH_SWAP_16],
                               found->rates[BENCH_SWAP_32], found->rates[BENCH_SWAP_64]};
  return FLOE_OK;
}
