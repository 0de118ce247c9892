/* A linear set as a visited set, whose keys can move to another one; the operations on arrays of keys are in
   linear_arrays.h. */
#ifndef FLOE_GPU_LINEAR_TABLE_H
#define FLOE_GPU_LINEAR_TABLE_H

#include "gpu/kernel/linear_find_or_put.h"
#include "gpu/kernel/settle.h"

#include "gpu/kernel/linear_content.h"

#include "gpu/kernel/rehash.h"

#include "gpu/kernel/content.h"

#endif
