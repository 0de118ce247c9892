#include "gpu/workset_clock.h"

floe_status workset_clock_create(struct gpu *gpu, struct workset_clock *clock) {
  for (unsigned i = 0; i < WORKSET_MARKS; i++)
    FLOE_TRY(gpu_event_create(gpu, &clock->marks[i]));
  return FLOE_OK;
}

void workset_clock_free(struct gpu *gpu, struct workset_clock *clock) {
  for (unsigned i = 0; i < WORKSET_MARKS; i++)
    gpu_event_free(gpu, clock->marks[i]);
}

void workset_clock_clear(struct workset_clock *clock) {
  clock->asked = clock->finished = clock->looked_at = 0;
  clock->complete = false;
  clock->kernels = clock->copies = 0;
}

static bool is_sampled(uint64_t batch) { return batch % WORKSET_SAMPLED == 0; }

floe_status workset_clock_mark(struct gpu *gpu, struct workset_clock *clock, enum workset_mark mark) {
  const bool asking = mark <= WORKSET_ASKED;
  const uint64_t batch = asking ? clock->asked : clock->finished;
  if (mark == WORKSET_ASKED)
    clock->asked++;
  if (!is_sampled(batch) || (!asking && !clock->complete))
    return FLOE_OK;
  if (asking)
    clock->complete = mark == WORKSET_ASKED;
  return gpu_event_record(gpu, clock->marks[mark]);
}

static floe_status add_span(struct gpu *gpu, const struct workset_clock *clock, enum workset_mark from, double *sum) {
  double seconds;
  FLOE_TRY(gpu_event_seconds(gpu, clock->marks[from], clock->marks[from + 1], &seconds));
  *sum += seconds;
  return FLOE_OK;
}

floe_status workset_clock_finish(struct gpu *gpu, struct workset_clock *clock) {
  if (!is_sampled(clock->finished++) || !clock->complete)
    return FLOE_OK;
  clock->complete = false;
  clock->looked_at++;
  FLOE_TRY(add_span(gpu, clock, WORKSET_ASK, &clock->kernels));
  FLOE_TRY(add_span(gpu, clock, WORKSET_PACKED, &clock->copies));
  FLOE_TRY(add_span(gpu, clock, WORKSET_UPLOADED, &clock->kernels));
  FLOE_TRY(add_span(gpu, clock, WORKSET_SETTLE, &clock->copies));
  FLOE_TRY(add_span(gpu, clock, WORKSET_FOUND, &clock->kernels));
  return add_span(gpu, clock, WORKSET_SETTLED, &clock->copies);
}

void workset_clock_read(const struct workset_clock *clock, double *kernels, double *copies) {
  const double each = clock->looked_at ? (double)clock->finished / (double)clock->looked_at : 0;
  *kernels = clock->kernels * each;
  *copies = clock->copies * each;
}
