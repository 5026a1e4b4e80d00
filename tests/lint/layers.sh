#!/usr/bin/env bash
# A folder includes only what stands above it in docs/architecture.md (verify: base alone, so that it
# shares no formula with what it checks); cli, bench, experiments and
# examples see the public headers only.
set -u
cd "$1" || exit 1
order=(base random loss matrix solve privacy schema read draft data mechanism release model ledger verify pipeline audit)
allowed() { # folder of the includer, folder of the included
  [ "$1" = verify ] && { [ "$2" = base ] || [ "$2" = verify ]; return; }
  for folder in "${order[@]}"; do
    [ "$folder" = "$2" ] && return 0
    [ "$folder" = "$1" ] && return 1
  done
  return 1
}
trouble=0
for folder in src/*/; do
  folder=$(basename "$folder")
  case " ${order[*]} " in
  *" $folder "*) ;;
  *) echo "# src/$folder has no place in the order of folders"; trouble=1 ;;
  esac
done
while IFS=: read -r file line text; do
  header=$(sed -E 's/.*"([^"]+)".*/\1/' <<< "$text")
  from=$(cut -d/ -f2 <<< "$file")
  case "$header" in
  dperm.h | dperm/*) ;;
  */*)
    if ! allowed "$from" "${header%%/*}"; then
      echo "# $file:$line includes $header, which stands below it"
      trouble=1
    fi
    ;;
  *) echo "# $file:$line includes $header without its folder"; trouble=1 ;;
  esac
done < <(grep -nH '^#include "' -r src --include='*.[ch]')
while IFS=: read -r file line text; do
  header=$(sed -E 's/.*"([^"]+)".*/\1/' <<< "$text")
  if [ ! -f "include/$header" ] && [ ! -f "$(dirname "$file")/$header" ]; then
    echo "# $file:$line includes $header; only the public headers are visible here"
    trouble=1
  fi
done < <(grep -nH '^#include "' -r cli bench experiments examples --include='*.[ch]')
[ "$trouble" -eq 0 ] && echo "ok 1 - folders include only what stands above them" ||
  echo "not ok 1 - folders include only what stands above them"
exit "$trouble"
