/* A linear set as a visited set whose keys can be moved to another one; linear_arrays.h has the operations on arrays
   of keys. */
#ifndef FLOE_GPU_LINEAR_TABLE_H
#define FLOE_GPU_LINEAR_TABLE_H

#include "gpu/kernel/visited/linear_find_or_put.h"

#include "gpu/kernel/explore/flush.h"

#include "gpu/kernel/visited/linear_content.h"

#include "gpu/kernel/explore/rehash.h"

#include "gpu/kernel/explore/key_transfer.h"

#endif
