# AX_FLOE_SORT: --with-nvcc=auto|yes|no|PATH, after AX_FLOE_CUDA. nvcc builds the one module that takes CUDA's C++
# library (gpu/table/sort.cu); without it keys are not sorted on GPUs.
AC_DEFUN([AX_FLOE_SORT], [
  AC_ARG_WITH([nvcc], [AS_HELP_STRING([--with-nvcc=auto|yes|no|PATH], [compiler for sorting on GPUs (auto)])],
    [], [with_nvcc=auto])
  AC_ARG_VAR([NVCCFLAGS], [flags for nvcc: which GPUs the module is built for])
  have_nvcc=no
  AS_CASE([$with_nvcc],
    [no], [floe_nvcc_places=],
    [auto|yes], [floe_nvcc_places="$floe_cuda_home/bin/nvcc `command -v nvcc`"],
    [floe_nvcc_places=$with_nvcc])
  AS_IF([test "$have_cuda" = no], [floe_nvcc_places=])
  AS_IF([test -z "$NVCCFLAGS"],
    [NVCCFLAGS="-O2 -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=@<:@sm_90,compute_90@:>@"])
  for floe_place in $floe_nvcc_places; do
    AS_IF([test $have_nvcc = no && test -x "$floe_place"], [
      AC_MSG_CHECKING([whether $floe_place works])
      printf '#include <cub/version.cuh>\n__global__ void kernel() {}\n' > conftest.cu
      AS_IF([$floe_place $NVCCFLAGS -c -o conftest.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
        [have_nvcc=yes
         NVCC=$floe_place])
      rm -f conftest.cu conftest.o
      AC_MSG_RESULT([$have_nvcc])
    ])
  done
  AS_IF([test $have_nvcc = yes], [floe_sort_summary="with $NVCC"],
    [test "$with_nvcc" = no], [floe_sort_summary="left out (--with-nvcc=no)"],
    [test "$with_nvcc$have_cuda" = autono], [floe_sort_summary="left out: no CUDA Toolkit"],
    [test "$with_nvcc" = auto], [floe_sort_summary="left out: no nvcc that works"],
    [AC_MSG_ERROR([no working nvcc: $floe_nvcc_places])])
  AC_SUBST([NVCC])
  AC_SUBST([NVCCFLAGS])
  AM_CONDITIONAL([HAVE_NVCC], [test $have_nvcc = yes])
])
