# dperm predict: good and bad input.
load helpers

@test "one line per record, in order, with class, score and probability" {
  train_none
  succeeds "$DPERM" predict --model model.json --data people.csv
  [ "${#lines[@]}" -eq 121 ]
  [ "${lines[0]}" = "prediction,score,probability" ]
  "$DPERM" predict --model model.json --data people.csv | python3 -c '
import csv, json, math, sys
m = json.load(open("model.json"))
w = m["weights"]
people = list(csv.DictReader(open("people.csv")))
for p, r in zip(people, csv.DictReader(sys.stdin)):
    x = [float(p["age"]) / 100] + [float(p["job"] == j) for j in ("farmer", "nurse", "judge")]
    norm = max(1, math.sqrt(sum(v * v for v in x)))
    score = sum(a * b for a, b in zip(w, x)) / norm
    assert abs(score - float(r["score"])) < 1e-12, (score, r)
    assert abs(float(r["probability"]) - 1 / (1 + math.exp(-score))) < 1e-12
    assert r["prediction"] == ("yes" if score > 0 else "no")
'
}

@test "a class name with a comma is quoted" {
  sed 's/"yes"/"yes, very"/' schema.json > comma.json
  sed 's/,yes$/,"yes, very"/' people.csv > comma.csv
  train_none comma.csv comma.json
  run "$DPERM" predict --model model.json --data comma.csv
  [[ "$output" == *'"yes, very",'* ]]
}

@test "damaged, newer and foreign models are refused" {
  train_none
  head -c 300 model.json > cut.json
  fails 1 "cut.json:" "$DPERM" predict --model cut.json --data people.csv --out p.csv
  sed 's/dperm-model\/1/dperm-model\/2/' model.json > newer.json
  fails 1 "newer" "$DPERM" predict --model newer.json --data people.csv --out p.csv
  sed 's/\("rows": \)120/\1121/' model.json > edited.json
  fails 1 "digest" "$DPERM" predict --model edited.json --data people.csv --out p.csv
  echo '{"hello": 1}' > other.json
  fails 1 "not a dperm model" "$DPERM" predict --model other.json --data people.csv --out p.csv
  fails 1 "people.csv:1:" "$DPERM" predict --model people.csv --data people.csv --out p.csv
}

@test "class names that are swapped against the schema are refused, by verify too" {
  "$DPERM" train "${people[@]}" --epsilon 1 --out model.json 2> /dev/null
  change 'pass'
  "$DPERM" predict --model changed.json --data people.csv > /dev/null
  for change in 'm["classes"].reverse()' 'm["classes"][1] = "maybe"' 'm["classes"][0] = m["classes"][1]'; do
    change "$change"
    for command in predict score; do
      fails 1 "changed.json: damaged model, " "$DPERM" $command --model changed.json --data people.csv
    done
    says 1 "FAILS  file: damaged model, " "$DPERM" verify --model changed.json
  done
}

@test "a reformatted model is still the same model" {
  train_none
  python3 -c 'import json; json.dump(json.load(open("model.json")), open("m2.json", "w"), sort_keys=True)'
  "$DPERM" predict --model model.json --data people.csv --out a.csv
  "$DPERM" predict --model m2.json --data people.csv --out b.csv
  cmp a.csv b.csv
}

@test "data that do not fit the model's schema are refused" {
  train_none
  printf 'years,job\n30,nurse\n' > other.csv
  fails 1 'other.csv:1:1: the header has no column "age"' "$DPERM" predict --model model.json --data other.csv --out p.csv
  printf '+1 1:1\n' > rows.svm
  fails 1 "trained on CSV" "$DPERM" predict --model model.json --data rows.svm --out p.csv
}

@test "no rows, a full disk, missing arguments" {
  train_none
  echo 'age,job' > empty.csv
  fails 1 "no rows" "$DPERM" predict --model model.json --data empty.csv --out p.csv
  fails 1 "cannot write" bash -c '"$DPERM" predict --model model.json --data people.csv 2>&1 > /dev/full'
  fails 2 "--model is missing" "$DPERM" predict --data people.csv
}
