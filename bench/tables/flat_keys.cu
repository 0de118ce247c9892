/* Cost of flat keys of two words in a visited set on a GPU, compared with keys of one word: find-or-put of N
   distinct keys, each looked up TIMES times in a random order, into slots of 16 bytes (swapped as 128 bits) and of
   8. Both tables have the same structure: buckets of one line of 128 bytes; eight lanes for a key read the line in
   one access, and the next bucket if one is full; filled to LOAD percent. This is the minimum for such a table: no
   quotient, no growth, no filter.

       nvcc -O3 -arch=sm_90 -o flat_keys bench/tables/flat_keys.cu
       flat_keys [N [ROUNDS]]

   Prints a line for each round, widths in turn: words, keys, G operations/s, new keys (must be N). */
#include <cstdio>
#include <cstdlib>

enum { TIMES = 4, LOAD = 80, LANES = 8, LINE = 128, THREADS = 256 };

struct alignas(16) two {
  unsigned long long w[2];
};
struct alignas(8) one {
  unsigned long long w[1];
};

static __host__ __device__ unsigned long long mix(unsigned long long x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Key i: its first word is never 0, which marks an empty slot. */
static __device__ void make(unsigned long long i, two &key) { key = {{mix(i + 1), mix(~i)}}; }
static __device__ void make(unsigned long long i, one &key) { key = {{mix(i + 1)}}; }
static __device__ unsigned long long hash(const two &key) { return mix(key.w[0] + mix(key.w[1])); }
static __device__ unsigned long long hash(const one &key) { return mix(key.w[0]); }
static __device__ bool same(const two &a, const two &b) { return a.w[0] == b.w[0] && a.w[1] == b.w[1]; }
static __device__ bool same(const one &a, const one &b) { return a.w[0] == b.w[0]; }

static __device__ two load(const two *slot) {
  const longlong2 value = __ldcg(reinterpret_cast<const longlong2 *>(slot));
  return {{static_cast<unsigned long long>(value.x), static_cast<unsigned long long>(value.y)}};
}
static __device__ one load(const one *slot) { return {{__ldcg(&slot->w[0])}}; }
static __device__ two swap(two *slot, const two &key) { return atomicCAS(slot, two{{0, 0}}, key); }
static __device__ one swap(one *slot, const one &key) { return {{atomicCAS(&slot->w[0], 0ull, key.w[0])}}; }

/* Collective of a group of lanes; true in all of them if the key is new. */
template <typename K> static __device__ bool find_or_put(K *slots, unsigned long long buckets, const K &key) {
  const unsigned lane = threadIdx.x % LANES, first = threadIdx.x % 32 / LANES * LANES;
  const unsigned group = ((1u << LANES) - 1) << first, per_lane = LINE / LANES / sizeof(K);
  unsigned long long bucket = __umul64hi(hash(key), buckets);
  for (;;) {
    K *const line = slots + bucket * LINE / sizeof(K) + lane * per_lane;
    bool found = false;
    int empty = -1;
    for (unsigned i = 0; i < per_lane; i++) {
      const K held = load(&line[i]);
      found = found || same(held, key);
      empty = held.w[0] == 0 && empty < 0 ? static_cast<int>(i) : empty;
    }
    if (__ballot_sync(group, found))
      return false;
    const unsigned open = __ballot_sync(group, empty >= 0);
    if (!open) {
      bucket = bucket + 1 == buckets ? 0 : bucket + 1;
      continue;
    }
    int put = 0; /* 1: put by this lane; 2: another group put the same key */
    if (lane == __ffs(open) - 1 - first) {
      const K before = swap(&line[empty], key);
      put = before.w[0] == 0 ? 1 : same(before, key) ? 2 : 0;
    }
    put = __shfl_sync(group, put, __ffs(open) - 1);
    if (put)
      return put == 1;
  }
}

template <typename K>
static __global__ void ask(K *slots, unsigned long long buckets, unsigned long long n, unsigned long long *added) {
  const unsigned long long groups = static_cast<unsigned long long>(gridDim.x) * THREADS / LANES;
  unsigned long long count = 0;
  for (unsigned long long i = (static_cast<unsigned long long>(blockIdx.x) * THREADS + threadIdx.x) / LANES;
       i < n * TIMES; i += groups) {
    K key;
    make(i < n ? i : mix(i) % n, key); /* each key at least once */
    count += find_or_put(slots, buckets, key);
  }
  if (threadIdx.x % LANES == 0 && count)
    atomicAdd(added, count);
}

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    fprintf(stderr, "flat_keys: %s\n", cudaGetErrorString(error));
    exit(2);
  }
}

template <typename K> static void run(unsigned long long n, int processors) {
  const unsigned long long buckets = n * 100 / LOAD * sizeof(K) / LINE + 1;
  K *slots;
  unsigned long long *added, got;
  cudaEvent_t begin, end;
  float milliseconds;
  check(cudaMalloc(&slots, buckets * LINE));
  check(cudaMalloc(&added, sizeof *added));
  check(cudaMemset(slots, 0, buckets * LINE));
  check(cudaMemset(added, 0, sizeof *added));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  ask<K><<<processors * 8, THREADS>>>(slots, buckets, n, added);
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  check(cudaMemcpy(&got, added, sizeof got, cudaMemcpyDeviceToHost));
  printf("%zu words, %llu keys, %.2f G/s, %llu new, %.2f bytes a key\n", sizeof(K) / 8, n,
         n * TIMES / milliseconds / 1e6, got, static_cast<double>(buckets) * LINE / n);
  check(cudaFree(slots));
  check(cudaFree(added));
  if (got != n)
    exit(1);
}

int main(int argc, char **argv) {
  const unsigned long long n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 400000000;
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  printf("%s, %d multiprocessors\n", device.name, device.multiProcessorCount);
  for (int round = 0; round < rounds; round++) {
    run<one>(n, device.multiProcessorCount);
    run<two>(n, device.multiProcessorCount);
  }
}
