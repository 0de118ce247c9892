# AX_FLOE_PYTHON: test_path, what precedes PATH in tests: the folder of the interpreter behind `python3`, with a colon, if
# `python3` is elsewhere. The scripts of version managers (pyenv) take many times as long to start as the interpreter, and
# tests start it often.
AC_DEFUN([AX_FLOE_PYTHON], [
  AC_MSG_CHECKING([for the folder of python3])
  test_path=
  floe_python=`python3 -c 'import sys; print(sys.executable)' 2>/dev/null`
  AS_IF([test -x "$floe_python" && test "`AS_DIRNAME(["$floe_python"])`" != "`AS_DIRNAME(["$(command -v python3)"])`"],
    [test_path=`AS_DIRNAME(["$floe_python"])`:])
  AC_MSG_RESULT([${test_path:-that of PATH}])
  AC_SUBST([test_path])
])
