#include "core/threads/interruptible.h"

#include "core/threads/detached_call.h"
#include "floe.h"

static atomic_bool interrupted;
static atomic_uint running;

/* A signal handler may only write to a lock-free atomic. */
void floe_interrupt(void) { atomic_store(&interrupted, true); }

/* An interrupt while nothing runs ends the next operation at once, so that none is lost between two explorations.
   The interrupt is cleared when the last running operation ends. Sequentially consistent: rare, and easiest to
   reason about. */
void interruptible_begin(void) { atomic_fetch_add(&running, 1); }
void interruptible_end(void) {
  if (atomic_fetch_sub(&running, 1) == 1)
    atomic_store(&interrupted, false);
}

bool interruptible_any(void) { return atomic_load(&running) > 0; }

void interrupt_took_effect(void) {
  interruptible_begin();
  interruptible_end();
}

void interrupt_clear(void) { atomic_store(&interrupted, false); }

atomic_bool *interruptible_flag(void) { return &interrupted; }
bool interrupt_requested(void) { return atomic_load(&interrupted); }

unsigned floe_abandoned_calls(void) { return detached_calls_running(); }
