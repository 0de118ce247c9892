/* Keys and values from numbers on the host, as the kernels compute them; needs no GPU. */
#include "gpu/table/tables.h"

#include "gpu/kernel/table/number_keys.h"

uint64_t gpu_key_of(unsigned key_bits, uint64_t number) { return scatter(key_bits, number); }

uint64_t gpu_value_of(unsigned value_bits, uint64_t key) { return scatter_value(value_bits, key); }
