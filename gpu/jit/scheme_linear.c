/* Linear tables on a device. */
#include "gpu/jit/scheme.h"

#include "gpu/kernel/table/linear_arrays_text.h"
#include "gpu/kernel/visited/linear_table_text.h"
#include "gpu/kernel/visited/linear_to_bitmap_text.h"

#include "tables/kernel/iceberg.h"
#include "tables/kernel/linear.h"

#include <assert.h>

static_assert((int)ICEBERG_FOUND == (int)LINEAR_FOUND && (int)ICEBERG_PUT == (int)LINEAR_PUT &&
                  (int)ICEBERG_FULL == (int)LINEAR_FULL,
              "visited sets of all schemes have the same answers");

const struct gpu_scheme gpu_linear = {.scheme = &linear_scheme,
                                      .view = "struct linear",
                                      .text = linear_arrays_text,
                                      .visited = linear_table_text,
                                      .to_bitmap = linear_to_bitmap_text,
                                      .has = {[TABLE_FIND] = true,
                                              [TABLE_FIND_OR_PUT] = true,
                                              [TABLE_PUT_NEW] = true,
                                              [TABLE_DELETE] = true,
                                              [TABLE_GET] = true,
                                              [TABLE_ADD] = true},
                                      .has_reduce_text = true};
