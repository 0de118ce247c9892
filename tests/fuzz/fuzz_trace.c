/* libFuzzer harness: the bytes as a trace file; readable traces are replayed on a model with
   everything that traces can contain. */
#include "cmd/simulate/trace_replay.h"
#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "<model name='race'><constant name='N' value='2' range='1..3'/><variable name='counter' "
                           "range='0..2'/>"
                           "<channel name='b' capacity='2' message='0..3, 0..1'/><channel name='c' message='0..3'/>"
                           "<channel name='bell' broadcast='true'/>"
                           "<process name='P' instances='N'><variable name='seen' range='0..2'/><variable name='on' "
                           "type='bool'/>"
                           "<location name='ready' initial='true'/><location name='holding'/><location name='done'/>"
                           "<transition from='ready' to='holding' label='read' effect='seen = counter; on = true'/>"
                           "<transition from='holding' to='done' label='write' effect='counter = seen + 1'/>"
                           "<transition from='done' select='i in 0..3' send='b(i, 1)'/>"
                           "<transition from='done' to='ready' send='bell' effect='seen++'/>"
                           "<transition from='ready' label='hear' receive='bell'/>"
                           "<transition from='done' select='i in 1..2' send='c(i)'/>"
                           "<transition from='holding' receive='c(_)'/></process>"
                           "<property id='sum' kind='invariant'>all(i in P : P[i].done) implies counter == 2</property>"
                           "<property id='two' kind='reachable'>counter == 2</property></model>";

static floe_model *load(floe_log *log) {
  floe_model *model;
  if (floe_model_parse("race.xml", text, strlen(text), log, &model) != FLOE_OK ||
      floe_model_check(model, log) != FLOE_OK)
    abort();
  return model;
}

static void replay_one(const floe_model *model, floe_simulator *simulator, const json_t *trace) {
  struct problem problem = {""};
  if (!trace_replay_fits(model, trace, &problem)) {
    if (!problem.text[0])
      abort();
    return;
  }
  while (floe_simulator_depth(simulator))
    floe_simulator_undo(simulator);
  enum trace_replay_result end = trace_replay_run(model, simulator, trace, NULL, NULL, &problem);
  if (end == REPLAY_NO_MEMORY || (end == REPLAY_CONFIRMED) != !problem.text[0])
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static floe_log *log;
  static floe_model *model;
  static floe_simulator *simulator;
  if (!log && (floe_log_create(&log) != FLOE_OK || !(model = load(log)) ||
               floe_simulator_create(model, log, &simulator) != FLOE_OK))
    abort();
  struct problem problem = {""};
  json_t *traces = trace_file_parse((const char *)data, size, &problem), *trace;
  size_t i;
  if (!traces != !!problem.text[0])
    abort();
  json_array_foreach(traces, i, trace) replay_one(model, simulator, trace);
  json_decref(traces);
  return 0;
}
