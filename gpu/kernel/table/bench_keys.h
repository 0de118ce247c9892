/* Kernels that generate keys and values for tables, and count answers (gpu/table/tables.h). Any grid of blocks of
   GPU_BLOCK threads. Results are added to `counts`. */
#ifndef FLOE_GPU_KEYS_H
#define FLOE_GPU_KEYS_H

#include "gpu/kernel/table/number_keys.h"

#include "gpu/kernel/base/control.h"

/* As struct gpu_keys, with values that the host derives for all keys. */
struct key_parameters {
  uint64_t first, count, others, other_first, other_count, seed;
  double zipf, zipf_span, zipf_power;
  uint32_t key_bits, order_bits; /* order_bits: n <= 2^order_bits */
};

KERNEL_FN uint64_t thread_number(void) { return (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); }
KERNEL_FN uint64_t thread_count(void) { return (uint64_t)gpu_blocks() * GPU_BLOCK; }

/* All lanes call it; lane 0 adds the warp's sum. */
KERNEL_FN void add_of_warp(uint64_t *to, uint64_t value) {
  const unsigned lane = gpu_thread() % GPU_WARP;
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2)
    value += gpu_shuffle64(value, lane ^ apart);
  if (lane == 0 && value)
    gpu_add64(to, value);
}

/* Shuffled position of number i of n: a bijection of [0, n). The permutation of [0, 2^order_bits) is iterated until
   the result is in [0, n); every cycle returns there. */
KERNEL_FN uint64_t place_of(const struct key_parameters *parameters, uint64_t i, uint64_t n) {
  const uint64_t offset = scatter_hash(parameters->seed) & scatter_mask(parameters->order_bits);
  do
    i = scatter(parameters->order_bits, i ^ offset);
  while (i >= n);
  return i;
}

/* Inverse of the distribution function of the density x^-zipf on [1, count + 1). */
KERNEL_FN uint64_t zipf_number(const struct key_parameters *parameters, uint64_t i) {
  const uint64_t random = scatter_hash(scatter_hash(parameters->seed) + i * SCATTER_FIRST);
  const double u = (double)(random >> 11) * (1.0 / 9007199254740992.0);
  const double x = parameters->zipf_power == 0 ? exp(u * parameters->zipf_span)
                                               : pow(1 + u * parameters->zipf_span, parameters->zipf_power);
  const uint64_t k = (uint64_t)x;
  return k < 1 ? 0 : k > parameters->count ? parameters->count - 1 : k - 1;
}

KERNEL_FN uint64_t number_of(const struct key_parameters *parameters, uint64_t i, uint64_t n) {
  const uint64_t place = place_of(parameters, i, n);
  if (place < parameters->others)
    return parameters->other_first + place % parameters->other_count;
  if (parameters->zipf > 0)
    return parameters->first + zipf_number(parameters, i);
  return parameters->first + (place - parameters->others) % parameters->count;
}

GPU_KERNEL(floe_keys_make, GPU_BLOCK, 1)
(GPU_PARAMETER struct key_parameters parameters, uint64_t *keys, uint64_t n) {
  for (uint64_t i = thread_number(); i < n; i += thread_count())
    keys[i] = scatter(parameters.key_bits, number_of(&parameters, i, n));
}

/* seen: bitmap of parameters.count bits, initially zero. counts[0]: bits that were set. */
GPU_KERNEL(floe_keys_distinct, GPU_BLOCK, 1)
(GPU_PARAMETER struct key_parameters parameters, const uint64_t *keys, uint64_t n, uint32_t *seen, uint64_t *counts) {
  uint64_t fresh = 0;
  for (uint64_t i = thread_number(); i < n; i += thread_count()) {
    const uint64_t number = gather(parameters.key_bits, keys[i]) - parameters.first;
    const uint32_t bit = UINT32_C(1) << (number & 31);
    if (number < parameters.count && (gpu_load32(&seen[number / 32]) & bit) == 0) /* most keys occur often */
      fresh += (gpu_or32(&seen[number / 32], bit) & bit) == 0;
  }
  add_of_warp(&counts[0], fresh);
}

GPU_KERNEL(floe_values_make, GPU_BLOCK, 1)
(uint32_t bits, uint64_t constant, const uint64_t *keys, uint64_t n, uint64_t *values) {
  for (uint64_t i = thread_number(); i < n; i += thread_count())
    values[i] = constant ? constant : scatter_value(bits, keys[i]);
}

/* counts[answer]: number of each of the three answers; counts[3]: any other value. */
GPU_KERNEL(floe_answers_count, GPU_BLOCK, 1)
(const uint8_t *answers, uint64_t n, uint64_t *counts) {
  uint64_t of[4] = {0, 0, 0, 0};
  for (uint64_t i = thread_number(); i < n; i += thread_count()) {
    const uint8_t answer = answers[i];
    of[0] += answer == 0;
    of[1] += answer == 1;
    of[2] += answer == 2;
    of[3] += answer > 2;
  }
  for (unsigned k = 0; k < 4; k++)
    add_of_warp(&counts[k], of[k]);
}

/* For the keys found (answer 0): counts[0], values that differ from scatter_value; counts[1], the sum of all values. */
GPU_KERNEL(floe_values_check, GPU_BLOCK, 1)
(uint32_t bits, const uint64_t *keys, const uint64_t *values, const uint8_t *answers, uint64_t n, uint64_t *counts) {
  uint64_t wrong = 0, sum = 0;
  for (uint64_t i = thread_number(); i < n; i += thread_count())
    if (answers[i] == 0) {
      wrong += values[i] != scatter_value(bits, keys[i]);
      sum += values[i];
    }
  add_of_warp(&counts[0], wrong);
  add_of_warp(&counts[1], sum);
}

#endif
