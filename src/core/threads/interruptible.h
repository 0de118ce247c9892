/* Operations that floe_interrupt ends. An exploration has two phases with a flag each: the search, and then traces and
   explanations. The interrupt that ends the search does not end the traces; the next one does. */
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
/* At the start and end of the traces and explanations of an exploration, within interruptible_begin and _end. An
   interrupt in between sets both flags; so does the second interrupt during a search. */
void traces_begin(void);
void traces_end(void);
atomic_bool *traces_interrupt_flag(void);
/* Another process of the job was interrupted first, and this one ends with it: this process's interrupt is ignored if
   it arrives later. */
void interrupt_expect(void);
/* For an operation that an interrupt does not always end: this one ended it. */
void interrupt_took_effect(void);
/* The interrupt has taken effect although other operations continue: clears both flags. */
void interrupt_clear(void);

#endif
