# AX_FLOE_SANITIZERS: --enable-asan (address and undefined behaviour) and --enable-tsan (data races).
AC_DEFUN([AX_FLOE_SANITIZERS], [
  AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan], [build with AddressSanitizer and UBSan])])
  AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan], [build with ThreadSanitizer])])
  SANITIZER_CFLAGS=
  floe_sanitizers=none
  AS_IF([test "$enable_asan" = yes],
    [SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
     floe_sanitizers="address, undefined"])
  AS_IF([test "$enable_tsan" = yes],
    [AS_IF([test "$enable_asan" = yes], [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])
     SANITIZER_CFLAGS="-fsanitize=thread"
     floe_sanitizers=thread])
  AC_SUBST([SANITIZER_CFLAGS])
  AM_CONDITIONAL([SANITIZED], [test "$floe_sanitizers" != none])
])
