/* Tables are not measured on a GPU yet. */
#include "gpu/bench.h"

floe_status bench_gpu_open(unsigned number, const char *cache_dir, floe_log *log,
                           const struct bench_machine **machine, struct bench_engine **out,
                           struct reason *reason) {
  (void)number, (void)cache_dir, (void)log, (void)machine, (void)out;
  reason_set(reason, "tables are not measured on a GPU yet");
  return FLOE_ERROR_UNSUPPORTED;
}
