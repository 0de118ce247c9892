# AX_FLOE_EDITING: --with-readline=auto|libedit|readline|no, after dlopen was found. Which library edits the lines that floe
# simulate asks for: it is opened at run time, so that nothing of it is needed here but its names. auto: libedit. readline
# only where it is asked for, as its licence is the GPL. What is asked for by name must be on this machine.
AC_DEFUN([AX_FLOE_EDITING], [
  AC_ARG_WITH([readline], [AS_HELP_STRING([--with-readline=auto|libedit|readline|no], [line editing in dialogues (auto: libedit)])],
    [], [with_readline=auto])
  AS_CASE([$with_readline],
    [auto|yes|libedit], [floe_editors="libedit.so.2 libedit.so.0"],
    [readline], [floe_editors="libreadline.so.8 libreadline.so.7 libreadline.so.6"],
    [no], [floe_editors=],
    [AC_MSG_ERROR([--with-readline wants auto, libedit, readline or no, not $with_readline])])
  floe_editor=
  AS_IF([test "$cross_compiling" != yes], [
    for floe_library in $floe_editors; do
      AS_IF([test -z "$floe_editor"], [
        AC_MSG_CHECKING([for $floe_library])
        AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <dlfcn.h>]], [[
          void *library = dlopen("$floe_library", RTLD_NOW);
          return !library || !dlsym(library, "rl_completion_matches");]])],
          [floe_editor=$floe_library
           AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
      ])
    done
  ])
  AS_IF([test -n "$floe_editor"], [floe_editing_summary="$floe_editor, opened at run time"],
    [test -z "$floe_editors"], [floe_editing_summary="left out (--with-readline=no)"],
    [test "$with_readline" = auto || test "$cross_compiling" = yes],
      [floe_editing_summary="where one of these is found at run time: $floe_editors"],
    [AC_MSG_ERROR([none of these is found: $floe_editors])])
  AC_DEFINE_UNQUOTED([FLOE_LINE_EDITORS], ["$floe_editors"],
    [libraries that edit lines, with blanks between; the first that is found is opened; "": none])
])
