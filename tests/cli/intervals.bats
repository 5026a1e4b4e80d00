# --intervals: slopes with what is known of them, from the fit to the table; forgeries; what is refused.
load helpers

# 6,000 records of two numbers and two categories, a class and a price that follow them.
setup() {
  cd "$BATS_TEST_TMPDIR"
  py <<'P'
draw = random.Random(2)
with open("flats.csv", "w") as file:
    print("area,age,town,lift,dear,price", file=file)
    for i in range(6000):
        area, age, town, lift = draw.uniform(20, 120), draw.uniform(0, 60), draw.choice("abc"), draw.choice("ny")
        price = 200 + 4 * area - 3 * age + 100 * (town == "b") + 50 * (lift == "y") + draw.gauss(0, 40)
        print(f"{area:.2f},{age:.1f},{town},{lift},{'yes' if price + draw.gauss(0, 80) > 450 else 'no'},{price:.2f}", file=file)
columns = [{"name": "area", "type": "numeric", "min": 0, "max": 140}, {"name": "age", "type": "numeric", "min": 0, "max": 60},
           {"name": "town", "type": "categorical", "values": list("abc")},
           {"name": "lift", "type": "categorical", "values": ["n", "y"]}]
price, dear = {"name": "price", "type": "ignore"}, {"name": "dear", "type": "ignore"}
json.dump({"version": 2, "label": {"column": "price", "type": "numeric", "min": 0, "max": 1000},
           "columns": columns + [dear]}, open("price.json", "w"))
json.dump({"version": 2, "label": {"column": "dear", "positive": ["yes"], "negative": ["no"]},
           "columns": columns + [price]}, open("dear.json", "w"))
P
}

@test "a regression's slopes are in the label's unit, each within its interval" {
  "$DPERM" train --data flats.csv --schema price.json --epsilon 5 --seed 3 --intervals auto --out m.json 2> message
  grep -q "m.json: epsilon 1.35 of that was spent on intervals of the slopes: see 'dperm explain'" message
  "$DPERM" explain --model m.json > text
  grep -q '^95 percent intervals of the slopes, for noise and sampling together$' text
  grep -qE '^area, per 1 +[0-9.]+ ' text
  grep -qE '^town: b, not a +[0-9.]+ ' text
  "$DPERM" explain --model m.json --html | grep -q '<h2>95 percent intervals of the slopes</h2>'
  "$DPERM" explain --model m.json --json > e.json
  "$DPERM" explain --model m.json --json | cmp - e.json # a file always says the same
  py <<'P'
m, found = json.load(open("m.json")), json.load(open("e.json"))["intervals"]
rows = {(r["name"], r["value"]): r for r in found["columns"]}
truth = {("area", None): 4, ("age", None): -3, ("town", "b"): 100, ("town", "c"): 0, ("lift", "y"): 50}
assert rows.keys() == truth.keys() and found["confidence"] == 0.95
for key, value in truth.items():
    r = rows[key]
    assert r["refused"] is None and r["low"] - r["standard_error"] < value < r["high"] + r["standard_error"], (key, r)
    assert r["low"] < r["estimate"] < r["high"] and 0 <= r["noise_share"] <= 1 and (r["p"] > 0.001) == (value == 0), (key, r)
    assert r["odds_ratio"] is None
assert rows["area", None]["rank"] == [1, 1]
s = m["schema"]
assert s["rows"] == "fixed" and s["intercept"] and [c.get("reference") for c in s["columns"]] == [None, None, "a", "n", None]
P
}

@test "where no record has the reference, its column is refused for that, and others are not" {
  sed -i 's/\["a", "b", "c"\]/["nowhere", "a", "b", "c"]/' price.json
  grep -q nowhere price.json
  "$DPERM" train --data flats.csv --schema price.json --epsilon 5 --seed 3 --intervals auto --out m.json 2> /dev/null
  "$DPERM" explain --model m.json > text
  [ "$(grep -c '^town: ., not nowhere  *none: its reference is too rare$' text)" -eq 3 ]
  grep -qE '^area, per 1 +[0-9.]+ ' text
  grep -qE '^lift: y, not n +[0-9.]+ ' text
}

@test "a classifier's have odds ratios; verify counts the share, and sees each forgery" {
  "$DPERM" train --data flats.csv --schema dear.json --epsilon 4 --intervals 0.4 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json --json > e.json
  py <<'P'
for r in json.load(open("e.json"))["intervals"]["columns"]:
    assert abs(r["odds_ratio"]["value"] - math.exp(r["estimate"])) < 1e-9 * math.exp(r["estimate"]), r
P
  "$DPERM" verify --model m.json > lines
  grep -q '^ok     intervals: sums of 8, 21 and 10 whole numbers, of 5 columns, with noise by what is stated, for 1.6; with ' lines
  "$DPERM" statement --model m.json | grep -q 'for confidence intervals of the slopes'
  for change in 'm["intervals"]["epsilon"] = 2' 'm["intervals"]["scales"].append(1)' 'm["intervals"]["spread"][0] = 0.5' \
    'm["intervals"]["correlations"].pop()' 'm["schema"]["rows"] = "clip"' 'del m["schema"]["columns"][2]["reference"]' \
    'm["schema"]["intercept"] = False' 'm["loss"]["name"] = "huber"' 'm["intervals"]["more"] = 1' 'p["beta"] *= 1.01'; do
    forgery_shows "$change"
  done
  "$DPERM" train --data flats.csv --schema dear.json --epsilon 4 --intervals none --out plain.json 2> /dev/null
  "$DPERM" explain --model plain.json --json | grep -q '"intervals": null'
  ! "$DPERM" explain --model plain.json | grep -q 'intervals of the slopes'
}

@test "numbers that no run releases end in a table or a line, not in a search without end" {
  "$DPERM" train --data flats.csv --schema dear.json --epsilon 4 --intervals 0.4 --out model.json 2> /dev/null
  for forged in 'm["intervals"]["epsilon"] = 1e-18' 'for i in range(21): m["intervals"]["correlations"][i] = (-1) ** i * 2 ** 62' \
    'm["intervals"]["correlations"] = [0] * 21' 'm["intervals"]["scales"] = [2 ** 62] * 8' 'm["intervals"]["scales"] = [-(2 ** 62)] * 8' \
    'm["intervals"]["spread"] = [2 ** 62] * 10' 'm["intervals"]["correlations"] = [2 ** 62] * 21'; do
    change "$forged"
    run timeout 60 "$DPERM" explain --model changed.json
    [ "$status" -le 1 ] || { echo "$forged: $status"; return 1; }
    [[ $output != *nan* ]] || { echo "$forged: $output"; return 1; }
  done
}

@test "every door, number of threads and a share for evaluation give the same" {
  how=(--schema price.json --epsilon 2 --seed 4 --intervals auto --evaluate 0.25)
  "$DPERM" train --data flats.csv "${how[@]}" --out m.json 2> /dev/null
  "$DPERM" train --data flats.csv "${how[@]}" --threads 3 --out t.json 2> /dev/null
  "$DPERM" train --data - "${how[@]}" --out p.json < flats.csv 2> /dev/null
  "$DPERM" encode --data flats.csv --schema price.json --out flats.enc 2> /dev/null
  "$DPERM" train --data flats.enc "${how[@]}" --out e.json 2> /dev/null
  for other in t p e; do cmp m.json $other.json; done
  "$DPERM" train --data flats.csv --schema price.json --epsilon 2 --intervals auto --evaluate 0.3 --out h.json 2> /dev/null
  says 0 'ok     figures: ' "$DPERM" verify --model h.json
  says 0 'for intervals of the slopes' "$DPERM" plan --rows 6000 --schema price.json --epsilon 2 --intervals auto
}

@test "what intervals are not for is refused in a line" {
  price=(train --data flats.csv --schema price.json --epsilon 2 --intervals auto --out x.json)
  dear=(train --data flats.csv --schema dear.json --epsilon 2 --intervals auto --out x.json)
  fails 2 'logistic models of two classes and log-cosh' "$DPERM" "${dear[@]}" --loss huber
  fails 2 'logistic models of two classes and log-cosh' "$DPERM" "${price[@]}" --loss quantile --quantile 0.5
  fails 2 'leave one of the two out' "$DPERM" "${dear[@]}" --bins auto
  fails 2 'leave one of the two out' "$DPERM" "${dear[@]}" --refine 0.2
  fails 2 'leave one of the two out' "$DPERM" "${dear[@]}" --pairs 0.1
  fails 2 'leave one of the two out' "$DPERM" "${dear[@]}" --calibrate 0.1
  fails 2 'objective perturbation' "$DPERM" "${dear[@]}" --mechanism output
  fails 2 'means need their number' "$DPERM" "${price[@]}" --neighbours add-remove --rows-about 6000
  fails 2 'nor with a delta' "$DPERM" "${price[@]}" --delta 1e-9
  fails 2 'which tells nothing' "$DPERM" "${price[@]/auto/0.001}"
  fails 2 '--intervals' "$DPERM" "${price[@]/auto/2}"
  fails 2 'in train alone' "$DPERM" tune --data flats.csv --schema dear.json --epsilon 2 --lambda 0.1,0.2 --intervals 0.3 --out x.json
  for change in 's["person"] = "lift"' 's["crosses"] = [["town", "lift"]]' 's["on_missing"] = "category"' \
    's["columns"][0]["bins"] = 5' 's["columns"][2]["values"] = ["a"]'; do
    py "$change" <<'P'
s = json.load(open("dear.json"))
exec(sys.argv[1])
if "person" in s:
    s["columns"][3] = {"name": "lift", "type": "ignore"}
json.dump(s, open("bad.json", "w"))
P
    run "$DPERM" train --data flats.csv --schema bad.json --epsilon 2 --intervals auto --out x.json
    [ "$status" -ne 0 ] || { echo "$change passes"; false; }
    [ "${#lines[@]}" -eq 1 ] || { echo "$change: $output"; false; }
    leaves_no x.json
  done
}
