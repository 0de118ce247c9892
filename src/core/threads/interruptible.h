/* Operations that floe_interrupt ends. */
#ifndef FLOE_CORE_THREADS_INTERRUPTIBLE_H
#define FLOE_CORE_THREADS_INTERRUPTIBLE_H

#include <stdatomic.h>
#include <stdbool.h>

/* At the start and end of each such operation. */
void interruptible_begin(void);
void interruptible_end(void);
bool interruptible_any(void); /* True: such an operation is running. */
/* Set: operations must end. */
atomic_bool *interruptible_flag(void);
bool interrupt_requested(void);
/* For an operation that an interrupt does not always end: this one ended it. */
void interrupt_took_effect(void);
/* The interrupt has taken effect although other operations continue: clears it. */
void interrupt_clear(void);

#endif
