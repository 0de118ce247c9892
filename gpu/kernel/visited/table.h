/* An iceberg table as a visited set whose keys can be moved to another one; iceberg_arrays.h has the operations on
   arrays of keys. */
#ifndef FLOE_GPU_TABLE_H
#define FLOE_GPU_TABLE_H

#include "gpu/kernel/visited/iceberg_visited.h"

#include "gpu/kernel/explore/flush.h"

#include "gpu/kernel/visited/iceberg_content.h"

#include "gpu/kernel/explore/rehash.h"

#include "gpu/kernel/explore/key_transfer.h"

#endif
