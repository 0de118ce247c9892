/* Bitmaps on a device. */
#include "gpu/jit/scheme.h"

#include "gpu/kernel/cycles/bitmap_slots_text.h"
#include "gpu/kernel/table/bitmap_arrays_text.h"
#include "gpu/kernel/visited/bitmap_table_text.h"

#include "tables/kernel/bitmap.h"
#include "tables/kernel/iceberg.h"

#include <assert.h>

static_assert((int)ICEBERG_FOUND == (int)BITMAP_FOUND && (int)ICEBERG_PUT == (int)BITMAP_PUT &&
                  (int)ICEBERG_FULL == (int)BITMAP_FULL,
              "visited sets of all schemes have the same answers");

const struct gpu_scheme gpu_bitmap = {
    .scheme = &bitmap_scheme,
    .view = "struct bitmap",
    .text = bitmap_arrays_text,
    .visited = bitmap_table_text,
    .slots = bitmap_slots_text,
    .has = {[TABLE_FIND] = true, [TABLE_FIND_OR_PUT] = true, [TABLE_PUT_NEW] = true, [TABLE_DELETE] = true}};
