#!/usr/bin/env bash
# What we ship knows nothing of planted defects (src/base/defect.h): neither the variable's name nor
# that of any defect is in the library, and no preset turns them on.
set -u
cd "$1" || exit 1
names=$(grep -rhoE 'DEFECT\("[a-z-]+"\)' src | sed -E 's/.*"(.*)".*/\1/' | sort -u)
trouble=0
[ "$(wc -w <<< "$names")" -ge 51 ] || { echo "# fewer defects than there were: $names"; trouble=1; }
for name in DPERM_DEFECT defect_planted $names; do
  if grep -qF -- "$name" "$2"; then
    echo "# \"$name\" is in $2"
    trouble=1
  fi
done
if grep -nH 'PLANT_DEFECTS' CMakeLists.txt CMakePresets.json Makefile; then
  trouble=1
fi
[ "$trouble" -eq 0 ] && echo "ok 1 - the library has no trace of planted defects" ||
  echo "not ok 1 - the library has no trace of planted defects"
exit "$trouble"
