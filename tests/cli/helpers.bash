# What the command-line tests share: a folder of their own, small data, checks on messages.

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  cat > schema.json <<'S'
{
  "missing": ["?", ""],
  "label": {"column": "rich", "positive": ["yes"], "negative": ["no"]},
  "columns": [
    {"name": "age", "type": "numeric", "min": 0, "max": 100},
    {"name": "job", "type": "categorical", "values": ["farmer", "nurse", "judge"]}
  ]
}
S
  {
    echo "age,job,rich"
    for i in $(seq 1 40); do
      echo "$((20 + i)),farmer,no"
      echo "$((15 + i)),nurse,$([ $((i % 3)) -eq 0 ] && echo yes || echo no)"
      echo "$((30 + i)),judge,yes"
    done
  } > people.csv
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

# Nothing was left behind: neither the output nor a temporary file.
leaves_no() {
  [ ! -e "$1" ] || { echo "$1 was left behind"; return 1; }
  [ -z "$(find . -name ".$(basename "$1").*")" ] || { echo "a temporary file was left"; return 1; }
}

train_none() {
  "$DPERM" train --data "${1:-people.csv}" --schema "${2:-schema.json}" --mechanism none \
    --lambda 1e-3 --out "${3:-model.json}" 2> /dev/null
}
