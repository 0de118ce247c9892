#include "core/threads/interruptible.h"

#include "core/threads/detached_call.h"
#include "floe.h"

static atomic_bool interrupted, traces_interrupted, expected;
static atomic_uint running, tracing;

/* A signal handler may only use lock-free atomics. */
void floe_interrupt(void) {
  if (atomic_exchange(&expected, false))
    return;
  if (atomic_exchange(&interrupted, true) || atomic_load(&tracing) > 0)
    atomic_store(&traces_interrupted, true);
}

bool floe_traces_running(void) { return atomic_load(&tracing) > 0; }

/* An interrupt while nothing runs ends the next operation at once, so that none is lost between two explorations.
   It is cleared when the last running operation ends. Sequentially consistent: rare, and easiest to
   reason about. */
void interruptible_begin(void) { atomic_fetch_add(&running, 1); }
void interruptible_end(void) {
  if (atomic_fetch_sub(&running, 1) == 1)
    interrupt_clear();
}

void traces_begin(void) { atomic_fetch_add(&tracing, 1); }
void traces_end(void) {
  atomic_store(&expected, false);
  atomic_fetch_sub(&tracing, 1);
}

bool interruptible_any(void) { return atomic_load(&running) > 0; }

void interrupt_took_effect(void) {
  interruptible_begin();
  interruptible_end();
}

void interrupt_clear(void) {
  atomic_store(&expected, false);
  atomic_store(&interrupted, false);
  atomic_store(&traces_interrupted, false);
}

void interrupt_expect(void) {
  if (!atomic_load(&interrupted))
    atomic_store(&expected, true);
}

atomic_bool *interruptible_flag(void) { return &interrupted; }
atomic_bool *traces_interrupt_flag(void) { return &traces_interrupted; }
bool interrupt_requested(void) { return atomic_load(&interrupted); }

unsigned floe_abandoned_calls(void) { return detached_calls_running(); }
