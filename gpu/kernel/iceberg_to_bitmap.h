/* Moving all keys of an iceberg table to a bitmap. */
#ifndef FLOE_GPU_ICEBERG_TO_BITMAP_H
#define FLOE_GPU_ICEBERG_TO_BITMAP_H

#include "gpu/kernel/bitmap_find_or_put.h"
#include "gpu/kernel/bitmap_settle.h"

#define FLOE_FROM struct iceberg
#include "gpu/kernel/iceberg_content.h"

#include "gpu/kernel/rehash.h"

#endif
