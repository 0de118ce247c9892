/* Whether the machine swaps slots of 128 bits atomically. KERNEL_HAS_SLOT128 of tables/kernel/shim.h depends on the
   compilation only; the first x86-64 processors lack the instruction. */
#ifndef FLOE_TABLES_SLOT128_H
#define FLOE_TABLES_SLOT128_H

#include <stdbool.h>

bool has_slot128_swap(void);

#endif
