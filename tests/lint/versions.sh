#!/usr/bin/env bash
# One version, that of CMakeLists.txt: every file that states it for a package, a page or the loader agrees, and no
# exported name asks for a version that is yet to come.
set -u
cd "$1" || exit 1
version=$(sed -n 's/^project(dperm VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
trouble=0
number=0
says() { # where, what it says, what it shall say
  number=$((number + 1))
  if [ "$2" = "$3" ]; then
    echo "ok $number - the version of $1"
  else
    echo "# \"$2\" instead of \"$3\""
    echo "not ok $number - the version of $1"
    trouble=1
  fi
}
says "debian/changelog" "$(sed -n '1s/^dperm (\([^)]*\)) .*/\1/p' debian/changelog)" "$version"
says "CHANGELOG.md" "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)" "$version"
says "the R package" "$(sed -n 's/^Version: //p' r/DESCRIPTION)" "$version"
# The R package may be newer than the oldest library that it can do with.
says "the library that R asks for" "$(sed -n 's/.*libdperm (>= \([0-9.]*\);.*/\1/p' r/DESCRIPTION)" \
  "$(sed -n 's/^package="dperm >= \([0-9.]*\)"/\1/p' r/configure)"
says "dperm.h" "$(sed -n 's/^\/\* "\([0-9.]*\)": the version of the library.*/\1/p' include/dperm.h)" "$version"
says "Python, from CMakeLists.txt" "$(grep -cE '^(version *=|dynamic = \["version"\])' pyproject.toml)$(
  sed -n 's/^dynamic = //p' pyproject.toml)" '1["version"]'
says "the library's file" "$(basename "$(readlink -f "$2")")" "libdperm.so.$version"
nodes=$(sed -n 's/^DPERM_\([0-9.]*\) {.*/\1/p' src/dperm.map)
says "exported names, at most" "$(printf '%s\n' "$nodes" "${version%.*}" | sort -V | tail -1)" "${version%.*}"
exit "$trouble"
