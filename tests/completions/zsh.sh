#!/bin/sh
# zsh completion, in a shell on a pseudo terminal: a command, an option, a value.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v zsh >/dev/null || skip 'no zsh'
zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip 'this zsh has no zpty'
cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty -b shell zsh -f -i
answer() { local line all=; while zpty -r -m shell line "$1" 2>/dev/null; do all+=$line; [[ $all == *$2* ]] && break; done; print -r -- $all; }
zpty -w shell "PS1=; PATH=$2:\$PATH; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; print rea'dy'"
answer '*ready*' ready >/dev/null
for text in $argv[3,-1]; do
  zpty -n -w shell "$text"$'\t'
  sleep 0.5
  zpty -n -w shell $'\C-a: \C-e\n'
  zpty -w shell "print do''ne"
  answer '*done*' done
done
zpty -d shell
END
timeout 180 zsh -f ask.zsh "$here/completions/zsh" "$(dirname "$floe")" 'floe chec' 'floe check --why-n' 'floe check --engine=interp' 'floe check --comp' "floe check $here/models/peterson.xml -D LEV" "floe check $here/models/peterson.xml -p mut" 'floe bench ws-cross' >found 2>why </dev/null || skip "zsh does not answer: $(cat why)"
tr -d '\r\033\007' <found >plain
for text in 'check' '--why-never' '--engine=interpreter' '--compiler=' 'LEVELS=' 'ws-crossover'; do
  grep -qF -- "$text" plain || fail "zsh does not complete to $text: $(cat plain)"
done
finish
