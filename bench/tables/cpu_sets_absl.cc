/* Abseil's flat_hash_set under the workload of cpu_sets.h: one set for each thread, so that no thread ever waits,
   with memory for all keys from the start. */
#include "cpu_sets.h"

#include <absl/container/flat_hash_set.h>

#include <vector>

namespace {

using Set = absl::flat_hash_set<uint64_t>;

void *create(uint64_t distinct, unsigned threads) {
  auto *sets = new std::vector<Set>(threads);
  for (Set &set : *sets)
    set.reserve(distinct / threads);
  return sets;
}

Set &set_of(void *sets, unsigned thread) { return (*static_cast<std::vector<Set> *>(sets))[thread]; }

size_t put(void *sets, unsigned thread, const uint64_t *keys, size_t n) {
  Set &set = set_of(sets, thread);
  size_t fresh = 0;
  for (size_t i = 0; i < n; i++)
    fresh += set.insert(keys[i]).second;
  return fresh;
}

/* With its own prefetch, over the batch. */
size_t put_prefetched(void *sets, unsigned thread, const uint64_t *keys, size_t n) {
  Set &set = set_of(sets, thread);
  for (size_t i = 0; i < n; i++)
    set.prefetch(keys[i]);
  return put(sets, thread, keys, n);
}

/* A key and a control byte for each slot. */
uint64_t bytes(void *sets) {
  uint64_t sum = 0;
  for (const Set &set : *static_cast<std::vector<Set> *>(sets))
    sum += set.capacity() * (sizeof(uint64_t) + 1);
  return sum;
}

void destroy(void *sets) { delete static_cast<std::vector<Set> *>(sets); }

} // namespace

int main(int argc, char **argv) {
  const struct cpu_set kinds[] = {
      {"absl", create, put, bytes, destroy},
      {"absl-prefetch", create, put_prefetched, bytes, destroy},
  };
  return cpu_sets_main(kinds, sizeof kinds / sizeof *kinds, argc, argv);
}
