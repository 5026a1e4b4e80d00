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
  options() { "$DPERM" help ledger $1 | grep -oe '^  --[a-z-]*' | tr -d '\n'; }
  [ "$(options init)" = "  --dataset  --epsilon  --delta  --rows-per-person  --neighbours  --composition  --order  --json" ]
  [ "$(options show)" = "  --dataset  --model  --json" ]
  [ "$(options verify)" = "  --head  --json" ]
  for word in frobnicate 'init|show' FILE; do
    fails 2 "ledger has no action called \"$word\"" "$DPERM" help ledger $word
  done
  fails 2 "train has no action called" "$DPERM" help train FILE
  fails 2 "one word too many" "$DPERM" help ledger init more
}

@test "manual pages are clean and name every option" {
  "$DPERM" help --man > dperm.1
  for name in $(names); do
    "$DPERM" help --man $name > dperm-$name.1
    grep -q "^.TH \"DPERM.-${name^^}\" 1 " dperm-$name.1
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--') --quiet --help; do
      grep -qF "\\fB${option//-/\\-}\\fR" dperm-$name.1 || { echo "$name: $option"; return 1; }
    done
    grep -qF "\\fBdperm\\-$name\\fR(1)" dperm.1
  done
  for page in *.1; do
    groff -ww -man -Tutf8 -z $page 2> complaints
    [ ! -s complaints ] || { echo "$page"; cat complaints; return 1; }
    MANWIDTH=80 man --warnings -l $page > text 2> complaints
    [ ! -s complaints ] || { echo "$page"; cat complaints; return 1; }
    [ "$(wc -l < text)" -gt 20 ]
    ! LC_ALL=C grep -n '[^ -~]' $page || return 1
    "$DPERM" help --man $(sed -nE 's/^dperm-(.*)\.1/\1/p' <<< $page) | cmp - $page # the same every time
  done
}

# Every option of every table, of the command's own page and of its action's.
complete_everywhere() { # what takes the words of a call, the last at the cursor, and prints candidates
  for name in $(names); do
    for action in $("$DPERM" help --table $name | cut -d' ' -f2 | sort -u); do
      "$@" $name ${action/-/x} -- > answer # - for none
      { "$DPERM" help --table $name | awk -v action="$action" '$2 == action && $3 ~ /^--/ {print $3}'
        echo "--quiet"; echo "--help"; } | sort > wanted
      cut -f1 answer | sort | diff wanted - || { echo "$name $action"; return 1; }
    done
  done
}

@test "candidates for completion" {
  ask() { "$DPERM" __complete "$@"; }
  complete_everywhere ask
  [ "$(ask tr)" = "$(ask)" ] # the shell chooses
  ask "" | grep -qx "train"$'\t'"fit one model to a file of records"
  ask "" | grep -qx "completion"$'\t'".*"
  [ "$(ask - | cut -f1 | tr '\n' ' ')" = "--help --version " ]
  [ "$(ask help "" | cut -f1)" = "$(names)" ]
  [ "$(ask train --epsilon "")" = "" ]
  [ "$(ask train --json "")" = "" ] # a flag takes no value
  [ "$(ask train "")" = "" ]
  [ "$(ask train --lambda "")" = auto ]
  [ "$(ask train --data "")" = FILE ]
  [ "$(ask train --ledger "" | sort)" = "FILE"$'\n'"none" ]
  [ "$(ask train --ledger=n | sort)" = "--ledger=none"$'\n'"FILE" ]
  [ "$(ask train --format=)" = "$(printf -- '--format=%s\n' csv svmlight encoded)" ]
  [ "$(ask ledger show "")" = FILE ]
  [ "$(ask schema draft "")" = "" ]
  [ "$(ask schema import "")" = FILE ]
  [ "$(ask nothing "")" = "" ]
  [ "$(ask ledger show -- | cut -f2 | grep -c .)" -eq "$(ask ledger show -- | wc -l)" ] # a text each
  [ "$("$DPERM" help | grep -c __complete)" -eq 0 ]
}

@test "completion in bash" {
  "$DPERM" completion bash > script
  cat > ask <<'B'
source ./script
compopt() { echo "$@"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_dperm
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
B
  ask() { bash ask "$DPERM" "$@"; }
  complete_everywhere ask
  answers() { [ "$(ask "${@:2}" | tr '\n' ' ')" = "${1:+$1 }" ] || { ask "${@:2}"; return 1; }; }
  answers train tr
  answers --format train --form
  answers "csv svmlight encoded" train --format ""
  answers svmlight train --format = sv
  answers "csv svmlight encoded" train --format =
  answers "" train --epsilon ""
  answers "init show verify" ledger ""
  answers "check draft import" schema ""
  answers --label schema draft --la
  answers "auto frictionless csvw" schema import --format ""
  answers "" schema check --la
  answers verify help ver
  answers fish completion f
  answers "-o default" train --data ""
  answers "-o default" train --data = peo
  answers "-o default none" train --ledger n
  bash -c 'source ./script; complete -p dperm' | grep -qx 'complete -F _dperm dperm'
  mkdir bin && ln -s "$DPERM" bin/dperm # by a name that only the shell can read
  [ "$(HOME=$PWD bash ask '~/bin/dperm' tr)" = train ]
  [ "$(PATH="$PWD/bin:$PATH" bash ask '"$HOME"/dperm' tr)" = train ]
}

@test "completion in zsh" {
  command -v zsh > /dev/null || skip "no zsh here"
  "$DPERM" completion zsh > _dperm
  zsh -n _dperm
  zsh -fc 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; [[ $_comps[dperm] == _dperm ]]'
  zsh -fc 'autoload -U compinit; compinit -u -D; source ./_dperm; [[ $_comps[dperm] == _dperm ]]'
  cat > ask <<'Z'
compdef() { }
compset() { PREFIX=${PREFIX/#--*=/}; }
_describe() { print -l -- ${${(P)2}/:/$'\t'}; }
_files() { print -r -- "files $PREFIX"; }
source ./_dperm
words=("$@") CURRENT=$# PREFIX=$@[-1]
_dperm
Z
  ask() { zsh -f ask "$DPERM" "$@"; }
  complete_everywhere ask
  ask "" | grep -qx "train"$'\t'"fit one model to a file of records"
  [ "$(ask train --format "" | tr '\n' ' ')" = "csv svmlight encoded " ]
  [ "$(ask train --format=c | tr '\n' ' ')" = "--format=csv --format=svmlight --format=encoded " ]
  [ "$(ask train --data peo)" = "files peo" ]
  [ "$(ask train --data=peo)" = "files peo" ]
  [ "$(ask train --ledger "" | tr '\n' ' ')" = "none files  " ]
  [ "$(ask train --epsilon "")" = "" ]
  [ "$(ask schema "" | cut -f1 | tr '\n' ' ')" = "check draft import " ]
  mkdir bin && ln -s "$DPERM" bin/dperm
  HOME=$PWD zsh -f ask '~/bin/dperm' "" | grep -q "^train"$'\t'
  PATH="$PWD/bin:$PATH" zsh -f ask '$HOME/dperm' "" | grep -q "^train"$'\t'
}

@test "completion in fish" {
  command -v fish > /dev/null || skip "no fish here"
  export HOME=$PWD
  "$DPERM" completion fish > script
  mkdir bin && ln -s "$DPERM" bin/dperm
  ask() { PATH="$PWD/bin:$PATH" fish --no-config -c "source script; complete -C 'dperm $*'"; }
  complete_everywhere ask
  answers() { [ "$(ask "$2" | cut -f1 | sort | tr '\n' ' ')" = "${1:+$1 }" ] || { ask "$2"; return 1; }; }
  ask "tr" | grep -qx "train"$'\t'"fit one model to a file of records"
  answers train "tr"
  answers --format "train --form"
  answers "csv encoded svmlight" "train --format "
  answers --format=svmlight "train --format=sv"
  answers "init show verify" "ledger "
  answers "check draft import" "schema "
  answers --label "schema draft --la"
  answers "" "train --epsilon "
  [[ "$(ask "train --data ")" == *"people.csv"* ]]
  [[ "$(ask "train --data=peo")" == *"people.csv"* ]]
  [ "$(fish --no-config -c "source script; complete -C '~/bin/dperm tr'" 2>&1 | cut -f1)" = train ]
  [ -z "$(PATH=/usr/bin:/bin fish --no-config -c "source script; complete -C '~nobody/dperm tr'" 2>&1)" ]
}

@test "completion for no shell, or for another" {
  fails 2 "name a shell" "$DPERM" completion
  fails 2 "bash, zsh and fish" "$DPERM" completion csh
  fails 2 "one word too many" "$DPERM" completion bash zsh
}

@test "pages, scripts and docs are installed, and are those of the command" {
  case "$DPERM_BUILD" in *asan*) skip "sanitizers do not install" ;; esac
  cmake --install "$DPERM_BUILD" --prefix "$PWD/root" > /dev/null
  cmp root/share/bash-completion/completions/dperm <("$DPERM" completion bash)
  cmp root/share/zsh/site-functions/_dperm <("$DPERM" completion zsh)
  cmp root/share/fish/vendor_completions.d/dperm.fish <("$DPERM" completion fish)
  for name in $(names); do
    cmp root/share/man/man1/dperm-$name.1 <("$DPERM" help --man $name)
  done
  man -M root/share/man -w dperm > /dev/null
  cmp root/share/doc/dperm/docs/guide.md "$DPERM_SOURCE/docs/guide.md"
}
