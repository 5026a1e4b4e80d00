#!/usr/bin/env bash
# The shared library exports exactly the names in tests/lint/symbols.txt, each in the version under
# whose heading it stands (src/dperm.map), and all are declared in a public header. Of the library of
# mathematics it takes what is exact only: the rest differs between machines (base/functions.h).
set -u
cd "$1" || exit 1
exported=$(nm -D --defined-only --with-symbol-versions "$2" | awk '$2 ~ /[TDBR]/ {print $3}' |
  grep -v '^__asan\|^__odr_asan' | sort)
listed=$(awk '/^DPERM_/ { version = $1; next } { print $1 "@@" version }' tests/lint/symbols.txt | sort)
trouble=0
if [ "$exported" != "$listed" ]; then
  diff <(echo "$listed") <(echo "$exported") | sed 's/^/# /'
  echo "# update tests/lint/symbols.txt if the change of the interface is meant"
  trouble=1
fi
for name in $(sed 's/@@.*//' <<< "$exported"); do
  grep -rq "\b$name(" include || { echo "# $name is in no header of include/"; trouble=1; }
done
# Whatever is given options, or fills a result of any size, is in the tables of sized_test.c.
for name in $(cat include/dperm.h include/dperm/*.h | tr '\n' ' ' | grep -oE 'DPERM_API [^;]*;' |
  grep -E 'const dperm_([a-z]+_)?options \*|_sized\(' | grep -oE 'dperm_[a-z_]+\(' |
  grep -v '_init_sized'); do
  grep -qF "$name" tests/unit/sized_test.c || { echo "# ${name%(} is not in tests/unit/sized_test.c"; trouble=1; }
done
for name in $(nm -D --undefined-only "$2" | awk '{ sub("@.*", "", $2); print $2 }' |
  grep -xE '(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|erfc?|[lt]?gamma(_r)?|cbrt|hypot)[fl]?'); do
  echo "# $name is not the same on every machine: base/functions.h has its own"
  trouble=1
done
[ "$trouble" -eq 0 ] && echo "ok 1 - exported symbols are the listed ones" ||
  echo "not ok 1 - exported symbols are the listed ones"
exit "$trouble"
