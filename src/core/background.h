/* A thread that does one piece of work at a time beside its owner, who starts it, goes on, and waits for it. */
#ifndef FLOE_BACKGROUND_H
#define FLOE_BACKGROUND_H

#include "core/status.h"

struct background;

/* FLOE_ERROR_MEMORY: no memory. Where there is no thread to be had the work is done by who starts it. */
floe_status background_create(struct background **out);
void background_free(struct background *background); /* waits; NULL is allowed */

/* Runs work(data) once the work before is done; sees all that was written before. */
void background_start(struct background *background, void (*work)(void *data), void *data);
/* Until the work is done, if there is any: all that it wrote is seen then. */
void background_wait(struct background *background);

#endif
