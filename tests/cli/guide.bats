# What the command says about itself: help of 80 columns, manual pages without a complaint, completion in
# three shells, all of it installed; every option of every table is in all of them.
load helpers

names() { "$DPERM" help --table | cut -d' ' -f1 | uniq; }

@test "help fits into 80 columns and names every option" {
  [ "$(names | wc -l)" -eq "$(grep -c '^    {"[a-z]*", "' "$DPERM_SOURCE/cli/main.c")" ]
  "$DPERM" help > all
  for name in $(names); do
    "$DPERM" help $name >> all
    "$DPERM" help $name > page
    for action in $("$DPERM" help --table $name | cut -d' ' -f2 | uniq | grep -v '^-'); do
      "$DPERM" help $name $action >> page
    done
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--') --quiet --help; do
      grep -qe "  $option\|, $option" page || { echo "$name: $option is not in its help"; return 1; }
    done
    "$DPERM" $name -h | cmp - <("$DPERM" help $name)
  done
  ! awk 'length > 80' all | grep . || { echo "too wide"; return 1; }
  ! LC_ALL=C grep -n '[^ -~]' all || return 1 # bytes are columns
}

@test "every action has help of its own, without the options of others" {
  for action in schema\ {check,draft,import} ledger\ {init,show,verify}; do
    "$DPERM" help $action > page
    grep -q "^usage: dperm $action " page
    "$DPERM" $action --help | cmp - page
    ! awk 'length > 80' page | grep . || { echo "too wide"; return 1; }
  done
  [ "$("$DPERM" help ledger verify | grep -oe '^  --[a-z-]*' | tr -d '\n')" = "  --head  --json" ]
  for word in frobnicate 'init|show' FILE; do
    fails 2 "ledger: no action is called \"$word\"; see 'dperm help ledger'" "$DPERM" help ledger $word
  done
  fails 2 "unexpected argument" "$DPERM" help ledger init more
}

page() { sh "$DPERM_SOURCE/cmake/manual.sh" "$DPERM" $1; }

@test "manual pages are clean and name every option" {
  page > dperm.1
  for name in $(names); do
    page $name > dperm-$name.1
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--') --quiet --help; do
      grep -qF -- "${option//-/\\-}" dperm-$name.1 || { echo "$name: $option"; return 1; }
    done
  done
  grep -q '^.TH "DPERM.-TRAIN" 1 ' dperm-train.1
  for page in *.1; do
    groff -ww -man -Tutf8 -z $page 2> complaints
    MANWIDTH=80 man --warnings -l $page > text 2>> complaints
    [ ! -s complaints ] || { echo "$page"; cat complaints; return 1; }
    grep -q '130 after Ctrl.-C' $page && grep -q 'dperm.-train(1)' $page
    ! awk 'length > 80' text | grep . || { echo "$page: too wide"; return 1; }
    ! LC_ALL=C grep -n '[^ -~]' $page || return 1
  done
}

# Every option of every table, of the command's own page and of its action's.
complete_everywhere() { # what takes the words of a call, the last at the cursor, and prints candidates
  for name in $(names); do
    for action in $("$DPERM" help --table $name | cut -d' ' -f2 | sort -u); do
      "$@" $name ${action/-/x} -- > answer # - for none
      { "$DPERM" help --table $name | awk -v action="$action" '$2 == action && $3 ~ /^--/ {print $3}'
        echo "--quiet"; echo "--help"; } | sort > wanted
      grep '^--' answer | sort | diff wanted - || { echo "$name $action"; return 1; }
    done
  done
}

# Asks a shell, by the function `ask`, for what may follow these words.
answers() { # the answer in one line, the words
  [ "$(ask "${@:2}" | sort | tr '\n' ' ')" = "${1:+$1 }" ] || { ask "${@:2}"; return 1; }
}

@test "candidates for completion" {
  ask() { "$DPERM" __complete "$@"; }
  complete_everywhere ask
  [ "$(ask tr)" = "$(ask)" ] # the shell chooses
  [ "$(ask "" | grep -v 'help\|version')" = "$(names)" ]
  [ "$(ask help "")" = "$(names)" ]
  answers "" train --epsilon ""
  answers auto train --lambda ""
  answers FILE train --data ""
  answers "FILE none" train --ledger ""
  answers "csv encoded svmlight" train --format ""
  answers "check draft import" schema ""
  answers "check draft import" help schema ""
  answers "" help train ""
  answers "--help --quiet bash fish zsh" completion ""
  [ "$(ask ledger show "" | grep -v '^--')" = FILE ]
  [ -z "$(ask schema draft "" | grep -v '^--')" ]
  answers "" nothing ""
  [ "$("$DPERM" help | grep -c __complete)" -eq 0 ]
}

@test "completion in bash, zsh and fish" {
  mkdir bin && ln -s "$DPERM" bin/dperm
  export PATH="$PWD/bin:$PATH" HOME=$PWD
  for shell in bash zsh fish; do "$DPERM" completion $shell > script.$shell; done
  cat > ask.bash <<'B'
source ./script.bash
compopt() { echo FILE; }
COMP_WORDS=(dperm "$@") COMP_CWORD=$# COMPREPLY=()
_dperm
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
B
  cat > ask.zsh <<'Z'
compdef() { }
compadd() { shift; print -l -- ${(M)@:#$words[-1]*}; }
_files() { print FILE; }
source ./script.zsh
words=(dperm "$@") CURRENT=$#words
_dperm | grep .
Z
  for shell in bash zsh fish; do
    command -v $shell > /dev/null || continue
    ask() { case $shell in bash) bash ask.bash "$@" ;; zsh) zsh -f ask.zsh "$@" ;; *) fish --no-config -c "source script.fish; complete -C 'dperm $*'" | cut -f1 ;; esac; }
    complete_everywhere ask
    answers train tr
    answers --format train --form
    answers "csv encoded svmlight" train --format ""
    answers "" train --epsilon ""
    answers "init show verify" ledger ""
    answers --label schema draft --la
    answers verify help ver
    answers fish completion f
    [[ "$(ask train --data "")" =~ FILE|people.csv ]]
  done
  bash -c 'source ./script.bash; complete -p dperm' | grep -qx 'complete -F _dperm dperm'
  ! command -v zsh > /dev/null || {
    cp script.zsh _dperm
    zsh -fc 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; [[ $_comps[dperm] == _dperm ]]'
    zsh -fc 'autoload -U compinit; compinit -u -D; source ./_dperm; [[ $_comps[dperm] == _dperm ]]'
  }
  fails 2 "bash|zsh|fish is missing" "$DPERM" completion
  fails 2 "must be bash, zsh or fish" "$DPERM" completion csh
  fails 2 "unexpected argument" "$DPERM" completion bash zsh
}

@test "pages, scripts and docs are installed, and are those of the command" {
  case "$DPERM_BUILD" in *asan*) skip "sanitizers do not install" ;; esac
  cmake --install "$DPERM_BUILD" --prefix "$PWD/root" > /dev/null
  cmp root/share/bash-completion/completions/dperm <("$DPERM" completion bash)
  cmp root/share/zsh/site-functions/_dperm <("$DPERM" completion zsh)
  cmp root/share/fish/vendor_completions.d/dperm.fish <("$DPERM" completion fish)
  for name in $(names); do
    cmp root/share/man/man1/dperm-$name.1 <(page $name)
  done
  man -M root/share/man -w dperm > /dev/null
  cmp root/share/doc/dperm/docs/guide.md "$DPERM_SOURCE/docs/guide.md"
}
