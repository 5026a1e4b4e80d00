# dperm refine, train --refine: what they write, charge and refuse.
load helpers

# A range of a million, of which most values are near 500 or 0, and nine categories of which three are common.
setup_wide() {
  cat > wide.json <<'S'
{
  "missing": ["?"],
  "label": {"column": "rich", "positive": ["yes"], "negative": ["no"]},
  "columns": [
    {"name": "amount", "type": "numeric", "min": 0, "max": 1000000},
    {"name": "job", "type": "categorical", "values": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]},
    {"name": "sex", "type": "categorical", "values": ["f", "m"]}
  ]
}
S
  awk 'BEGIN {print "amount,job,sex,rich"; x = 1
    for (i = 0; i < 4000; i++) {
      x = (x * 16807) % 2147483647
      amount = i % 3 ? 400 + x % 300 : 0
      printf "%s,%s,%s,%s\n", i % 50 ? amount : "?", substr("abcdefghi", i % 97 ? 1 + i % 3 : 4 + i % 6, 1),
        x % 2 ? "f" : "m", (amount > 550 ? "yes" : "no")
    }}' > records.csv
}

refine() { "$DPERM" refine --force --data records.csv --schema wide.json --out narrow.json "$@"; }

@test "a refined schema has bins, groups and its cost, and models add it to their own" {
  setup_wide
  succeeds refine --epsilon 2 --fit-epsilon 0.5
  [[ "${lines[0]}" == "narrow.json: "*" encoded columns from 4000 rows; epsilon = 2 for every record, "* ]]
  py <<'P'
s = json.load(open("narrow.json"))
amount, job, sex = s["columns"]
assert 1 <= len(amount["bins"]) <= 40 and 0 < amount["bins"][0] <= 500, amount
assert "groups" in job and {"a", "b", "c"} <= set(job["groups"]) and "values" not in job, job
assert sorted(sum(job["groups"].values(), [])) == list("abcdefghi")
assert sex == {"name": "sex", "type": "categorical", "values": ["f", "m"]}
r = s["refined"]
assert list(r) == ["epsilon", "unit", "rows_per_person", "neighbours", "private", "ledger", "dperm_version", "digest"]
assert r["epsilon"] == 2 and r["private"] is True and r["ledger"] is None and r["unit"] == "row"
P
  "$DPERM" schema check narrow.json > /dev/null 2>&1
  succeeds "$DPERM" train --force --data records.csv --schema narrow.json --epsilon 1 --out m.json
  [[ "${lines[0]}" == *"(epsilon, delta) = (3, "* ]]
  [[ "${lines[1]}" == "m.json: epsilon 2 of that was spent on refining the schema" ]]
  succeeds "$DPERM" verify --model m.json
  [[ "$output" == *"ok     refined: the schema's refinement, private and for this unit, cost 2 as the claim counts; with 1 epsilon_row that = 3 <= epsilon = 3"* ]]
  "$DPERM" statement --model m.json | grep -q '| of that | ε = 2 for the schema'
  "$DPERM" predict --model m.json --data records.csv --out p.csv 2> /dev/null
  [ "$(wc -l < p.csv)" -eq 4001 ]
}

@test "train --refine spends one epsilon and one charge" {
  setup_wide
  "$DPERM" ledger init l.db --dataset people --epsilon 3 2> /dev/null
  train=("$DPERM" train --force --data records.csv --schema wide.json --epsilon 1 --out m.json --ledger l.db --dataset people)
  succeeds "${train[@]}" --refine auto
  [[ "${lines[0]}" == *"(epsilon, delta) = (1, "* && "${lines[1]}" == *"epsilon 0.08 of that was spent on refining the schema"* ]]
  [[ "${lines[2]}" == "l.db: charged epsilon 1 and "*" (entry 2); 2 and "* ]]
  "$DPERM" verify --model m.json > /dev/null
  "${train[@]}" --refine 0.3 --json > out.json 2> /dev/null
  py <<'P'
o, m = json.load(open("out.json")), json.load(open("m.json"))
assert o["epsilon"] == 1 and o["epsilon_refined"] == 0.3 and o["ledger"]["epsilon"] == "1", o
assert m["privacy"]["epsilon_refined"] == 0.3 and m["privacy"]["epsilon_charged"] == 1
assert m["schema"]["refined"]["ledger"] == m["ledger"]
P
  "$DPERM" ledger show l.db > shown
  grep -q 'train    objective, refined ' shown
  "$DPERM" ledger show l.db --model m.json > /dev/null
  # In two steps the fit's entry names the refinement's.
  succeeds refine --epsilon 0.1 --ledger l.db --dataset people
  "$DPERM" train --force --data records.csv --schema narrow.json --epsilon 0.4 --out m2.json --ledger l.db --dataset people 2> /dev/null
  "$DPERM" ledger show l.db > shown
  grep -q 'refine   discrete laplace, cells ' shown
  grep -q 'train    objective, refined by 6 ' shown
  "$DPERM" ledger show l.db --model m2.json > /dev/null
  "$DPERM" statement --model m2.json --ledger l.db | grep -q '| its schema | ε = 0.1, entry 6: '
  run "$DPERM" refine --force --data records.csv --schema wide.json --epsilon 0.6 --out n2.json --ledger l.db --dataset people
  fails_with 1 'has epsilon 0.5 left'
  leaves_no n2.json
}

@test "what cannot pay for a refinement stays as it is, and costs nothing" {
  setup_wide
  "$DPERM" ledger init l.db --dataset people --epsilon 3 2> /dev/null
  succeeds refine --epsilon 0.01 --ledger l.db --dataset people
  [[ "$output" == *"nothing was spent: it has nothing to refine, or 4000 rows are too few at this epsilon" ]]
  python3 -c 'import json; assert json.load(open("narrow.json")) == json.load(open("wide.json"))'
  run refine --epsilon 0.01 --ledger l.db --dataset people --json
  [[ "$(tr -d '\n ' <<< "$output")" == *'"epsilon":"0","delta":"0","epsilon_left":"3","delta_left":"0.0000'* ]]
  rm narrow.json
  run "$DPERM" train --force --data records.csv --schema wide.json --epsilon 0.09 --refine auto --out m.json --ledger l.db --dataset people
  [ "$status" -eq 0 ]
  [[ "${lines[1]}" == *"the schema stays as it is"* && "${lines[2]}" == *"charged epsilon 0.09 "* ]]
  python3 -c 'import json; m = json.load(open("m.json")); assert "refined" not in m["schema"] and "epsilon_refined" not in m["privacy"]'
  # Nothing to pay is no reason not to ask: the name and the records must be right.
  for more in "" --dry-run; do
    fails 1 'l.db: the ledger has no data set "nobody"' refine --epsilon 0.01 --ledger l.db --dataset nobody $more
    run refine --epsilon 0.01 --rows-per-person 2 --ledger l.db --dataset people $more
    fails_with 1 'is per row, not per person with at most 2 rows'
    run "$DPERM" refine --force --data <(head -4000 records.csv) --schema wide.json --out narrow.json --epsilon 0.01 --ledger l.db --dataset people $more
    fails_with 1 'l.db: these are not the data that "people" was charged for before'
  done
  leaves_no narrow.json
  [ "$("$DPERM" ledger show l.db | grep -c refine)" -eq 0 ]
}

@test "a dry run spends and writes nothing" {
  setup_wide
  "$DPERM" ledger init l.db --dataset people --epsilon 3 2> /dev/null
  succeeds refine --epsilon 0.2 --ledger l.db --dataset people --dry-run
  [[ "${lines[0]}" == "this run costs epsilon 0.2 and delta 0" ]]
  leaves_no narrow.json
  run refine --epsilon 0.01 --dry-run
  [[ "${lines[0]}" == "this run costs epsilon 0 and delta 0" ]]
  run refine --epsilon 0.01 --ledger l.db --dataset people --dry-run
  [[ "${lines[0]}" == "this run costs epsilon 0 and delta 0" ]]
  [[ "${lines[1]}" == 'data set "people" of l.db would have epsilon 3 and delta 1e-30 left' ]] || { echo "$output"; return 1; }
  run "$DPERM" train --force --data records.csv --schema wide.json --epsilon 1 --refine 0.1 --out m.json --ledger l.db --dataset people --dry-run
  [ "$status" -eq 0 ]
  [[ "${lines[0]}" == "this run costs epsilon 1 and "* ]]
  leaves_no m.json
  [[ "$("$DPERM" ledger show l.db)" == *"3 left of 3"* ]]
}

@test "a refined object that was edited is refused, and so is a claim that does not count it" {
  setup_wide
  run refine --epsilon 0.2
  sed 's/"epsilon": 0.2/"epsilon": 0.1/' narrow.json > edited.json
  fails 1 '"refined" is not as ' "$DPERM" train --force --data records.csv --schema edited.json --epsilon 1 --out m.json
  "$DPERM" train --force --data records.csv --schema narrow.json --epsilon 0.8 --out model.json 2> /dev/null
  for edit in 'm["privacy"]["epsilon"] = 0.9' 'del m["privacy"]["epsilon_refined"]' 'del m["schema"]["refined"]' \
    'm["privacy"]["epsilon_refined"] = 0.1' 'm["privacy"]["epsilon_charged"] = 5e-324' 'm["privacy"]["epsilon_row"] = 0.9'; do
    change "$edit"
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ] || { echo "$edit"; false; }
    [[ "$output" == *"FAILS  "* ]]
  done
}

@test "wrong usage" {
  setup_wide
  train=("$DPERM" train --force --data records.csv --schema wide.json --out m.json)
  for share in 0 1 1.5 -0.1 much nan; do
    fails 2 "--refine must be a share above 0 and below 1, auto, ask or none" "${train[@]}" --epsilon 1 --refine "$share"
  done
  fails 2 "--refine does not go with --mechanism none" "${train[@]}" --mechanism none --refine auto
  run "${train[@]}" --epsilon 1 --refine auto --bins none
  fails_with 2 "--bins none keeps numeric columns linear, and --refine makes bins"
  "$DPERM" encode --data records.csv --schema wide.json --out r.dperm 2> /dev/null
  "$DPERM" train --force --data r.dperm --epsilon 1 --refine auto --out m.json 2> /dev/null # which has the schema
  rm m.json
  fails 2 "--refine needs --schema" "$DPERM" train --force --data a.svm --dims 3 --out m.json --epsilon 1 --refine auto
  for command in "tune --lambda 0.1,0.2 --out m.json" "sweep"; do
    for value in 0.2 auto much; do
      run "$DPERM" $command --data records.csv --schema wide.json --epsilon 1 --refine $value
      fails_with 2 "--refine is for train; here --bins auto chooses bins from public numbers, or give a schema made by 'dperm refine'"
    done
  done
  "$DPERM" sweep --data records.csv --schema wide.json --epsilon 1 --folds 2 --draws 2 > plain.csv
  "$DPERM" sweep --data records.csv --schema wide.json --epsilon 1 --folds 2 --draws 2 --refine ask > ask.csv
  cmp plain.csv ask.csv
  for none in "--bins none" "--refine none"; do
    "$DPERM" sweep --data records.csv --schema wide.json --epsilon 1 --folds 2 --draws 2 $none > none.csv
    ! cmp -s plain.csv none.csv
  done
  "$DPERM" tune --force --lambda 0.1,0.2 --data records.csv --schema wide.json --epsilon 4 --refine none --out m.json 2> /dev/null
  ! "$DPERM" help tune | grep -qe '--refine' -e '--calibrate'
  fails 2 "--epsilon" "$DPERM" refine --force --data records.csv --schema wide.json --out n.json
  "$DPERM" encode --data records.csv --schema wide.json --out e.bin 2> /dev/null
  run "$DPERM" refine --force --data e.bin --schema wide.json --epsilon 1 --out n.json
  [ "$status" -eq 0 ] # it holds the records, not rows of a schema
  succeeds "$DPERM" train --force --data e.bin --schema wide.json --epsilon 1 --refine auto --out m.json
  rm n.json m.json
  run refine --epsilon 0.2
  fails 1 "refined already" "$DPERM" refine --force --data records.csv --schema narrow.json --epsilon 0.2 --out n.json
}

@test "an encoded file of a refined schema carries its cost" {
  setup_wide
  run refine --epsilon 0.2
  "$DPERM" schema check narrow.json | grep -q '  refined          from records, for an epsilon of 0.2 that models add to their own'
  "$DPERM" encode --data records.csv --schema narrow.json --out e.bin 2> /dev/null
  succeeds "$DPERM" train --force --data e.bin --epsilon 0.8 --out m.json
  [[ "${lines[0]}" == *"(epsilon, delta) = (1, "* ]]
  "$DPERM" verify --model m.json > /dev/null
}

@test "bins that the schema leaves open are found, or resolved where nothing is refined" {
  setup_wide
  sed 's/"max": 1000000/&, "bins": "auto"/' wide.json > open.json
  "$DPERM" train --force --data records.csv --schema open.json --epsilon 2 --refine 0.5 --out m.json 2> /dev/null
  "$DPERM" train --force --data records.csv --schema open.json --epsilon 0.2 --refine auto --out m2.json 2> /dev/null
  "$DPERM" train --force --data records.csv --schema open.json --epsilon 0.2 --seed 1 --out m3.json 2> /dev/null
  py <<'P'
bins = [json.load(open(m))["schema"]["columns"][0]["bins"] for m in ("m.json", "m2.json", "m3.json")]
assert bins[0] != bins[1] == bins[2], bins
P
  "$DPERM" verify --model m.json > /dev/null
  "$DPERM" verify --model m2.json > /dev/null
}

@test "train says what it asked the records, for how much, and what came of it" {
  setup_wide
  succeeds "$DPERM" train --force --data records.csv --schema wide.json --epsilon 10 --out m.json
  [[ "${lines[1]}" == "m.json: the records were asked privately how to use their numbers, for epsilon "*" of that: "* ]]
  [[ "${lines[1]}" == *" (--bins none asks nothing)" ]]
  bins=$(python3 -c 'import json; print("bins" in json.load(open("m.json"))["schema"]["columns"][0])')
  case $bins in
    True) [[ "${lines[1]}" == *"epsilon 0.85 of that: in bins "* ]] ;;
    False) [[ "${lines[1]}" == *"epsilon 0.35 of that: as lines of weight "* ]] ;;
  esac
  run "$DPERM" train --force --data records.csv --schema wide.json --epsilon 0.09 --refine ask --out n.json
  [[ "${lines[1]}" == "n.json: the records were asked nothing, and nothing was spent on it"* ]]
  "$DPERM" statement --model m.json | grep -q '| of that | ε = \(0.35\|0.85\) for the schema: the records decided, with noise,'
  run "$DPERM" train --force --data records.csv --schema wide.json --epsilon 10 --seed 1 --out m.json
  [[ "${lines[1]}" == "m.json: the records were asked privately how to use their numbers, for a share of epsilon: "* ]]
  run "$DPERM" train --force --data records.csv --schema wide.json --epsilon 10 --bins none --out m.json
  [[ "$output" != *"asked privately"* ]]
}

@test "shares that leave nothing to one of the two are refused by their option's name" {
  setup_wide
  train=("$DPERM" train --force --data records.csv --schema wide.json --epsilon 1 --out m.json)
  fails 2 "refine has an epsilon of 1e-300; " "${train[@]}" --refine 1e-300
  fails 2 "the share of refine leaves an epsilon of " "${train[@]}" --refine 0.999999999999
  leaves_no m.json
}

@test "a refinement that cannot pay for counts asks, and says that" {
  py <<'P'
names = [f"x{i}" for i in range(14)]
columns = [{"name": n, "type": "numeric", "min": 0, "max": 1000} for n in names]
json.dump({"label": {"column": "y", "classes": ["no", "yes"]}, "columns": columns}, open("many.json", "w"))
with open("many.csv", "w") as out:
    print(*names, "y", sep=",", file=out)
    for i in range(100):
        print(*[(i * 7 + j) % 40 for j in range(14)], "yes" if i % 2 else "no", sep=",", file=out)
P
  train=("$DPERM" train --force --data many.csv --schema many.json --out m.json)
  succeeds "${train[@]}" --epsilon 27 --refine auto # counts of 14 columns take a rows times epsilon of 2800
  [[ "${lines[1]}" == "m.json: the records were asked privately how to use their numbers, for epsilon 0.4 of that: "* ]]
  run "${train[@]}" --epsilon 30 --refine auto
  [[ "${lines[1]}" == "m.json: epsilon 2.4 of that was spent on refining the schema" ]]
}

@test "what the records answered is there for programs" {
  setup_wide
  train=("$DPERM" train --force --data records.csv --schema wide.json --epsilon 10 --out m.json --json)
  "${train[@]}" > asked.json 2> /dev/null
  "${train[@]}" --refine none > none.json 2> /dev/null
  "${train[@]}" --refine 0.2 > counts.json 2> /dev/null
  "${train[@]}" --dry-run > dry.json 2> /dev/null
  py <<'P'
asked, none, counts = (json.load(open(f)) for f in ("asked.json", "none.json", "counts.json"))
assert asked["epsilon_refined"] == (0.85 if asked["answer"] == "bins" else 0.35) and asked["weight"] >= 1, asked
assert none["epsilon_refined"] == 0 and none["answer"] is None, none
assert counts["epsilon_refined"] == 2 and counts["answer"] is None, counts
P
}

@test "the model's space is taken for crosses of bins before counts decide them" {
  py <<'P'
columns = [{"name": n, "type": "numeric", "min": 0, "max": 100, "bins": "auto"} for n in "abcd"]
json.dump({"label": {"column": "y", "classes": ["no", "yes"]}, "columns": columns,
           "crosses": [list(pair) for pair in itertools.combinations("abcd", 2)]}, open("crossed.json", "w"))
with open("crossed.csv", "w") as out:
    print("a,b,c,d,y", file=out)
    for i in range(4000):
        print(i % 100, i * 7 % 101, i * 31 % 97, i * 3 % 89, "yes" if i % 3 else "no", sep=",", file=out)
P
  "$DPERM" ledger init l.db --dataset people --epsilon 40 2> /dev/null
  train=(train --data crossed.csv --schema crossed.json --epsilon 20 --refine 0.5)
  "$DPERM" "${train[@]}" --out m.json 2> /dev/null
  size=$(($(wc -c < m.json) / 1024)) # what is written then is larger than that
  [ "$size" -ge 100 ] # more than the cells alone would take
  run bash -c "ulimit -f $size; '$DPERM' ${train[*]} --ledger l.db --dataset people --out n.json"
  [ "$status" -eq 1 ]
  [[ "$output" == *"cannot write"*"nothing is charged" ]]
  "$DPERM" ledger show l.db | grep -q "40 left of 40"
  "$DPERM" "${train[@]}" --ledger l.db --dataset people --out n.json
}

@test "records in a pipe are read once, and refined, asked and charged like those of a file" {
  setup_wide
  "$DPERM" ledger init l.db --dataset people --epsilon 20 2> /dev/null
  train=("$DPERM" train --force --schema wide.json --epsilon 10 --out m.json --ledger l.db --dataset people)
  succeeds "${train[@]}" --data <(cat records.csv) --refine 0.2
  [[ "${lines[1]}" == "m.json: epsilon 2 of that was spent on refining the schema" ]]
  [[ "$("$DPERM" ledger show l.db)" == *"10 left of 20"* ]]
  succeeds "${train[@]}" --data <(cat records.csv)
  [[ "${lines[0]}" == *"from 4000 rows; (epsilon, delta) = (10, "* && "$output" == *"asked privately"* ]]
  "$DPERM" train --force --schema wide.json --epsilon 10 --seed 3 --out file.json --data records.csv 2> /dev/null
  "$DPERM" train --force --schema wide.json --epsilon 10 --seed 3 --out pipe.json --data - < records.csv 2> /dev/null
  cmp file.json pipe.json
}

@test "a schema of asked records counts its dearest answer in other runs" {
  py <<'P'
draw = random.Random(1)
with open("noise.csv", "w") as out:
    print("a,b,y", file=out)
    for i in range(5000):
        print(draw.randrange(100), draw.randrange(100), draw.randrange(2), sep=",", file=out)
columns = [{"name": n, "type": "numeric", "min": 0, "max": 100, "weight": w} for n, w in (("a", 1000000), ("b", 1))]
json.dump({"label": {"column": "y", "classes": ["0", "1"]}, "columns": columns}, open("noise.json", "w"))
P
  "$DPERM" ledger init l.db --dataset people --epsilon 5 2> /dev/null
  train=("$DPERM" train --force --data noise.csv --epsilon 1 --ledger l.db --dataset people)
  "${train[@]}" --schema noise.json --out m.json 2> /dev/null
  python3 -c 'import json; print(json.dumps(json.load(open("m.json"))["schema"]))' > asked.json
  "${train[@]}" --schema asked.json --out n.json 2> /dev/null
  for model in m n; do "$DPERM" verify --model $model.json --ledger l.db > /dev/null; done
  py <<'P'
m, n = (json.load(open(f))["privacy"] for f in ("m.json", "n.json"))
assert m["epsilon"] == 1 and round(m["epsilon_refined"], 9) in (0.048, 0.148), m
assert n["epsilon"] == 1.148 and n["epsilon_refined"] == 0.148, n
P
  sed -i 's/"epsilon_refined": 0.148/"epsilon_refined": 0.048/' n.json
  ! "$DPERM" verify --model n.json > /dev/null
}
