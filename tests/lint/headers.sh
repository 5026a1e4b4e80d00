#!/usr/bin/env bash
# Every public header compiles alone, as C17 and as C++, and all of them compile together.
set -u
cd "$1/include" || exit 1
trouble=0
compiles() { # headers
  sed 's/.*/#include <&>/' <<< "$1" > "$work/headers.c"
  for language in "${CC:-cc} -std=c17 -x c" "${CXX:-c++} -x c++"; do
    # shellcheck disable=SC2086
    $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I . "$work/headers.c" > "$work/log" 2>&1 || {
      sed 's/^/# /' "$work/log"
      trouble=1
    }
  done
}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for header in dperm.h dperm/*.h; do
  compiles "$header"
done
compiles "$(printf '%s\n' dperm.h dperm/*.h)"
[ "$trouble" -eq 0 ] && echo "ok 1 - public headers compile alone, as C and as C++" ||
  echo "not ok 1 - public headers compile alone, as C and as C++"
exit "$trouble"
