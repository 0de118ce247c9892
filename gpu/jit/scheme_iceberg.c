/* Iceberg tables on a device. */
#include "gpu/jit/scheme.h"

#include "gpu/kernel/cycles/iceberg_slots_text.h"
#include "gpu/kernel/table/iceberg_arrays_text.h"
#include "gpu/kernel/visited/iceberg_to_bitmap_text.h"
#include "gpu/kernel/visited/table_text.h"

const struct gpu_scheme gpu_iceberg = {.scheme = &iceberg_scheme,
                                       .view = "struct iceberg",
                                       .text = iceberg_arrays_text,
                                       .visited = table_text,
                                       .slots = iceberg_slots_text,
                                       .to_bitmap = iceberg_to_bitmap_text,
                                       .has = {[TABLE_FIND] = true,
                                               [TABLE_FIND_OR_PUT] = true,
                                               [TABLE_PUT_NEW] = true,
                                               [TABLE_DELETE] = true,
                                               [TABLE_GET] = true,
                                               [TABLE_ADD] = true},
                                       .counts_in_32_bits = true};
