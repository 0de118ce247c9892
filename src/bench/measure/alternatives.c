/* Alternatives for a table or an operation that is not available. */
#include "bench/measure/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_available(const floe_bench *bench, const floe_bench_case *what) {
  struct table_config config;
  struct table_shape shape;
  return plan_config(what, &config) && table_plan(&config, &shape) == FLOE_OK &&
         !bench->device->cannot(bench->engine, &config, plan_operation(what->operation));
}

static void __attribute__((format(printf, 2, 3))) append(char *why, const char *format, ...) {
  const size_t length = strlen(why);
  va_list args;
  va_start(args, format);
  vsnprintf(why + length, PLAN_WHY - length, format, args);
  va_end(args);
}

static bool try_values(const floe_bench *bench, const floe_bench_case *what, char *why) {
  static const unsigned widths[] = {32, 64, 0};
  bool any = false;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    floe_bench_case other = *what;
    other.value_bits = widths[i];
    if (widths[i] == what->value_bits || !is_available(bench, &other))
      continue;
    if (widths[i])
      append(why, any ? " or %u" : "; available with --value-bits=%u", widths[i]);
    else
      append(why, any ? " or without" : "; available without --value-bits");
    any = true;
  }
  return any;
}

static bool try_forms(const floe_bench *bench, const floe_bench_case *what, char *why) {
  floe_bench_case slots = *what, second = *what, buckets = *what;
  slots.slot_bits = second.second_slot_bits = buckets.bucket_slots = 0;
  const bool by_slots = is_available(bench, &slots), by_second = is_available(bench, &second);
  if (!by_slots && !by_second && !is_available(bench, &buckets))
    return false;
  append(why, "; available without --%s", by_second ? "second-slot-bits" : by_slots ? "slot-bits" : "bucket-slots");
  return true;
}

static bool try_operations(const floe_bench *bench, const floe_bench_case *what, char *why) {
  bool any = false;
  for (int i = 0; i < FLOE_BENCH_OPERATIONS; i++) {
    floe_bench_case other = *what;
    other.operation = (floe_bench_operation)i;
    if (!is_available(bench, &other))
      continue;
    append(why, "%s%s", any ? ", " : "; available: ", floe_bench_operation_name(other.operation));
    any = true;
  }
  return any;
}

void plan_alternatives(const floe_bench *bench, const floe_bench_case *what, char *why) {
  floe_bench_case map = *what;
  map.value_bits = what->value_bits == 32 ? 64 : 32;
  if (try_values(bench, what, why) || try_forms(bench, what, why) || try_operations(bench, what, why))
    return;
  if (try_operations(bench, &map, why))
    append(why, " with --value-bits=%u", map.value_bits);
}
