/* Robin Hood tables on a device. */
#include "gpu/jit/scheme.h"

#include "gpu/kernel/table/robin_hood_arrays_text.h"

const struct gpu_scheme gpu_robin_hood = {
    .scheme = &robin_hood_scheme,
    .view = "struct robin_hood",
    .text = robin_hood_arrays_text,
    .has = {[TABLE_FIND] = true, [TABLE_PUT_NEW] = true, [TABLE_GET] = true, [TABLE_ADD] = true},
    .least_arch_wide = 90,
    .has_reduce_text = true};
