#!/bin/sh
# No output replaces an input or another output, and unwritable outputs are reported before the run: exit code 3, files
# unchanged. For every option that names a file.
. "${top_srcdir:-.}/tests/cmd/common.sh"
definitions=$here/src/cmd/console/options.def

# ---- every option that names a file declares its use
sed -n 's/^OPTION(\([a-z_]*\), \([A-Z_]*\), [^,]*, "\([a-z-]*\)", "\(FILE\|FOLDER\)", .*/\3 \4 \2/p' "$definitions" >named
[ "$(wc -l <named)" -ge 9 ] || fail "only these options name files: $(cat named)"
grep -vE '^(cache-dir FOLDER TEXT|[a-z-]* FILE (READS|WRITES|WRITES_OPTIONAL|WRITES_REGULAR)|[a-z-]* FOLDER WRITES_FOLDER)$' named >undeclared
[ ! -s undeclared ] || fail "options.def does not declare the use of these files: $(cat undeclared)"
sed -n 's/^\([a-z-]*\) FILE \(WRITES\|WRITES_OPTIONAL\|WRITES_REGULAR\)$/\1/p' named >written

cp "$models/ring.xml" model.xml
run 0 count -j1 model.xml --visited-order=model.ord --engine=interpreter
cp model.ord keys.ord

# refused TEXT ARGUMENT...: nothing runs, no file is changed or created
refused() {
  text=$1
  shift
  before=$(ls -A)
  run 3 "$@"
  says err "$text"
  silent out
  cmp -s model.xml "$models/ring.xml" || fail "floe $*: the model was changed"
  cmp -s model.ord keys.ord || fail "floe $*: the order file was changed"
  [ "$(ls -A)" = "$before" ] || fail "floe $* leaves $(ls -A)"
}

# takes COMMAND OPTION
takes() {
  grep -qF -e "--$2=" -e "--$2[=" help_$1
}

mkdir -p folder sealed
ln -s .. folder/up
ln model.xml hard.xml
ln -s model.xml soft.xml
ln -s model.ord soft.ord
touch err out there
commands='check count plan export order devices bench'
for command in $commands; do
  run 0 help $command
  cp out help_$command
done
long=$(printf '%0300d' 0)
tried=0
for command in $commands; do
  case $command in
    order) input=model.ord others=soft.ord ;;
    bench) input='' others='' ;;
    devices) input='' others='' ;;
    *) input=model.xml others='hard.xml soft.xml' ;;
  esac
  while read -r option; do
    takes $command "$option" || continue
    tried=$((tried + 1))
    # inputs, by any name
    for path in $input ${input:+./$input folder/up/$input} $others; do
      refused 'are the same file' $command --$option="$path" $input
    done
    # other outputs, existing or not, by any name
    name=new
    while read -r other; do
      if [ "$other" = "$option" ]; then
        name=there
      elif takes $command "$other"; then
        refused 'are the same file' $command --$option=$name --$other=folder/up/$name $input
      fi
    done <written
    # no name, no folder, a folder, a name too long, a file in the place of a folder
    refused 'cannot be written: No such file' $command --$option=nowhere/new $input
    refused 'cannot be written: Is a directory' $command --$option=folder $input
    refused 'cannot be written: File name too long' $command --$option="$long" $input
    refused 'cannot be written: Not a directory' $command --$option=model.xml/new $input
    refused "'' is not a valid value for --$option" $command --$option= $input
  done <written
done
[ $tried -ge 14 ] || fail "only $tried options were tried"
# inputs and plots of bench
refused '--keys and --csv are the same file' bench fig4 --keys=model.ord --csv=soft.ord
refused '--json and --keys are the same file' bench fig4 --json=./model.ord --keys=model.ord
refused '--json and --plot are the same file' bench fig1 --plot=folder --json=folder/fig1.svg
refused '--csv and --plot are the same file' bench --plot=folder --csv=folder/bench.gp

# ---- streams
"$floe" check - --json=soft.xml <model.xml >out 2>err
[ $? -eq 3 ] || fail "a model on standard input was replaced: $(cat err)"
says err 'MODEL and --json are the same file'
"$floe" plan model.xml >>model.xml 2>err
[ $? -eq 3 ] || fail 'a model gets its own plan'
"$floe" plan --json=log model.xml >log 2>err
[ $? -eq 3 ] || fail 'text and JSON in one file'
says err '--json and standard output are the same file'
"$floe" plan --json=/dev/stdout model.xml >log 2>err
[ $? -eq 3 ] || fail 'a link to standard output was replaced'
[ ! -e /dev/stdout ] || [ -L /dev/stdout ] || fail '/dev/stdout was replaced'
"$floe" plan --json=/dev/fd/3 model.xml 3>log >out 2>err
[ $? -eq 3 ] || fail "an open file has no name to take: $(cat err)"
cmp -s model.xml "$models/ring.xml" || fail 'the model was changed'
"$floe" plan model.xml >log 2>&1 || fail 'both streams may go to the same file'
"$floe" plan --json=/dev/null model.xml >/dev/null 2>&1 || fail 'devices are no files'
refused '--json and --trace both write to standard output' check --json --trace=- model.xml
refused 'cannot be written: it is not a regular file' count --visited-order=- model.xml
refused 'cannot be written: it is not a regular file' count --visited-order=/dev/null model.xml

# data of a closed stream is in no file
run 0 count -j1 "$here/models/peterson.xml" --visited-order=whole --engine=interpreter
libs=$(dirname "$floe")/.libs # libtool's script around the program occupies closed streams itself
[ -x "$libs/floe" ] && real=$libs/floe || real=$floe libs=${LD_LIBRARY_PATH:-}
for closed in '>&-' '2>&-' '<&- >&- 2>&-'; do
  rm -f again
  eval 'LD_LIBRARY_PATH=$libs "$real" count -j1 --engine=interpreter --progress=0.001 --visited-order=again "$here/models/peterson.xml"' ">out 2>err $closed"
  code=$?
  [ $code -eq "$([ "$closed" = '2>&-' ] && echo 0 || echo 5)" ] || fail "$closed: exit code $code"
  cmp again whole || fail "$closed: text in the order file"
done

# ---- rights: of the folder, of the file, of another user's file in a folder writable by all
as_another() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
refusals() { # refusals WITH...: runs floe so; -1 is for the interpreter alone
  for path in shut/new mine sticky/root; do
    "$@" "$floe" check --engine=interpreter --json=$path model.xml >out 2>err
    [ $? -eq 3 ] || fail "$path: $(cat err)"
    says err "$path cannot be written: "
    silent out
  done
  [ "$(cat mine)" = mine ] || fail 'a file that may not be written to was replaced'
}
mkdir -m 555 shut
echo mine >mine && chmod 444 mine
if [ "$(id -u)" -ne 0 ]; then
  mkdir sticky && touch sticky/root && chmod 444 sticky/root
  refusals env
elif command -v setpriv >/dev/null && chmod 755 "$work" && as_another "$floe" --version >out 2>&1; then
  mkdir -m 1777 sticky && chmod 1777 sticky
  echo root >sticky/root && chmod 666 sticky/root
  refusals as_another
  [ "$(cat sticky/root)" = root ] || fail "another user's file was replaced"
else
  echo 'floe cannot be run by another user here: rights are not tested'
fi

# names of maximal length
name=$(printf '%0250d' 0)
run 0 plan --json="$name" model.xml
[ -s "$name" ] || fail 'no file of a long name'
finish
