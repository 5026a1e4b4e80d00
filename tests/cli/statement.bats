# dperm statement: a page that says what the file says, in Markdown and HTML.
load helpers

@test "a private model's page, with what is left" {
  "$DPERM" ledger init l.db --dataset 'people & <others>' --epsilon 2 2> /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --out m.json --ledger l.db --dataset 'people & <others>' 2> /dev/null
  "$DPERM" statement --model m.json --ledger l.db > s.md
  head -1 s.md | grep -q '^# Privacy statement$'
  grep -q '^> Anyone who sees this model learns next to nothing about any one record in the data' s.md
  grep -q '^| privacy budget | (ε, δ) = (0.5, 9.9e-44), for every record |$' s.md
  grep -q '^    P(M(D) ∈ S) ≤ e^ε · P(M(D′) ∈ S) + δ,   ε = 0.5,  δ = 9.9e-44$' s.md
  grep -Eq 'all data sets D, D′ of [0-9]+ records each that differ in one record replaced by any other' s.md
  grep -q '^| this release | (ε, δ) = (0.5, 9.9e-44), entry 2 of .* committed for this model |$' s.md
  grep -q '^| left | ε = 1.5 ' s.md
  grep -q 'people & \\<others\\>' s.md
  grep -q 'is right with a probability of at most 62.25 percent' s.md
  grep -q 'all [0-9]* steps hold' s.md
  grep -q '^    dperm verify --model m.json$' s.md
  for heading in "What is guaranteed, and to whom" "In mathematics" "What was spent, and what is left" \
    "What is not promised" "What is assumed" "How to check it"; do
    grep -q "^## $heading\$" s.md
  done
}

@test "the same as HTML, well-formed and self-contained" {
  "$DPERM" ledger init l.db --dataset 'people & <others>' --epsilon 2 2> /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --out m.json --ledger l.db --dataset 'people & <others>' 2> /dev/null
  "$DPERM" statement --model m.json --ledger l.db --html --out s.html
  ! grep -qE 'src=|href=|https?:' s.html
  grep -q 'people &amp; &lt;others&gt;' s.html
  python3 - <<'P'
from html.parser import HTMLParser
class Checker(HTMLParser):
    void, stack, words = {"meta"}, [], ""
    def handle_starttag(self, tag, attrs):
        if tag not in self.void: self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
    def handle_data(self, data): self.words += data
c = Checker(); c.feed(open("s.html").read())
assert not c.stack and "Privacy statement" in c.words and "ε = 1.5" in c.words
P
}

@test "the card says what goes in, and what the guarantee means for the three criteria" {
  sed 's/"max": 100/&, "source": "census <law>"/; s/"values": \["farmer"/"sensitive": true, &/' schema.json > card.json
  "$DPERM" train --force --data people.csv --schema card.json --epsilon 1 --out m.json 2> /dev/null
  "$DPERM" statement --model m.json > s.md
  grep -q '^| age | a number from 0 to 100; source 1 |$' s.md
  grep -q '^| job | one of 3: farmer, nurse, judge; source 2; sensitive |$' s.md
  grep -q '^| source 1 | census \\<law\\> |$' s.md
  grep -q '^| source 2 | not stated |$' s.md
  grep -q '^| predicted | rich |$' s.md
  grep -q '^| unit of privacy | one record; ' s.md
  grep -q '^| singling out | .* says so rightly in at most 2.72 of 100. |$' s.md
  grep -q '^| linking | .* thinks it at most 2.68 in 100 likely after seeing the model' s.md
  grep -q '^| inferring | .* ("job", marked as sensitive, included) thinks it at most 2.68 in 100' s.md
  grep -q '^The file does not say how well the model predicts' s.md
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json 2> /dev/null
  "$DPERM" statement --model m.json > s.md
  grep -q '^The schema does not state where its ranges and values come from' s.md
  train_none
  "$DPERM" statement --model model.json > s.md
  ! grep -q '^## Singling out' s.md
  grep -q '^## What goes in' s.md
}

@test "what the publisher says of it is repeated, in JSON or plain text, and not believed" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json 2> /dev/null
  echo '{"intended_use": "plans", "responsible": "A <b>", "date": "2026-01-31"}' > about.json
  "$DPERM" statement --model m.json --about about.json > s.md
  grep -q '^## What it is for, and who answers for it$' s.md
  grep -q '^| responsible | A \\<b\\> |$' s.md
  grep -q 'the program checks none of them' s.md
  printf 'One.\n\n<script>alert(1)</script>\n' > about.txt
  "$DPERM" statement --model m.json --about about.txt --html > s.html
  grep -q '^<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>$' s.html
  [ "$("$DPERM" statement --model m.json --about - --html < about.txt)" = "$(cat s.html)" ]
  echo '{"purpose": "plans"}' > odd.json
  fails 1 'odd.json:1:13: what is said about the model has an unknown key "purpose"' "$DPERM" statement --model m.json --about odd.json
  : > empty
  fails 1 'empty: nothing is said about the model' "$DPERM" statement --model m.json --about empty
  fails 1 'none: cannot open' "$DPERM" statement --model m.json --about none
  head -c 70000 /dev/zero > long
  fails 1 'long: larger than 65536 bytes' "$DPERM" statement --model m.json --about long
  fails 2 'standard input (-) can be only one of the inputs' "$DPERM" statement --model - --about -
}

@test "figures are not repeated of a claim that does not follow" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out model.json 2> /dev/null
  change 'm["privacy"]["beta"] *= 1.5'
  "$DPERM" statement --model changed.json > s.md
  ! grep -q '^## Singling out' s.md
}

@test "the page does not promise more than the model" {
  "$DPERM" train --force "${people[@]}" --epsilon 10 --out weak.json 2> /dev/null
  "$DPERM" statement --model weak.json > s.md
  grep -q 'may learn a bounded but not small amount' s.md
  grep -q '^No ledger was charged' s.md
  "$DPERM" train --force "${people[@]}" --epsilon 1 --rows-per-person 3 --out person.json 2> /dev/null
  "$DPERM" statement --model person.json > s.md
  grep -q 'about any one person with at most 3 records' s.md
  grep -q 'that differ in the at most 3 records of one person replaced by any other' s.md
  grep -q '^- No person has more than 3 records in the data.$' s.md
  "$DPERM" tune --force "${people[@]}" --epsilon 1 --lambda 0.1,0.2 --out tuned.json 2> /dev/null
  "$DPERM" statement --model tuned.json | grep -q 'one of 2 candidates, chosen by the method "split"'
}

@test "a small epsilon is not called small where delta is large" {
  gaussian=("$DPERM" train --force "${people[@]}" --refine none --noise gaussian --out g.json)
  "${gaussian[@]}" --epsilon 0.5 --delta 1e-6 2> /dev/null
  "$DPERM" statement --model g.json | grep -q '^> Anyone who sees this model learns next to nothing about'
  "${gaussian[@]}" --epsilon 0.5 --delta 9e-4 2> /dev/null # 120 records: 0.108 of them
  "$DPERM" statement --model g.json | grep -q '^> Anyone who sees this model may learn a bounded but not small amount about'
  "${gaussian[@]}" --epsilon 0.5 --delta 0.5 2> /dev/null
  "$DPERM" statement --model g.json > s.md
  grep -q '^> Anyone who sees this model may learn a great deal about any one record .* times p plus 0.5\.$' s.md
  ! grep -q 'twice that factor' s.md # which a probability of 1 would not bound
  grep -q '60 of them on average, where good practice is far below one' s.md
  "${gaussian[@]}" --epsilon 20 --delta 0.3 --neighbours add-remove --rows-about 100 2> /dev/null
  "$DPERM" statement --model g.json > s.md
  grep -q 'promises nothing about what is said there: .* (1 + e^ε)δ is 1 or more.' s.md
  ! grep -q 'which amounts to' s.md
}

@test "a model without privacy gets a page that says so" {
  train_none
  "$DPERM" statement --model model.json > s.md
  head -1 s.md | grep -q '^# No privacy$'
  grep -q '^> This model is not private. It guarantees nothing to anyone: trained without' s.md
  ! grep -q 'guaranteed, and to whom' s.md
}

@test "a claim that does not follow is not repeated" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out model.json 2> /dev/null
  change 'm["privacy"]["beta"] *= 1.5'
  "$DPERM" statement --model changed.json > s.md
  grep -q '^> The claim in this file does not follow from its own numbers (beta: ' s.md
}

@test "wrong usage and wrong files" {
  fails 2 "--model is missing" "$DPERM" statement
  fails 1 "none.json: cannot open" "$DPERM" statement --model none.json
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json 2> /dev/null
  fails 1 "none.db: no such ledger" "$DPERM" statement --model m.json --ledger none.db
  "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
  fails 1 "the model was not charged to any ledger" "$DPERM" statement --model m.json --ledger l.db --out s.md
  fails 2 "--out would replace an input" "$DPERM" statement --model m.json --out m.json
  "$DPERM" statement --model - < m.json | grep -q "standard input"
}
