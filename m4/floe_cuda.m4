# AX_FLOE_CUDA: --with-cuda=auto|yes|no|PATH. Is floe to open CUDA's libraries at run time? Yes where there is a toolkit,
# whose headers a test compares with what floe declares by itself, and which says where else to look for NVRTC.
# auto: used where found, said where not; yes or PATH: an error where not found; no: left out.
AC_DEFUN([AX_FLOE_CUDA], [
  AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=auto|yes|no|PATH], [CUDA Toolkit, for its headers (auto)])],
    [], [with_cuda=auto])
  CUDA_CPPFLAGS=
  have_cuda=no
  floe_cuda_home=
  AS_CASE([$with_cuda],
    [no], [floe_cuda_places=],
    [auto|yes], [floe_cuda_places="$CUDA_HOME $CUDA_PATH /usr/local/cuda /usr/lib/cuda /usr"],
    [floe_cuda_places=$with_cuda])
  for floe_place in $floe_cuda_places; do
    AS_IF([test $have_cuda = no && test -f "$floe_place/include/nvrtc.h" && test -f "$floe_place/include/cuda.h"],
      [have_cuda=yes
       floe_cuda_home=$floe_place
       CUDA_CPPFLAGS="-isystem $floe_place/include"])
  done
  AS_IF([test $have_cuda = yes], [floe_cuda_summary="headers in $floe_cuda_home/include"],
    [test "$with_cuda" = no], [floe_cuda_summary="left out (--with-cuda=no): CPU only"],
    [test "$with_cuda" = auto],
      [AC_MSG_WARN([no CUDA Toolkit found: floe is built for the CPU only])
       floe_cuda_summary="not found: CPU only"],
    [AC_MSG_ERROR([no CUDA Toolkit (cuda.h and nvrtc.h) in: $floe_cuda_places])])
  AC_DEFINE_UNQUOTED([FLOE_CUDA_HOME], ["$floe_cuda_home"], [where configure found the CUDA Toolkit; "": nowhere])
  AC_SUBST([CUDA_CPPFLAGS])
  AM_CONDITIONAL([HAVE_CUDA], [test $have_cuda = yes])
])
