/* Moves all keys of an iceberg table to a bitmap. */
#ifndef FLOE_GPU_ICEBERG_TO_BITMAP_H
#define FLOE_GPU_ICEBERG_TO_BITMAP_H

#include "gpu/kernel/visited/bitmap_find_or_put.h"
#include "gpu/kernel/visited/bitmap_flush.h"

#define FLOE_FROM struct iceberg
#include "gpu/kernel/visited/iceberg_content.h"

#include "gpu/kernel/explore/rehash.h"

#endif
