#!/bin/sh
# A manual page from what the command says: manual.sh DPERM [COMMAND], run by $EMULATOR in a cross build. It has no
# date, so that a build can be repeated to the byte.
set -eu
program=$1 name=${2:-}
dperm() { ${EMULATOR:-} "$program" "$@"; }
# characters that roff would take for its own, or turn into typographic ones
roff() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g" -e 's/\^/\\(ha/g' -e 's/~/\\(ti/g' -e 's/`/\\(ga/g' -e 's/^/\\\&/'; }
title=dperm${name:+-$name}
help=$(dperm help $name)
printf '.TH "%s" 1 "" "%s" "dperm"\n.SH NAME\n%s \\- ' "$(echo "$title" | tr a-z A-Z | sed 's/-/\\-/g')" \
  "$(dperm --version)" "$(echo "$title" | sed 's/-/\\-/g')"
printf '%s\n' "$help" | sed -n '1s/^[^:]*: //p' | sed 's/-/\\-/g'
printf '.SH DESCRIPTION\n.nf\n.in 0\n'
printf '%s\n' "$help" | sed 1,2d | roff
for action in $(dperm help --table $name | awk -v name="$name" '$1 == name && $2 != "-" {print $2}' | uniq); do
  printf '.fi\n.SH %s\n.nf\n.in 0\n' "$(echo "$action" | tr a-z A-Z)"
  dperm help "$name" "$action" | roff
done
cat <<'P'
.fi
.SH EXIT STATUS
0 success; 1 the work failed: bad data, a budget that is spent, a claim that does not hold; 2 wrong usage;
128+N stopped by signal N: 130 after Ctrl\-C, 143 after SIGTERM
.SH ENVIRONMENT
DPERM_LEDGER and DPERM_DATASET stand in for \-\-ledger and \-\-dataset where they are not given. DPERM_THREADS is the
number of threads where \-\-threads is not given; without it, one for each processor that the process may run on.
Results do not depend on it.
.SH SEE ALSO
P
dperm help --table | cut -d' ' -f1 | uniq | sed 's/.*/dperm\\-&(1),/'
echo '.BR dperm (1)'
