/* Compares floe's own declarations of CUDA's driver and NVRTC (gpu/driver/cuda.def, gpu/jit/nvrtc.def) with the
   toolkit's headers: values here, functions by the compiler. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>

#define SAME_TYPE(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #a " is not " #b)

#define CUDA_FUNCTION(member, name, parameters) SAME_TYPE(__typeof__(&(name)), CUresult(*) parameters);
#include "gpu/driver/cuda.def"
#define NVRTC_FUNCTION(result, name, parameters) SAME_TYPE(__typeof__(&(name)), result(*) parameters);
#include "gpu/jit/nvrtc.def"

/* gpu/driver/cuda.h uses int for enumerations. */
_Static_assert(sizeof(CUresult) == sizeof(int) && sizeof(CUdevice_attribute) == sizeof(int) &&
                   sizeof(CUdevice_P2PAttribute) == sizeof(int) && sizeof(CUfunction_attribute) == sizeof(int) &&
                   sizeof(nvrtcResult) == sizeof(int),
               "an enumeration is no int");
SAME_TYPE(CUdevice, int);
SAME_TYPE(CUdeviceptr, unsigned long long);

static const struct {
  const char *name;
  long long header, ours;
} values[] = {
#define CUDA_VALUE(name, value) {#name, (long long)(name), value},
#include "gpu/driver/cuda.def"
    {"NVRTC_SUCCESS", NVRTC_SUCCESS, 0},
};

int main(void) {
  enum { COUNT = sizeof values / sizeof *values };
  int failed = 0;
  for (int i = 0; i < COUNT; i++)
    if (values[i].header != values[i].ours) {
      printf("%s is %lld, not %lld\n", values[i].name, values[i].header, values[i].ours);
      failed++;
    }
  printf("%d passed, %d failed\n", COUNT - failed, failed);
  return failed > 0;
}
