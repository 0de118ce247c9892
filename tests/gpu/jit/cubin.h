/* Reads machine code for GPUs. */
#ifndef FLOE_TEST_CUBIN_H
#define FLOE_TEST_CUBIN_H

#include <stddef.h>

/* Calls visit(name, bytes of machine code, data) for each kernel of a cubin; the bytes include functions that are not
   inlined. */
void cubin_each(const void *cubin, void (*visit)(const char *name, size_t bytes, void *data), void *data);
/* Bytes of one kernel; 0: there is none of that name. */
size_t cubin_bytes(const void *cubin, const char *kernel);

#endif
