/* What floe_interrupt ends. */
#ifndef FLOE_RUNNING_H
#define FLOE_RUNNING_H

#include <stdatomic.h>
#include <stdbool.h>

/* Around everything that it ends. */
void interruptible_begin(void);
void interruptible_end(void);
bool interruptible_any(void); /* is there any of that? */
/* Set: it has to end. */
atomic_bool *interruptible_flag(void);
bool interrupt_requested(void);
/* For what only sometimes ends by it: it did. */
void interrupt_note_effective(void);
/* What has ended by it is over, though something goes on running: the wish is used up. */
void interrupt_clear(void);

#endif
