# AX_FLOE_MPI: --with-mpi=auto|yes|no|MPICC. mpicc builds the one module that knows MPI (src/mpi/module.c); without it
# floe explores in one process.
AC_DEFUN([AX_FLOE_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=auto|yes|no|MPICC], [compiler for several processes by MPI (auto)])],
    [], [with_mpi=auto])
  MPICC=
  AS_CASE([$with_mpi],
    [no], [floe_mpi_places=],
    [auto|yes], [floe_mpi_places=`command -v mpicc`],
    [floe_mpi_places=$with_mpi])
  for floe_place in $floe_mpi_places; do
    AS_IF([test -z "$MPICC" && echo '#include <mpi.h>' | $floe_place -fsyntax-only -x c - >/dev/null 2>&1],
      [MPICC=$floe_place])
  done
  AS_IF([test -n "$MPICC"], [floe_mpi_summary=$MPICC],
    [test "$with_mpi" = no], [floe_mpi_summary="left out (--with-mpi=no): one process"],
    [test "$with_mpi" = auto], [floe_mpi_summary="none: mpicc not found, one process"],
    [AC_MSG_ERROR([no mpicc that compiles: $floe_mpi_places])])
  AC_SUBST([MPICC])
  AM_CONDITIONAL([HAVE_MPI], [test -n "$MPICC"])
])
