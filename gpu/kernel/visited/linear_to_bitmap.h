/* Moves all keys of a linear set to a bitmap. */
#ifndef FLOE_GPU_LINEAR_TO_BITMAP_H
#define FLOE_GPU_LINEAR_TO_BITMAP_H

#include "gpu/kernel/visited/bitmap_find_or_put.h"
#include "gpu/kernel/visited/bitmap_flush.h"

#define FLOE_FROM struct linear
#include "gpu/kernel/visited/linear_content.h"

#include "gpu/kernel/explore/rehash.h"

#endif
