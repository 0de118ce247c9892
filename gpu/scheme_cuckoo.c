/* Cuckoo tables on a device. Whole batches are found or put by sorting them (gpu/sorted.h). */
#include "gpu/scheme.h"

#include "gpu/kernel/cuckoo_arrays_text.h"

const struct gpu_scheme gpu_cuckoo = {.scheme = &cuckoo_scheme,
                                      .view = "struct cuckoo",
                                      .text = cuckoo_arrays_text,
                                      .has = {[TABLE_FIND] = true, [TABLE_PUT_NEW] = true, [TABLE_GET] = true},
                                      .least_arch_wide = 90,
                                      .counts_in_32_bits = true};
