/* An iceberg table as a visited set, whose keys can move to another one; the operations on arrays of keys are in
   iceberg_arrays.h. */
#ifndef FLOE_GPU_TABLE_H
#define FLOE_GPU_TABLE_H

#include "gpu/kernel/iceberg_visited.h"
#include "gpu/kernel/settle.h"

#include "gpu/kernel/iceberg_content.h"

#include "gpu/kernel/rehash.h"

#include "gpu/kernel/content.h"

#endif
