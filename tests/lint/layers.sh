#!/usr/bin/env bash
# A folder includes only folders above it in docs/architecture.md (verify: base alone, so that it shares
# no formula with what it checks), in cli likewise; cli, bench, experiments and examples see the public
# headers only.
set -u
cd "$1" || exit 1
order="base random loss matrix kernel solve privacy schema table read draft data mechanism refine release intervals model evaluate ledger verify run plan score sweep report audit"
command="output arguments commands main.c"
trouble=$(
  for folder in src/*/ cli/*; do
    case " $order $command " in
    *" $(basename "$folder") "*) ;;
    *) echo "# $folder has no place in the order of folders" ;;
    esac
  done
  # "file:line:#include "header"" of every include, each judged by the place of its folder.
  grep -nH '^#include "' -r src cli bench experiments examples --include='*.[ch]' | awk -F: -v order="$order" -v command="$command" '
    BEGIN {
      n = split(order, names, " "); for (i = 1; i <= n; i++) place["src/" names[i]] = i
      n = split(command, names, " "); for (i = 1; i <= n; i++) place["cli/" names[i]] = i
    }
    {
      split($3, quoted, "\""); header = quoted[2]; where = "# " $1 ":" $2 " includes " header
      split($1, path, "/"); to = header; sub("/.*", "", to)
      from = path[1] "/" path[2]; to = path[1] "/" to
      if (header ~ /^dperm(\.h|\/)/) next
      if (path[1] != "src" && path[1] != "cli") {
        folder = $1; sub("[^/]*$", "", folder)
        if ((getline line < (folder header)) < 0) print where "; only the public headers are visible here"
        close(folder header)
      } else if (header !~ "/") print where " without its folder"
      else if (!(to in place) || place[to] > place[from] || (from == "src/verify" && to != "src/base" && to != "src/verify"))
        print where ", which is below it"
    }'
)
[ -z "$trouble" ] || echo "$trouble"
[ -z "$trouble" ] && echo "ok 1 - folders include only folders above them" ||
  { echo "not ok 1 - folders include only folders above them"; exit 1; }
