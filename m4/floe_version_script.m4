# AX_FLOE_VERSION_SCRIPT: the conditional HAVE_VERSION_SCRIPT where the linker takes one (GNU ld, gold, lld). Without it the
# library exports the same symbols, by their visibility, and without versions.
AC_DEFUN([AX_FLOE_VERSION_SCRIPT], [
  AC_CACHE_CHECK([whether the linker takes version scripts], [floe_cv_version_script], [
    floe_saved_ldflags=$LDFLAGS
    LDFLAGS="$LDFLAGS -shared -Wl,--version-script=conftest.map"
    echo 'V_1 { global: f; local: *; };' > conftest.map
    AC_LINK_IFELSE([AC_LANG_SOURCE([int f(void); int f(void) { return 0; }])],
                   [floe_cv_version_script=yes], [floe_cv_version_script=no])
    LDFLAGS=$floe_saved_ldflags
    rm -f conftest.map
  ])
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test "$floe_cv_version_script" = yes])
])
