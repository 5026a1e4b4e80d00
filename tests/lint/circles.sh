#!/usr/bin/env bash
# No circle between files: a .c and its .h are one unit, a unit that includes another's header comes
# after it, and such an order exists. And no folder of src/ has 15 percent or more of its lines.
set -u
cd "$1" || exit 1
trouble=0
number=0
rule() { # name, findings
  number=$((number + 1))
  if [ -n "$2" ]; then
    sed 's/^/# /' <<< "$2"
    echo "not ok $number - $1"
    trouble=1
  else
    echo "ok $number - $1"
  fi
}
# "unit unit" for every include of another unit's header; tsort names the units of a circle.
rule "no circle between files" "$(grep -H '^#include "' -r src --include='*.[ch]' |
  sed -E 's|^src/([^:]+)\.[ch]:#include "([^"]+)\.h".*|\1 \2|' |
  awk '$1 != $2 && $2 !~ "^dperm(/|$)"' | tsort 2>&1 > /dev/null)"
rule "no folder has 15 percent of the lines" "$(find src -name '*.[ch]' -exec wc -l {} + |
  awk '$2 != "total" { split($2, path, "/"); lines[path[2]] += $1; all += $1 }
    END { for (folder in lines) if (lines[folder] >= 0.15 * all) print "src/" folder ": " lines[folder] " of " all }')"
exit "$trouble"
