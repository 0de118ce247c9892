/* Cuckoo tables on a device. find-or-put of whole batches sorts them (gpu/table/sorted_find_or_put.h). */
#include "gpu/jit/scheme.h"

#include "gpu/kernel/table/cuckoo_arrays_text.h"

const struct gpu_scheme gpu_cuckoo = {.scheme = &cuckoo_scheme,
                                      .view = "struct cuckoo",
                                      .text = cuckoo_arrays_text,
                                      .has = {[TABLE_FIND] = true, [TABLE_PUT_NEW] = true, [TABLE_GET] = true},
                                      .least_arch_wide = 90,
                                      .counts_in_32_bits = true};
