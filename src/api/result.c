#include "api/result.h"

#include "core/mem.h"

#include <assert.h>

void floe_result_free(floe_result *result) {
  if (!result)
    return;
  arena_free(&result->arena);
  mem_free(result);
}

const floe_summary *floe_result_summary(const floe_result *result) { return &result->summary; }

uint64_t floe_result_level_states(const floe_result *result, uint32_t level) {
  return level < result->summary.levels ? result->level_states[level] : 0;
}

uint64_t floe_result_fired(const floe_result *result, size_t i) {
  assert(i < result->edge_count);
  return result->fired[i];
}

size_t floe_result_verdicts(const floe_result *result) { return result->verdict_count; }

floe_verdict floe_result_verdict(const floe_result *result, size_t i) {
  assert(i < result->verdict_count);
  return result->verdicts[i];
}

size_t floe_trace_steps(const floe_trace *trace) { return trace->step_count; }

size_t floe_trace_initial(const floe_trace *trace) { return trace->initial_count; }

floe_change floe_trace_initial_value(const floe_trace *trace, size_t i) {
  assert(i < trace->initial_count);
  return trace->initial[i];
}

floe_step floe_trace_step(const floe_trace *trace, size_t step) {
  assert(step < trace->step_count);
  return trace->steps[step];
}

floe_change floe_trace_change(const floe_trace *trace, size_t step, size_t i) {
  assert(step < trace->step_count && i < trace->steps[step].changes);
  return trace->steps[step].change_list[i];
}

size_t floe_trace_parts(const floe_trace *trace) { return trace->part_count; }

void floe_trace_part(const floe_trace *trace, size_t i, const char **text, const char **value) {
  assert(i < trace->part_count);
  *text = trace->parts[i].text;
  *value = trace->parts[i].value;
}
