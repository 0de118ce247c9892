/* An iceberg table as a visited set, whose keys can move to another one; the operations on arrays of keys are in
   iceberg_arrays.h. */
#ifndef FLOE_GPU_TABLE_H
#define FLOE_GPU_TABLE_H

#include "gpu/kernel/visited/iceberg_visited.h"
#include "gpu/kernel/explore/flush.h"

#include "gpu/kernel/visited/iceberg_content.h"

#include "gpu/kernel/explore/rehash.h"

#include "gpu/kernel/explore/key_transfer.h"

#endif
