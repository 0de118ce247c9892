/* Radix sort of keys on a GPU: CUB's, built with nvcc if configure found it, as a separate module that gpu/table/sort.c
   loads. It works in the context that is current in the calling thread. */
#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

/* In the stream (a CUstream): sorts the n keys by their lowest `bits` bits. `alternate` has room for as many. With
   temporary NULL: only sets *temporary_bytes to the bytes needed there. Returns an error number of CUDA's, 0 for none.
   The parameters are the module's binary interface: an installed module may be older than its caller. */
extern "C" __attribute__((visibility("default"))) int floe_device_sort(uint64_t *keys, uint64_t *alternate, uint64_t n,
                                                                       unsigned bits, void *temporary,
                                                                       size_t *temporary_bytes, void *stream) {
  cub::DoubleBuffer<uint64_t> buffer(keys, alternate);
  cudaStream_t in = static_cast<cudaStream_t>(stream);
  cudaError_t error =
      cub::DeviceRadixSort::SortKeys(temporary, *temporary_bytes, buffer, n, 0, static_cast<int>(bits), in);
  if (error == cudaSuccess && temporary && buffer.Current() != keys)
    error = cudaMemcpyAsync(keys, alternate, n * sizeof *keys, cudaMemcpyDeviceToDevice, in);
  return static_cast<int>(error);
}
