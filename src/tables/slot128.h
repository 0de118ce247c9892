/* Whether the machine swaps slots of 128 bits as one (KERNEL_HAS_WIDE of tables/kernel/shim.h, which is of the
   compilation; the first processors with x86-64 cannot). */
#ifndef FLOE_TABLE_WIDE_H
#define FLOE_TABLE_WIDE_H

#include <stdbool.h>

bool has_wide_swap(void);

#endif
