# AX_FLOE_WARNINGS: sets WARNING_CFLAGS to the warnings that the compiler knows; --enable-werror makes them errors.
AC_DEFUN([AX_FLOE_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])])
  WARNING_CFLAGS=
  floe_saved_cflags=$CFLAGS
  for floe_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings; do
    CFLAGS="$floe_saved_cflags -Werror $floe_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [WARNING_CFLAGS="$WARNING_CFLAGS $floe_flag"])
  done
  CFLAGS=$floe_saved_cflags
  AS_IF([test "$enable_werror" = yes], [WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
  AC_SUBST([WARNING_CFLAGS])
])
