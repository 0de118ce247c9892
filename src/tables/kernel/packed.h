/* Slots of 21 bits: three to a word of 64 bits, slot i in word i / 3, the lowest bits first; the word's top bit is
   always 0. For the shims, which define KERNEL_FN: shim.h and, on a device, gpu/kernel/base/machine.h. */
#ifndef FLOE_TABLES_KERNEL_PACKED_H
#define FLOE_TABLES_KERNEL_PACKED_H

enum { PACKED_BITS = 21, PACKED_IN_WORD = 3 };
#define PACKED_MASK ((UINT64_C(1) << PACKED_BITS) - 1)

KERNEL_FN unsigned packed_shift(uint64_t i) { return (unsigned)(i % PACKED_IN_WORD) * PACKED_BITS; }

#endif
