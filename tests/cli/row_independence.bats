# The number of rows is public, so no record may change it: what could be a record and is skipped, or
# dropped, is refused by every private release, and fine for public data. The suite over all ways in
# is tests/property/row_independence_test.c.
load helpers

labels_only() {
  cat > labels.json <<'S'
{"label": {"column": "y", "positive": ["yes"], "negative": "*"}, "intercept": true,
 "columns": [{"name": "y", "type": "label"}]}
S
  { echo y; for i in $(seq 1 30); do echo yes; echo no; done; } > labels.csv
}

svm_rows() {
  for i in $(seq 1 30); do echo "+1 1:0.$i 3:1"; echo "-1 2:0.$i"; done
}

# train, tune and score in private refuse, whatever the way in; without privacy they work.
every_release_refuses() { # words, data, options...
  local words=$1 data=$2
  shift 2
  for mechanism in objective output; do
    fails 1 "$words" "$DPERM" train --force --data "$data" "$@" --epsilon 1 --mechanism $mechanism --out m
    fails 1 "$words" "$DPERM" train --force --data - "$@" --epsilon 1 --mechanism $mechanism --out m < "$data"
  done
  fails 1 "$words" "$DPERM" tune --force --data "$data" "$@" --epsilon 1 --lambda 0.1,0.2 --out m
  "$DPERM" encode --data "$data" "$@" --out rows.dperm 2> /dev/null
  fails 1 "$words" "$DPERM" train --force --data rows.dperm --epsilon 1 --out m
  "$DPERM" train --force --data "$data" "$@" --mechanism none --lambda 0.1 --out public.json 2> /dev/null
  "$DPERM" score --model public.json --data "$data" > /dev/null
  for rows in "$data" rows.dperm; do
    fails 1 "$words" "$DPERM" score --model public.json --data "$rows" --epsilon 1
  done
}

@test "comment and blank lines of svmlight files are refused by private releases" {
  svm_rows > rows.svm
  "$DPERM" train --force --data rows.svm --dims 3 --epsilon 1 --out m 2> /dev/null
  rm m
  for line in 1 7 60; do
    sed "${line}s/^/# /" rows.svm > commented.svm
    every_release_refuses "comment lines stand where records can" commented.svm --dims 3
    sed "${line}s/.*//" rows.svm > blank.svm
    every_release_refuses "blank lines stand where a record can be one" blank.svm --dims 3
  done
  sed 's/$/ # who it was/' rows.svm > remarks.svm
  "$DPERM" train --force --data remarks.svm --dims 3 --epsilon 1 --out m 2> /dev/null
}

@test "an empty label is no blank line" {
  labels_only
  "$DPERM" train --force --data labels.csv --schema labels.json --epsilon 1 --out m 2> /dev/null
  sed '9s/.*/""/' labels.csv > quoted.csv
  "$DPERM" train --force --data quoted.csv --schema labels.json --epsilon 1 --out m 2> /dev/null
  rm m
  for text in "" "   "; do
    sed "9s/.*/$text/" labels.csv > empty.csv
    every_release_refuses "blank lines stand where a record can be one" empty.csv --schema labels.json
  done
  printf '%s' "$(cat labels.csv)" > unended.csv
  every_release_refuses "may end with an empty record" unended.csv --schema labels.json
}

@test "blank lines of several columns are no records" {
  { cat people.csv; printf '\n  \n\n'; } > blank.csv
  "$DPERM" train --force --data blank.csv --schema schema.json --epsilon 1 --out m 2> /dev/null
  python3 -c 'import json; assert json.load(open("m"))["rows"] == 120'
}

@test "a quote that is never closed cannot swallow the records behind it" {
  sed 's/"missing"/"header": false, "missing"/; s/"columns": \[/&{"name": "rich", "type": "label"},/
    s/\(farmer.*\)$/\1,{"name": "note", "type": "ignore"},{"name": "more", "type": "ignore"}/' schema.json > notes.json
  tail -n +2 people.csv | awk -F, '{print $3 "," $1 "," $2 ",6\47 2\",x"}' > notes.csv
  "$DPERM" train --force --data notes.csv --schema notes.json --epsilon 1 --out m 2> /dev/null
  rm m
  sed '9s/.*/yes,30,nurse,"/' notes.csv > opened.csv
  every_release_refuses "a quoted field holds a line end" opened.csv --schema notes.json
  sed '9s/.*/yes,30,nurse,"line\nend",x/' notes.csv > two_lines.csv
  "$DPERM" train --force --data two_lines.csv --schema notes.json --epsilon 1 --out m 2> /dev/null
  python3 -c 'import json; assert json.load(open("m"))["rows"] == 120'
}

@test "what gzip -t refuses is refused" {
  head -60 people.csv | gzip > first.gz
  tail -n +61 people.csv | gzip > second.gz
  cat first.gz second.gz > good.csv.gz
  { cat good.csv.gz; echo garbage; } > garbage.csv.gz
  { cat first.gz; tail -n +61 people.csv; } > plain_behind.csv.gz
  { cat first.gz; printf 'X'; tail -c +2 second.gz; } > damaged.csv.gz
  { cat first.gz; head -c 40 second.gz; } > cut.csv.gz
  { cat first.gz; printf '\037'; } > half.csv.gz
  { cat first.gz; printf '\0\0x'; } > odd.csv.gz
  "$DPERM" train --force --data good.csv.gz --schema schema.json --epsilon 1 --out m 2> /dev/null
  python3 -c 'import json; assert json.load(open("m"))["rows"] == 120'
  rm m
  train_none people.csv schema.json public.json
  for file in garbage plain_behind damaged cut half odd; do
    run gzip -t $file.csv.gz
    [ "$status" -ne 0 ]
    for how in "--epsilon 1" "--mechanism none --lambda 0.1"; do
      fails 1 "$file.csv.gz: " "$DPERM" train --force --data $file.csv.gz --schema schema.json $how --out m
    done
    fails 1 "$file.csv.gz: " "$DPERM" encode --data $file.csv.gz --schema schema.json --out e
    fails 1 "standard input: " "$DPERM" predict --model public.json --data - < $file.csv.gz
  done
}
