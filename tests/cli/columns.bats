# Many columns, of which one has a shape: it is found, counted and gets bins, and the others stay lines.
load helpers

# 12,000 records of 14 numbers: a straight law of thirteen, and one in whose middle labels are rare.
setup() {
  cd "$BATS_TEST_TMPDIR"
  python3 - <<'P'
import json, math, random
draw = random.Random(2)
names = [f"x{j}" for j in range(13)]
with open("many.csv", "w") as file:
    print(",".join(names + ["u", "y"]), file=file)
    for i in range(12000):
        x = [draw.gauss(5, 1.2) for _ in names]
        u = draw.uniform(0, 100)
        score = sum((v - 5) * (1 if j % 2 else -1) for j, v in enumerate(x)) + 0.2 * (abs(u - 50) - 25)
        y = draw.random() < 1 / (1 + math.exp(-score))
        print(",".join(f"{v:.4f}" for v in x) + f",{u:.2f},{int(y)}", file=file)
columns = [{"name": n, "type": "numeric", "min": 0, "max": 12} for n in names] + [
    {"name": "u", "type": "numeric", "min": 0, "max": 100}]
json.dump({"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": True, "columns": columns},
          open("many.json", "w"))
P
}

many=(--data many.csv --schema many.json --pairs none)

# The columns with bins, and what the schema cost.
binned() { python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
print(*(c["name"] for c in m["schema"]["columns"] if "bins" in c), round(m["privacy"]["epsilon_refined"], 6))' "$1"; }

@test "one column of many has a shape: bins for it alone, whether all could be counted or not" {
  # 1,100 for each of 14 columns: all could be counted from epsilon 1.3 on
  "$DPERM" train --force "${many[@]}" --epsilon 3 --seed 1 --out m.json 2> /dev/null
  [ "$(binned m.json)" = "u 0.735" ] # weight .005, shape .03, two steps of .03, counts .15
  "$DPERM" train --force "${many[@]}" --epsilon 1 --seed 1 --out m.json 2> /dev/null
  [ "$(binned m.json)" = "u 0.235" ] # four steps, four times .02
  error() { "$DPERM" score --model "$1" --data many.csv --ledger none --json 2> /dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["error_rate"])'; }
  "$DPERM" train --force "${many[@]}" --epsilon 1 --seed 1 --bins none --out n.json 2> /dev/null
  python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < float(sys.argv[2]) - 0.05)' "$(error m.json)" "$(error n.json)"
  "$DPERM" plan --rows 12000 --schema many.json --epsilon 1 --json | grep -q '"refined_by": "answer"'
}

@test "the same model by every door, and it verifies, by pure noise and composed" {
  for how in "" "--neighbours add-remove --rows-about 12000" "--noise gaussian --delta 1e-6" \
    "--noise gaussian --delta 1e-6 --neighbours add-remove --rows-about 12000" "--rows-per-person 2 --epsilon 2"; do
    case $how in *--epsilon*) budget=() ;; *) budget=(--epsilon 1) ;; esac
    "$DPERM" train --force "${many[@]}" "${budget[@]}" $how --seed 4 --out m.json 2> /dev/null
    gzip -c many.csv > many.csv.gz
    "$DPERM" encode --data many.csv --schema many.json --out many.dperm 2> /dev/null
    for from in many.csv.gz many.dperm; do
      "$DPERM" train --force --data $from --schema many.json --pairs none "${budget[@]}" $how --seed 4 --threads 1 --out n.json 2> /dev/null
      cmp <(grep -o '"weights.*' m.json) <(grep -o '"weights.*' n.json)
    done
    "$DPERM" train --force "${many[@]}" "${budget[@]}" $how --out model.json 2> /dev/null
    "$DPERM" verify --model model.json > lines
    grep -q '^ok     refined: ' lines
  done
}

@test "a composed model states what chooses columns, and no edit of it verifies" {
  "$DPERM" train --force "${many[@]}" --epsilon 1 --noise gaussian --delta 1e-6 --out model.json 2> /dev/null
  py <<'P'
c = json.load(open("model.json"))["privacy"]["composed"]
assert c["picks"] == 4 and 0.03 <= c["pick_epsilon"] < 0.031 and c["counts"] == 8, c
P
  "$DPERM" verify --model model.json > /dev/null
  for edit in 'm["privacy"]["composed"]["picks"] = 1' 'm["privacy"]["composed"]["pick_epsilon"] /= 3' \
    'del m["privacy"]["composed"]["picks"]' 'm["privacy"]["composed"]["picks"] = 40' \
    'm["privacy"]["composed"]["pick_epsilon"] = -1' \
    'm["privacy"]["composed"]["picks"] = 14; m["privacy"]["composed"]["pick_epsilon"] *= 4 / 14 * (1 + 1e-6)' \
    'm["privacy"]["composed"]["picks"] = 3; m["privacy"]["composed"]["pick_epsilon"] *= 4 / 3' \
    'del m["privacy"]["composed"]["picks"], m["privacy"]["composed"]["pick_epsilon"]'; do
    change "$edit"
    run "$DPERM" verify --model changed.json
    [ "$status" -ne 0 ] || { echo "$edit"; return 1; }
  done
}
