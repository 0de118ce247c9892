/* Moving all keys of a linear set to a bitmap. */
#ifndef FLOE_GPU_LINEAR_TO_BITMAP_H
#define FLOE_GPU_LINEAR_TO_BITMAP_H

#include "gpu/kernel/bitmap_find_or_put.h"
#include "gpu/kernel/bitmap_settle.h"

#define FLOE_FROM struct linear
#include "gpu/kernel/linear_content.h"

#include "gpu/kernel/rehash.h"

#endif
