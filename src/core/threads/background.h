/* A background thread that runs one function at a time: the owner starts it, continues, and waits for it later. */
#ifndef FLOE_CORE_THREADS_BACKGROUND_H
#define FLOE_CORE_THREADS_BACKGROUND_H

#include "core/status.h"

struct background;

/* FLOE_ERROR_MEMORY. If no thread can be created, background_start runs the function itself. */
floe_status background_create(struct background **out);
void background_free(struct background *background); /* waits for the function; NULL is allowed */

/* Runs work(data) after the previous work has finished; it sees everything written before. */
void background_start(struct background *background, void (*work)(void *data), void *data);
/* Waits until no work is running; the caller then sees everything that it wrote. */
void background_wait(struct background *background);

#endif
