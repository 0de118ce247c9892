#include "gpu/driver/cuda.h"

const char *const cuda_left_out = NULL;
