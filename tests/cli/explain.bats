# dperm explain: effects that add up to scores, what is grey and what is not, as text, JSON and a page.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  "$DPERM" demo --rows 4000 --seed 1 --out d > /dev/null
}

census() { # the census with these changes to its schema, as schema.json beside people.csv
  cp "$BATS_FILE_TMPDIR/d/people.csv" .
  py "$1" "$BATS_FILE_TMPDIR/d/schema.json" <<'P'
schema = json.load(open(sys.argv[2]))
columns = {c["name"]: c for c in schema["columns"]}
exec(sys.argv[1])
json.dump(schema, open("schema.json", "w"))
P
}

# Of every record, the effects of its values beside the score that predict gives it.
adds_up() {
  "$DPERM" explain --model model.json --json > e.json
  "$DPERM" predict --model model.json --data people.csv > p.csv
  py <<'P'
found, schema = json.load(open("e.json")), json.load(open("model.json"))["schema"]
[output] = found["outputs"]
def part(column, record):
    names = column.get("columns", [column["name"]])
    given = next(c for c in schema["columns"] if c["name"] == names[0])
    value, levels = record[names[0]], {l["name"]: l["effect"] for l in column["levels"]}
    if len(names) == 2:
        return levels.get(" and ".join(f"{n}={record[n]}" for n in names), column.get("no_value", 0))
    if value in schema.get("missing", [""]):
        return levels.get("(missing)", column.get("no_value", 0))
    if given["type"] == "categorical":
        return levels.get(value, column.get("no_value", 0))
    value = min(max(float(value), given["min"]), given["max"])
    sum = 0
    if "line" in column:
        line = column["line"]
        t = math.log1p if line["transform"] else float
        middle = (t(given["min"]) + t(given["max"])) / 2 if given.get("scale", "center" if schema.get("version", 1) > 1 else "max") == "center" else 0
        sum = line["effect"] * (t(value) - middle) / (t(line["high"]) - t(line["low"]))
    cells = [l for l in column["levels"] if "low" in l]
    return sum + (cells[max(i for i, l in enumerate(cells) if i == 0 or l["low"] <= value)]["effect"] if cells else 0)
lines = list(csv.DictReader(open("people.csv")))
for record, row in zip(lines, csv.DictReader(open("p.csv"))):
    score = output["intercept"]["effect"] + sum(part(c, record) for c in output["columns"])
    assert abs(score - float(row["score"])) < 1e-9 * (1 + abs(score)), (record, score, row["score"])
assert len(lines) > 50
P
}

@test "effects of a record's values are its score: cells, categories, lines, pairs" {
  for change in 'schema["rows"] = "fixed"' \
    'schema["rows"] = "fixed"; schema["on_missing"] = "category"; columns["investment_income"].update(transform="log1p")' \
    'columns["age"].update(bins=[20, 30, 47.5, 70], line=2); schema["rows"] = "fixed"; schema["intercept"] = False' \
    'schema["crosses"] = [["sex", "education"]]; schema["rows"] = "fixed"'; do
    census "$change"
    "$DPERM" train --force "${people[@]}" --mechanism none --lambda 1e-3 --bins none --pairs none --out model.json 2> /dev/null
    adds_up || { echo "$change"; return 1; }
  done
}

@test "noise stays grey, and what is true stands out" {
  census ''
  py <<'P'
draw = random.Random(1)
rows = list(csv.DictReader(open("people.csv")))
schema = json.load(open("schema.json"))
schema["columns"] = [{"name": "idle", "type": "categorical", "values": list("abcdefgh")},
                     {"name": "flip", "type": "categorical", "values": ["x", "y"]},
                     {"name": "told", "type": "categorical", "values": ["0", "1"]}] + schema["columns"]
label = schema["label"]
with open("people.csv", "w", newline="") as file:
    out = csv.DictWriter(file, ["idle", "flip", "told", *rows[0]])
    out.writeheader()
    for row in rows:
        told = (row[label["column"]] in label["positive"]) != (draw.random() < 0.1)
        out.writerow({"idle": draw.choice("abcdefgh"), "flip": draw.choice("xy"), "told": int(told), **row})
json.dump(schema, open("schema.json", "w"))
P
  for seed in 1 2 3 4 5 6 7 8; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 --seed $seed --out m.json 2> /dev/null
    "$DPERM" explain --model m.json --json > e$seed.json
  done
  py <<'P'
verdicts = {}
for seed in range(1, 9):
    for column in json.load(open(f"e{seed}.json"))["outputs"][0]["columns"]:
        verdicts.setdefault(column["name"], []).extend(l["verdict"] for l in column["levels"])
idle = verdicts["idle"] + verdicts["flip"]
assert len(idle) == 80 and idle.count("grey") >= 0.9 * len(idle), idle
assert verdicts["told"].count("grey") <= 0.2 * len(verdicts["told"]), verdicts["told"]
P
}

@test "a category that no record has does not make its neighbours stand out" {
  census ''
  py <<'P'
draw = random.Random(1)
rows = list(csv.DictReader(open("people.csv")))
schema = json.load(open("schema.json"))
idle = {f"idle{k}": "abcdef"[:k] for k in (2, 3, 6)}
schema["columns"] = [{"name": name, "type": "categorical", "values": ["nobody", *values]} for name, values in idle.items()] + [
    c if c["type"] == "label" or c["name"] in ("age", "education") else {"name": c["name"], "type": "ignore"}
    for c in schema["columns"]]
with open("people.csv", "w", newline="") as file:
    out = csv.DictWriter(file, [*idle, *rows[0]])
    out.writeheader()
    out.writerows({**{name: draw.choice(values) for name, values in idle.items()}, **row} for row in rows)
json.dump(schema, open("schema.json", "w"))
P
  for seed in 1 2 3 4 5 6 7 8; do
    "$DPERM" train --force "${people[@]}" --epsilon 5 --bins none --pairs none --seed $seed --out m.json 2> /dev/null
    "$DPERM" explain --model m.json --json > e$seed.json
  done
  py <<'P'
verdicts = [l["verdict"] for seed in range(1, 9) for c in json.load(open(f"e{seed}.json"))["outputs"][0]["columns"]
            if c["name"].startswith("idle") for l in c["levels"] if l["name"] != "nobody"]
assert len(verdicts) == 8 * 11 and verdicts.count("grey") >= 0.95 * len(verdicts), verdicts.count("grey")
P
}

@test "no noise within the bound makes an effect that is beyond it" {
  py <<'P'
sizes = range(2, 12)
columns = [{"name": f"line{i}", "type": "numeric", "min": -1, "max": 1} for i in range(64)]
columns += [{"name": f"k{k}", "type": "categorical", "values": list("abcdefghijk"[:k])} for k in sizes]
json.dump({"version": 1, "columns": columns + [{"name": "y", "type": "label"}],
           "label": {"column": "y", "positive": ["1"], "negative": ["0"]}}, open("schema.json", "w"))
with open("people.csv", "w") as file:
    print(*[c["name"] for c in columns], "y", sep=",", file=file)
    for y in (0, 1):
        print(*["0"] * 64, *["a" for k in sizes], y, sep=",", file=file)
P
  "$DPERM" train --force "${people[@]}" --epsilon 1 --mechanism output --lambda 1 --bins none --pairs none --seed 1 \
    --out model.json 2> /dev/null
  echo '[1e-6, 1e6]' > bound.json
  for _ in 1 2 3 4; do # nothing is compared with a line, so that it is beyond the bound when its weight is
    change 'low, high = json.load(open("bound.json")); m["weights"][:64] = [low * (high / low) ** (i / 63) for i in range(64)]'
    "$DPERM" explain --model changed.json --json > e.json
    py <<'P'
lines = {abs(c["line"]["weight"]): c["line"]["verdict"] for c in json.load(open("e.json"))["outputs"][0]["columns"] if "line" in c}
json.dump([max(w for w in lines if lines[w] != "beyond the noise"),
           min(w for w in lines if lines[w] == "beyond the noise")], open("bound.json", "w"))
P
  done
  # One weight against all others, or against the middle ones alone; at random; and one alone that is longer (of two both).
  while read -r length beyond law; do
    change 'length, bound, d = '$length', json.load(open("bound.json"))[0], random.Random(1)
m["weights"] = [0] * 64
for k in range(2, 12):
    v = [float('"$law"') for i in range(k)]
    m["weights"] += [x * length * bound / math.hypot(*v) for x in v]'
    "$DPERM" explain --model changed.json --json > e.json
    [ "$(py <<< 'print(json.load(open("e.json"))["beyond_the_noise"])')" -eq "$beyond" ] || { echo "$law"; return 1; }
  done <<'L'
0.999 0 k - 1 if i == 0 else -1
0.999 0 1 if i == 0 else -1 / 3 if i < 4 else -1 / 3 - 1e-9
0.999 0 d.gauss(0, 1)
0.999 0 d.expovariate(1) ** 3
1.5 11 i == 0
L
}

@test "what stands out comes first, what is grey last and by name" {
  census ''
  "$DPERM" train --force "${people[@]}" --epsilon 1 --seed 1 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json > text
  head -1 text | grep -Eq '^m.json: [0-9]+ of [0-9]+ effects stand out from the privacy noise \(epsilon 1\); '
  grep -q '^effects on the log-odds of ' text
  grep -q '^grey  ' text
  grep -q '^assumed$' text
  grep -q '^- Chance in the records themselves (sampling error)' text
  ! grep -q ' $' text
  "$DPERM" explain --model m.json --json --out e.json
  "$DPERM" explain --model m.json --json > shown.json
  py <<'P'
found = json.load(open("e.json"))
assert found == json.load(open("shown.json"))
columns = found["outputs"][0]["columns"]
strengths = [c["strength"] for c in columns]
assert strengths == sorted(strengths, reverse=True) and strengths[0] > 0 == strengths[-1]
levels = [l for c in columns for l in c["levels"] + [c[k] for k in ["line"] if k in c]]
assert found["standing_out"] == sum(l["verdict"] not in ("grey",) for l in levels) == sum(c["standing_out"] for c in columns)
for l in levels: # and nothing that an estimate says is more than that
    assert (l["verdict"] == "grey") == (abs(l["effect"]) <= found["deviations"] * l["noise"])
    assert l["verdict"] in ("grey", "stands out")
P
}

@test "a page that is whole, well-formed and needs nothing else" {
  census 'columns["education"]["values"][0] = "<b>&\""; schema["crosses"] = [["sex", "education"]]'
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json --html --out page.html
  ! grep -qE 'src=|href=|https?:|<script' page.html
  grep -qF '&lt;b&gt;&amp;&quot;' page.html
  py <<'P'
from html.parser import HTMLParser
class Checker(HTMLParser):
    void, stack, pictures = {"meta", "rect", "line", "path"}, [], 0
    def handle_starttag(self, tag, attrs):
        self.pictures += tag == "svg"
        if tag not in self.void: self.stack.append(tag)
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag): assert self.stack.pop() == tag, tag
c = Checker()
c.feed(open("page.html").read())
assert not c.stack and c.pictures >= len(json.load(open("schema.json"))["columns"]) - 2, c.pictures
P
  fails 2 "give --html or --json, not both" "$DPERM" explain --model m.json --html --json
}

@test "every kind of model is explained, or says why not" {
  train_none
  "$DPERM" explain --model model.json > text
  grep -q 'no privacy noise: all .* effects are shown' text
  grep -q '^- Noise: there was none, and the model is not private.$' text
  "$DPERM" train --force "${people[@]}" --epsilon 1 --kernel gaussian --gamma 1 --features 20 --out m.json 2> /dev/null
  says 0 "a kernel spreads every column over all of them" "$DPERM" explain --model m.json
  "$DPERM" train --force "${people[@]}" --epsilon 1 --mechanism output --out m.json 2> /dev/null
  says 0 "The noise was added to the finished weights, so its size is known exactly" "$DPERM" explain --model m.json
  "$DPERM" train --force "${people[@]}" --epsilon 30 --mechanism output --lambda 1 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json --json | grep -q '"beyond the noise"' # noise once in e^40
  "$DPERM" train --force "${people[@]}" --epsilon 1 --neighbours add-remove --rows-about 100 --loss huber \
    --out m.json 2> /dev/null
  says 0 "effects on the score of " "$DPERM" explain --model m.json
  "$DPERM" explain --model m.json --json | grep -q '"rows_about": 100'
  printf '+1 1:0.5 2:0.1\n-1 2:0.5\n' > rows.svm
  "$DPERM" train --force --data rows.svm --dims 3 --mechanism none --lambda 1 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json | grep -q '^column 2 '
  py <<'P'
schema = json.load(open("schema.json"))
schema["label"] = {"column": "job", "classes": ["nurse", "judge", "farmer"]}
schema["columns"] = [c for c in schema["columns"] if c["name"] != "job"]
json.dump(schema, open("jobs.json", "w"))
P
  for how in joint one-vs-rest; do
    "$DPERM" train --force --data people.csv --schema jobs.json --epsilon 1 --multiclass $how --out m.json 2> /dev/null
    [ "$("$DPERM" explain --model m.json | grep -c '^effects on the log-odds of ')" -eq 3 ]
  done
}

@test "a file that is no model, or was changed, is refused" {
  train_none
  fails 1 "no.json: cannot open" "$DPERM" explain --model no.json
  sed 's/"lambda"/"lambada"/' model.json > changed.json
  fails 1 "changed.json" "$DPERM" explain --model changed.json --html --out page.html
  leaves_no page.html
  change 'm["weights"] = [1e308 * (-1) ** i for i in range(len(m["weights"]))]'
  "$DPERM" explain --model changed.json --json > e.json
  "$DPERM" explain --model changed.json --html > page.html
  py <<< 'json.load(open("e.json"))'
}
