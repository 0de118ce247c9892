#include "api/explore/make_stepper.h"

#include "core/threads/delayed_thread.h"
#include "step/arcs/arc_stepper.h"
#include "step/compile/tiered_stepper.h"

/* Models under development are mostly tiny: the interpreter finishes before a compiler has started. */
double make_stepper_delay = 0.03;

floe_status make_stepper(const floe_options *options, const struct model *model, const struct layout *layout,
                         const struct stop *stop, floe_log *log, struct stepper **out) {
  const struct compile_options how = {options->compiler, options->cache_dir, stop};
  if (has_tiered_stepper(options)) {
    const double delay = options->engine == FLOE_ENGINE_GPU ? ON_REQUEST : make_stepper_delay;
    return tiered_stepper_create(model, layout, &how, delay, log, out);
  }
  if (options->engine == FLOE_ENGINE_INTERPRETER)
    return interpreter_create(model, layout, out);
  struct stepper *first;
  bool suffices;
  FLOE_TRY(uncompiled_create(model, layout, &suffices, &first));
  const floe_status status = suffices ? FLOE_ERROR_UNSUPPORTED : compiled_create(model, layout, &how, log, out);
  if (status == FLOE_ERROR_UNSUPPORTED) {
    *out = first;
    return FLOE_OK;
  }
  first->free(first);
  return status;
}
