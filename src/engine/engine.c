#include "engine/engine.h"

static const struct engine *const engines[] = {&engine_cpu, &engine_gpu, &engine_gpus};

const struct engine *engine_for(unsigned devices) {
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
    if (devices <= engines[i]->most_devices && (devices > 0) == (engines[i]->most_devices > 0))
      return engines[i];
  return NULL;
}

floe_status engine_run(const struct engine *engine, const struct engine_task *task, floe_log *log,
                       struct engine_outcome *out) {
  struct search *search;
  FLOE_TRY(engine->prepare(task, log, &search));
  floe_status status = engine->explore(search, out);
  engine->drop(search);
  return status;
}

bool engine_ended_early(floe_end end) {
  static const bool are_cut[] = {
#define END(end, word, sentence, reason) [FLOE_END_##end] = (reason) != NULL,
#include "base/ends.def"
  };
  return are_cut[end];
}

struct stop engine_stop(const struct engine_task *task) {
  double timeout = task->options->timeout;
  return (struct stop){.interrupt = task->limits.interrupt,
                       .cancelled = task->limits.cancelled,
                       .deadline = timeout > 0 ? task->limits.started + timeout : 0,
                       .waiting = task->limits.waiting,
                       .user = task->limits.user};
}
