/* What floe_interrupt ends. */
#ifndef FLOE_RUNNING_H
#define FLOE_RUNNING_H

#include <stdatomic.h>
#include <stdbool.h>

/* Around everything that it ends. */
void running_begin(void);
void running_end(void);
bool running_any(void); /* is there any of that? */
/* Set: it has to end. */
atomic_bool *running_flag(void);
bool running_interrupted(void);
/* For what only sometimes ends by it: it did. */
void running_was_interrupted(void);
/* What has ended by it is over, though something goes on running: the wish is used up. */
void running_was_heard(void);

#endif
