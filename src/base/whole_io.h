/* Reads and writes of exactly n bytes: calls that a signal interrupts, or that transfer less, continue. */
#ifndef FLOE_BASE_WHOLE_IO_H
#define FLOE_BASE_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: errno has the reason; 0: the file ends before. */
bool read_whole(int file, void *bytes, size_t n);
bool read_whole_at(int file, void *bytes, size_t n, uint64_t at);
/* False: errno has the reason. */
bool write_whole(int file, const void *bytes, size_t n);
bool write_whole_at(int file, const void *bytes, size_t n, uint64_t at);

#endif
