# What the command-line tests share: a folder of their own, small data, checks on messages, and a
# world in which nothing that the user has set up counts.
export LC_ALL=C.UTF-8
umask 022
unset DPERM_LEDGER DPERM_DATASET DPERM_DEFECT DPERM_STRICT DPERM_THREADS
# We may be inside a job.
for name in "${!OMPI_@}" "${!PMI@}" "${!PRTE_@}" "${!MV2_@}" "${!SLURM_@}"; do unset "$name"; done

people=(--data people.csv --schema schema.json)

setup() {
  set +T # bats' trap, which takes a millisecond for each line of a function: reports name the test's own line
  cd "$BATS_TEST_TMPDIR" || return 1
  cat > schema.json <<'S'
{
  "version": 1,
  "missing": ["?", ""],
  "label": {"column": "rich", "positive": ["yes"], "negative": ["no"]},
  "columns": [
    {"name": "age", "type": "numeric", "min": 0, "max": 100},
    {"name": "job", "type": "categorical", "values": ["farmer", "nurse", "judge"]}
  ]
}
S
  awk 'BEGIN {print "age,job,rich"
    for (i = 1; i <= 40; i++)
      printf "%d,farmer,no\n%d,nurse,%s\n%d,judge,yes\n", 20 + i, 15 + i, i % 3 ? "no" : "yes", 30 + i}' > people.csv
  sed '2,$s/,/.5,/' people.csv > others.csv # as many, and all of them are somebody else
}

# The last command failed with this status and exactly one line, which holds this text.
fails_with() {
  [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output"; return 1; }
  [ "${#lines[@]}" -eq 1 ] || { echo "not one line: $output"; return 1; }
  case "$output" in
  "dperm: "*"$2"*) ;;
  *) echo "\"$2\" is not in: $output"; return 1 ;;
  esac
}

# Runs the command, which fails so and leaves nothing where --out says, if there was nothing before.
# (`run` sets status, output and lines.)
fails() { # status, text, the command
  local wanted=$1 text=$2 out= i
  for ((i = 3; i < $#; i++)); do [ "${!i}" != --out ] || out=${*:i+1:1}; done
  [ ! -e "$out" ] || out=
  run "${@:3}"
  fails_with "$wanted" "$text"
  case $out in '' | -) ;; *) leaves_no "$out" ;; esac
}

# Runs the command, which succeeds.
succeeds() {
  run "$@"
  [ "$status" -eq 0 ] || { echo "status $status: $output"; return 1; }
}

# Runs the command, which ends with this status and prints this text among others.
says() { # status, text, the command
  run "${@:3}"
  [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output"; return 1; }
  [[ "$output" == *"$2"* ]] || { echo "\"$2\" is not in: $output"; return 1; }
}

# Nothing was left behind: neither the output nor a temporary file.
leaves_no() {
  [ ! -e "$1" ] || { echo "$1 was left behind"; return 1; }
  [ -z "$(find . -name ".$(basename "$1").*")" ] || { echo "a temporary file was left"; return 1; }
}

# Runs the command with a fault (tests/fault) preloaded; the address sanitizer does not mind to come
# second. It takes the place of the shell, so call it with `run`, with `&` or in ( ).
preloaded() { # the fault's library, its settings, the command
  local library=$1
  shift
  exec env LD_PRELOAD="$library" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$@"
}

# Runs the command while a preloaded process stands at the gate (tests/fault/fault_gate.h), once it has
# come there, and then lets it go on. No clock judges; the time is there against hanging only.
at_gate() {
  timeout 3000 bash -c '"$@" > gate' - "$@"
}

# Without a search for packages, which is half of its start.
python3() { command python3 -S "$@"; }

# Runs the Python on standard input, with the modules that most need.
py() {
  python3 -c "import csv, hashlib, itertools, json, math, os, random, re, sys
$(cat)" "$@"
}

# The model m.json, changed so in Python (m, and p, what it says of privacy), fails to verify, and not by
# its digest alone.
forgery_shows() { # the change
  py "$1" <<'P'
m = json.load(open("m.json"))
p = m["privacy"]
exec(sys.argv[1])
json.dump(m, open("forged.json", "w"))
P
  run "$DPERM" verify --model forged.json
  [ "$status" -eq 1 ] || { echo "$1 passes"; return 1; }
  grep -v '^FAILS *digest' <<< "$output" | grep -q ^FAILS || { echo "$1 shows by its digest alone: $output"; return 1; }
}

train_none() {
  "$DPERM" train --force --data "${1:-people.csv}" --schema "${2:-schema.json}" --mechanism none \
    --lambda 1e-3 --out "${3:-model.json}" 2> /dev/null
}

# model.json changed by a line of Python, with a digest that fits: changed.json.
change() {
  py "$1" <<'P'
m = json.load(open("model.json"))
exec(sys.argv[1])
del m["digest"]
# As docs/formats.md defines it.
def real(v):
    text = re.sub(r"e([-+])0*", lambda e: "e" + e[1].strip("+"), "%.17g" % v)
    return text if "." in text or "e" in text else text + ".0"
def plain(v):
    if isinstance(v, dict):
        return "{" + ",".join(json.dumps(k) + ":" + plain(v[k]) for k in sorted(v)) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(plain, v)) + "]"
    return real(v) if isinstance(v, float) else json.dumps(v).replace("u001b", "u001B")
m["digest"] = hashlib.blake2b(plain(m).encode(), digest_size=32).hexdigest()
open("changed.json", "w").write(json.dumps(m))
P
}
