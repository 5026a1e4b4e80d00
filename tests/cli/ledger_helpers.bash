# For tests of ledgers: a budget for the records of helpers.bash, and ways to spend and to spoil it.
account=(--ledger l.db --dataset people)

begin() {
  rm -f l.db l.db-journal
  "$DPERM" ledger init l.db --dataset people --epsilon "${1:-1}" 2> /dev/null
}
charge_to() { "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --ledger "$1" --dataset "$2"; }
charge() { "$DPERM" train --force "${people[@]}" --epsilon "${1:-0.1}" --out "${2:-m.json}" "${account[@]}"; }
left() { "$DPERM" ledger show l.db --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["datasets"][0]["epsilon_left"])'; }
entries() { "$DPERM" ledger show l.db | grep -c '^ .*\(committed\|reserved\)' || true; }
holds() { "$DPERM" ledger verify l.db > /dev/null; }

GUARD="CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END"
edit() { python3 -c 'import sqlite3, sys; db = sqlite3.connect("l.db"); db.executescript(sys.argv[1]); db.commit()' "$1"; }

faulty() { run preloaded "$LEDGER_FAULT" "$@"; }

# Root without its power over permissions, so that they mean something in a container.
humble() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --bounding-set=-dac_override,-dac_read_search "$@"
  else
    "$@"
  fi
}
