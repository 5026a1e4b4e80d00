# What the command says about itself: help of 80 columns, manual pages without a complaint, completion in
# three shells, all of it installed; every option of every table is in all of them.
load helpers

names() { "$DPERM" help --table | cut -d' ' -f1 | uniq; }

@test "version, by its letter too" {
  [ "$("$DPERM" -V)" = "$("$DPERM" --version)" ]
  run "$DPERM" -V more
  fails_with 2 "one word too many"
}

@test "help fits into 80 columns and names every option" {
  [ "$(names | wc -l)" -eq "$(grep -c '^    {"[a-z]*", "' "$DPERM_SOURCE/cli/main.c")" ]
  "$DPERM" help > all
  for name in $(names); do
    "$DPERM" help $name >> all
    "$DPERM" help $name > page
    "$DPERM" help schema draft > draft
    [ "$name" != schema ] || cat draft >> page
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--') --quiet --help; do
      grep -qe "  $option\|, $option" page || { echo "$name: $option is not in its help"; return 1; }
    done
    "$DPERM" $name -h | cmp - <("$DPERM" help $name)
  done
  ! awk 'length > 80' all | grep . || { echo "too wide"; return 1; }
  ! LC_ALL=C grep -n '[^ -~]' all || return 1 # bytes are columns
  run "$DPERM" help schema check
  fails_with 2 "one word too many"
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

@test "completion in bash" {
  "$DPERM" completion bash > script
  cat > ask <<'B'
source ./script
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_dperm
echo "${COMPREPLY[@]}"
B
  [ "$(bash ask dperm tr)" = train ]
  [ "$(bash ask dperm train --form)" = --format ]
  [ "$(bash ask dperm train --format "")" = "csv svmlight encoded" ]
  [ "$(bash ask dperm train --format = sv)" = svmlight ]
  [ "$(bash ask dperm train --epsilon "")" = "" ]
  [ "$(bash ask dperm ledger "")" = "init show verify" ]
  [ "$(bash ask dperm schema "")" = "check draft" ]
  [ "$(bash ask dperm schema draft --la)" = --label ]
  [ "$(bash ask dperm schema check --la)" = "" ]
  [ "$(bash ask dperm help ver)" = verify ]
  [ "$(bash ask dperm completion f)" = fish ]
  for name in $(names); do
    for option in $("$DPERM" help --table $name | awk '$2 !~ /draft/ {print $3}' | grep '^--') --quiet --help; do
      [[ " $(bash ask dperm $name x $option) " == *" $option "* ]] || { echo "$name: $option"; return 1; }
    done
  done
}

@test "completion in zsh" {
  command -v zsh > /dev/null || skip "no zsh here"
  "$DPERM" completion zsh > _dperm
  zsh -n _dperm
  zsh -fc 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; [[ $_comps[dperm] == _dperm ]]'
  zsh -fc 'autoload -U compinit; compinit -u -D; source ./_dperm; [[ $_comps[dperm] == _dperm ]]'
  for name in $(names); do
    sed -n "/^  $name)/,/^    ;;/p" _dperm > part
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--'); do
      grep -qe "'$option[=[]" part || { echo "$name: $option"; return 1; }
    done
  done
}

@test "completion in fish" {
  command -v fish > /dev/null || skip "no fish here"
  export HOME=$PWD
  "$DPERM" completion fish > script
  ask() { fish --no-config -c "source script; complete -C '$1'" | cut -f1 | sort | tr '\n' ' '; }
  [ "$(ask "dperm tr")" = "train " ]
  [ "$(ask "dperm train --form")" = "--format " ]
  [ "$(ask "dperm train --format ")" = "csv encoded svmlight " ]
  [ "$(ask "dperm ledger ")" = "init show verify " ]
  [ "$(ask "dperm schema ")" = "check draft " ]
  [ "$(ask "dperm schema draft --la")" = "--label " ]
  [[ "$(ask "dperm train --data ")" == *"people.csv "* ]]
  for name in $(names); do
    for option in $("$DPERM" help --table $name | cut -d' ' -f3 | grep '^--'); do
      grep -qe "from $name.* -l ${option#--} " -e "from $name.* -l ${option#--}$" script || { echo "$name: $option"; return 1; }
    done
  done
}

@test "completion for no shell, or for another" {
  run "$DPERM" completion
  fails_with 2 "name a shell"
  run "$DPERM" completion csh
  fails_with 2 "bash, zsh and fish"
  run "$DPERM" completion bash zsh
  fails_with 2 "one word too many"
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
