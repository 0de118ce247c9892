#include "api/result/result.h"

#include "core/mem.h"

void floe_result_free(floe_result *result) {
  if (!result)
    return;
  arena_free(&result->arena);
  mem_free(result);
}

const floe_summary *floe_result_summary(const floe_result *result) { return result ? &result->summary : NULL; }

uint64_t floe_result_level_states(const floe_result *result, uint32_t level) {
  return result && level < result->summary.levels ? result->level_states[level] : 0;
}

uint64_t floe_result_fired(const floe_result *result, size_t i) {
  return result && i < result->edge_count ? result->fired[i] : 0;
}

size_t floe_result_members(const floe_result *result) { return result ? result->member_count : 0; }

floe_member floe_result_member(const floe_result *result, size_t i) {
  return i < floe_result_members(result) ? result->members[i] : (floe_member){0};
}

size_t floe_result_verdicts(const floe_result *result) { return result ? result->verdict_count : 0; }

floe_verdict floe_result_verdict(const floe_result *result, size_t i) {
  return i < floe_result_verdicts(result) ? result->verdicts[i] : (floe_verdict){0};
}

size_t floe_result_measures(const floe_result *result) { return result ? result->measure_count : 0; }

floe_measure floe_result_measure(const floe_result *result, size_t i) {
  return i < floe_result_measures(result) ? result->measures[i] : (floe_measure){0};
}

size_t floe_trace_steps(const floe_trace *trace) { return trace ? trace->step_count : 0; }

size_t floe_trace_constraints(const floe_trace *trace) { return trace ? trace->constraint_count : 0; }
floe_fair floe_trace_constraint(const floe_trace *trace, size_t i) {
  return i < floe_trace_constraints(trace) ? trace->constraints[i] : (floe_fair){.name = NULL};
}
size_t floe_trace_loop(const floe_trace *trace) { return trace && trace->repeats ? trace->loop : FLOE_NO_LOOP; }

size_t floe_trace_variables(const floe_trace *trace) { return trace ? trace->variable_count : 0; }

floe_change floe_trace_initial_value(const floe_trace *trace, size_t i) {
  return i < floe_trace_variables(trace) ? trace->initial[i] : (floe_change){0};
}

floe_step floe_trace_step(const floe_trace *trace, size_t step) {
  return step < floe_trace_steps(trace) ? trace->steps[step] : (floe_step){0};
}

const char *floe_trace_printed(const floe_trace *trace, size_t step) {
  return step < floe_trace_steps(trace) ? trace->printed[step] : "";
}

floe_change floe_trace_change(const floe_trace *trace, size_t step, size_t i) {
  const floe_step it = floe_trace_step(trace, step);
  return i < it.changes ? it.change_list[i] : (floe_change){0};
}

floe_change floe_trace_last_value(const floe_trace *trace, size_t i) {
  return i < floe_trace_variables(trace) ? trace->last[i] : (floe_change){0};
}

size_t floe_trace_blocked_transitions(const floe_trace *trace) { return trace ? trace->blocked_count : 0; }
bool floe_trace_blocked_incomplete(const floe_trace *trace) { return trace && trace->blocked_incomplete; }

floe_blocked_transition floe_trace_blocked_transition(const floe_trace *trace, size_t i) {
  return i < floe_trace_blocked_transitions(trace) ? trace->blocked[i] : (floe_blocked_transition){0};
}

size_t floe_trace_subexpressions(const floe_trace *trace) { return trace ? trace->subexpressions.count : 0; }

void floe_trace_subexpression(const floe_trace *trace, size_t i, const char **text, const char **value) {
  const struct trace_subexpression none = {0};
  const struct trace_subexpression *part =
      i < floe_trace_subexpressions(trace) ? &trace->subexpressions.list[i] : &none;
  if (text)
    *text = part->text;
  if (value)
    *value = part->value;
}
