# The day of docs/guide.md, from a code book to a card: its commands as they stand there, on the demo's census, and
# what comes of them. At most ten.
load helpers

day() { sed -n '/^## One day/,/^## 1\. /p' "$DPERM_SOURCE/docs/guide.md" | sed -e :a -e '/\\$/{N;s/\\\n *//;ba' -e '}'; }
commands() { day | sed -n 's/^\$ dperm //p'; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  "$DPERM" demo --rows 12000 --seed 1 --out census > /dev/null 2>&1
  cp "$DPERM_SOURCE/examples/dictionaries/census.tableschema.json" .
  echo '{"intended_use": "to plan advice", "responsible": "A. Person"}' > about.json
}

# What step 2 has an analyst do: the line of the page in place of what the import left out.
mend() {
  line=$(day | grep '"name": "investment_income"')
  sed -i "s|^.*\"name\": \"investment_income\".*|$line|" schema.json
}

@test "the day of the guide, command by command" {
  [ "$(commands | wc -l)" -le 10 ] && [ "$(commands | wc -l)" -ge 9 ]
  while read -r line; do
    eval "\"\$DPERM\" $line" > out 2> message || { echo "dperm $line:"; cat message; return 1; }
    [ "${line%% --*}" != "schema import census.tableschema.json" ] || mend
  done < <(commands)
  grep -q '"source": "our guess"' schema.json
  says 0 'ok     charge' "$DPERM" verify --model model.json --ledger people.ledger
  [ "$(wc -l < predictions.csv)" -eq "$(wc -l < census/others.csv)" ]
  for words in 'to plan advice' 'A. Person' 'our guess' 'area under the ROC curve' 'Singling out'; do
    grep -q "$words" card.html || { echo "the card has no \"$words\""; return 1; }
  done
  grep -q '<svg' explained.html
  py <<'P'
m = json.load(open("model.json"))
e = m["evaluation"]
assert m["private"] and e["rows"] == 2400 and m["rows_fitted"] == 9600 and e["auc"]["low"] <= e["auc"]["value"] <= e["auc"]["high"]
P
}

@test "the same day for persons with several records" {
  awk -F, -v OFS=, 'NR == 1 {print "id", $0; next} {print "p" (NR * NR) % 4001, $0}' census/people.csv > visits.csv
  "$DPERM" schema import census.tableschema.json --label income --out schema.json 2> /dev/null
  sed -i 's/"columns": \[/"person": "id", &/' schema.json
  "$DPERM" schema check schema.json --data visits.csv > /dev/null
  "$DPERM" ledger init people.ledger --dataset people --epsilon 2 --per-person 2> /dev/null
  "$DPERM" train --data visits.csv --schema schema.json --epsilon 1 --evaluate 0.2 --ledger people.ledger --dataset people \
    --out model.json 2> message
  grep -q 'for every person' message
  grep -q 'persons that it was not shown' message
  "$DPERM" verify --model model.json --ledger people.ledger > /dev/null
  "$DPERM" explain --model model.json > /dev/null
  "$DPERM" statement --model model.json --ledger people.ledger > card.md
  grep -q 'one person with all their records' card.md
  "$DPERM" score --held-out --data visits.csv --model model.json --epsilon 0.5 --ledger people.ledger --dataset people > score.json 2> /dev/null
  py <<'P'
m, s = json.load(open("model.json")), json.load(open("score.json"))
assert s["rows"] == m["evaluation"]["rows"] == m["rows"] - m["rows_fitted"] and s["rows_per_person"] == 0
P
}
