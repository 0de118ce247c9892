# AX_FLOE_MPI: --with-mpi=auto|no|MPICC. The compiler of an MPI library builds the module by which several processes explore
# one model (src/mpi/module.c). auto: mpicc, where it is found and works; MPICC: an error where it does not.
AC_DEFUN([AX_FLOE_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=auto|no|MPICC], [compiler for MPI programs (auto: mpicc)])],
    [], [with_mpi=auto])
  have_mpi=no
  AS_CASE([$with_mpi], [no], [MPICC=], [auto|yes], [MPICC=mpicc], [MPICC=$with_mpi])
  AS_IF([test -n "$MPICC"], [
    AC_MSG_CHECKING([whether $MPICC works])
    printf '%s\n' '#include <mpi.h>' '#if MPI_VERSION < 3' '#error "no MPI_Ibarrier"' '#endif' \
      'int floe(void) { return MPI_Init_thread(0, 0, MPI_THREAD_SERIALIZED, 0); }' > conftest.c
    AS_IF([$MPICC -fPIC -shared -o conftest.so conftest.c >&AS_MESSAGE_LOG_FD 2>&1], [have_mpi=yes])
    rm -f conftest.c conftest.so
    AC_MSG_RESULT([$have_mpi])
  ])
  AS_IF([test $have_mpi = yes], [floe_mpi_summary="with $MPICC"],
    [test "$with_mpi" = no], [floe_mpi_summary="left out (--with-mpi=no)"],
    [test "$with_mpi" = auto], [floe_mpi_summary="left out: no mpicc that works"],
    [AC_MSG_ERROR([no compiler for MPI programs (MPI 3 or later) that works: $MPICC])])
  AC_SUBST([MPICC])
  AM_CONDITIONAL([HAVE_MPI], [test $have_mpi = yes])
])
