# Few records for each column: bins of the declared ranges are asked about before anything is counted.
load helpers

# 20,000 records of a number and five words that say nothing. In "steps" bins of the range part what
# the number says; in "stripes" it changes within each of them. 950 for each column at 0.285.
setup() {
  cd "$BATS_TEST_TMPDIR"
  python3 - <<'P'
import json, random
draw = random.Random(3)
laws = {"steps": lambda u: 25 <= u < 75, "stripes": lambda u: int(u / 6.25) % 2 == 0}
for name, law in laws.items():
    with open(name + ".csv", "w") as file:
        print("u,a,b,c,d,e,y", file=file)
        for _ in range(20000):
            u = draw.uniform(0, 100)
            words = ",".join(draw.choice("pq") for _ in range(5))
            print(f"{u:.3f},{words},{int(law(u))}", file=file)
words = [{"name": n, "type": "categorical", "values": ["p", "q"]} for n in "abcde"]
json.dump({"version": 2, "label": {"column": "y", "positive": ["1"], "negative": ["0"]},
           "columns": [{"name": "u", "type": "numeric", "min": 0, "max": 100}, *words]}, open("schema.json", "w"))
P
}

how=(--loss huber --pairs none)
fit=(--schema schema.json --epsilon 0.285 "${how[@]}")

# Its bins, what they cost, and what the dearest answer would have.
made() { python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))["schema"]
print(m["columns"][0]["bins"], round(m["refined"]["epsilon"], 9), round(m["refined"].get("later", 0), 9))' "$1"; }

@test "ranges that suffice save the counts, and the weight, by every door" {
  # of 20,000 records 40 for the weight, 200 for the shape, 220 for ranges; counts 5 percent
  "$DPERM" train --data steps.csv "${fit[@]}" --seed 1 --out m.json --json > report 2> /dev/null
  [ "$(made m.json)" = "8 0.021 0.03725" ]
  python3 -c 'import json; r = json.load(open("report")); assert (r["answer"], r["weight"]) == ("bins", 1), r'
  gzip -c steps.csv > steps.csv.gz
  "$DPERM" encode --data steps.csv --schema schema.json --out steps.dperm 2> /dev/null
  for from in steps.csv.gz steps.dperm; do
    "$DPERM" train --force --data $from "${fit[@]}" --seed 1 --threads 1 --out n.json 2> /dev/null
    cmp <(grep -o '"weights.*' m.json) <(grep -o '"weights.*' n.json)
  done
  "$DPERM" tune --data steps.csv "${fit[@]}" --lambda 0.001,0.01 --method public --public-data stripes.csv --seed 1 --out t.json 2> /dev/null
  [ "$(made t.json)" = "8 0.021 0.03725" ]
}

@test "ranges that lose what the number says are not taken: all is paid, and counted" {
  "$DPERM" train --data stripes.csv "${fit[@]}" --seed 1 --out m.json 2> /dev/null
  [[ "$(made m.json)" == *" 0.03725 0" ]]
  # with a delta, more for each column, or mostly numbers, nobody asks about ranges
  "$DPERM" train --force --data steps.csv "${fit[@]}" --delta 1e-6 --seed 1 --out m.json 2> /dev/null
  [[ "$(made m.json)" == *" 0.02625 0" ]]
  "$DPERM" train --force --data steps.csv --schema schema.json --epsilon 0.305 "${how[@]}" --seed 1 --out m.json 2> /dev/null
  [[ "$(made m.json)" == *" 0.02725 0" ]]
}

@test "a ledger is charged once, whatever is answered, and the schema's own cost verifies" {
  "$DPERM" ledger init people.ledger --dataset people --epsilon 1 2> /dev/null
  "$DPERM" train --data steps.csv "${fit[@]}" --ledger people.ledger --dataset people --out m.json 2> /dev/null
  "$DPERM" verify --model m.json --ledger people.ledger > lines
  grep -q '^ok     refined: ' lines
  grep -q '^ok     charge: ' lines
  python3 -c 'import json; json.dump(json.load(open("m.json"))["schema"], open("refined.json", "w"))'
  "$DPERM" train --data steps.csv --schema refined.json --epsilon 0.285 "${how[@]}" --ledger people.ledger --dataset people --out n.json 2> /dev/null
  "$DPERM" verify --model n.json --ledger people.ledger > lines
  ! grep -q '^FAILS' lines
  # who refits did not choose by the answer: that schema counts what the dearest would have cost
  python3 -c 'import json; p = json.load(open("n.json"))["privacy"]; assert abs(p["epsilon_refined"] - 0.03725) < 1e-9, p'
}
