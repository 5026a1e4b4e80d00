# dperm sweep --plot and --html: pictures, the page, and how a browser shows it.
load helpers

small_sweep() { # further options
  "$DPERM" sweep "${people[@]}" --folds 3 --draws 2 --loss logistic,huber \
    --mechanism none,output,objective --lambda 1e-2,1e-1,auto --epsilon 1,5 --out cells.csv "$@" 2> said
}

@test "an SVG has a curve for each method in each panel, and words that a person reads" {
  small_sweep --plot curves.svg
  python3 - <<'P'
import xml.dom.minidom
root = xml.dom.minidom.parse("curves.svg").documentElement
def words(node):
    return node.data if node.nodeType == node.TEXT_NODE else " ".join(map(words, node.childNodes))
text = " ".join(words(t) for t in root.getElementsByTagName("text"))
for word in ("logistic", "huber", "ε", "error rate", "not private, best Λ", "output, l2 noise, best Λ",
             "objective, auto noise, automatic Λ"):
    assert word in text, (word, text)
assert text.count("objective, auto noise, best Λ") == 2, text
P
}

@test "with one epsilon the axis is lambda" {
  "$DPERM" sweep "${people[@]}" --folds 2 --draws 1 --mechanism none,objective \
    --lambda 1e-2,1e-1 --epsilon 2 --out cells.csv --plot curves.svg 2> said
  grep -q '>Λ<' curves.svg
  [ "$(stat -c %a curves.svg)" = "$(stat -c %a cells.csv)" ]
}

@test "where each run has its own lambda, epsilon is the axis" {
  awk 'BEGIN {print "amount,y"; for (i = 0; i < 3000; i++) printf "%d,%d\n", i * 71 % 97, (i * 71 % 97 > 40)}' > amounts.csv
  echo '{"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "columns": [{"name": "amount", "type": "numeric",
    "min": 0, "max": 100}]}' > amounts.json
  "$DPERM" sweep --data amounts.csv --schema amounts.json --epsilon 1 --draws 2 --folds 2 --out cells.csv \
    --plot asked.svg --html asked.html 2> /dev/null
  grep -q '>ε<' asked.svg
  grep -q '<td>1</td><td>(auto)</td>' asked.html
  [ ! -e cells.csv.journal ]
}

@test "the page stands alone and holds what the CSV holds" {
  small_sweep --html page.html
  py <<'P'
from html.parser import HTMLParser
page = open("page.html", encoding="utf-8").read()
links = [a for a in re.findall(r'(?:href|src)\s*=\s*"([^"]*)"', page) if not a.startswith("#")]
assert not links, links
assert not re.search(r"https?://(?!www\.w3\.org/)", page)
assert "dperm sweep" in page and "--lambda 1e-2,1e-1,auto" in page
class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.numbers, self.bold, self.inside = [], 0, False
    def handle_starttag(self, tag, attrs):
        self.inside = tag == "td"
        self.bold += tag == "td" and ("class", "best") in attrs
    def handle_data(self, data):
        if self.inside and re.fullmatch(r"0\.\d{4} ?", data):
            self.numbers.append(float(data))
        self.inside = False
cells = Cells()
cells.feed(page)
rows = list(csv.DictReader(open("cells.csv")))
for row in rows:
    assert any(abs(float(row["error_mean"]) - x) < 6e-5 for x in cells.numbers), row
assert cells.bold == 10, cells.bold  # the best of each of 3 methods, 2 losses, 2 epsilons
assert page.count("(auto)") == 10  # cells with an automatic lambda
P
}

@test "a browser shows the page: the picture's panels and the table, nothing cut off" {
  command -v chromium > /dev/null || skip "no chromium here"
  small_sweep --html page.html
  sed -i 's|</body>|<script>document.title = [...document.querySelectorAll("figure svg, table")].map(e => {\
    const b = e.getBoundingClientRect(); return b.width > 300 \&\& b.height > 200 \&\& b.right < innerWidth}).join()</script>&|' page.html
  # The time is there against hanging only.
  HOME=$PWD timeout 3000 chromium --headless --disable-dev-shm-usage --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$PWD/profile" --window-size=1100,1600 --dump-dom "file://$PWD/page.html" > seen 2> browser
  grep -q '<title>true,true</title>' seen || { head -c 600 seen; return 1; }
}

@test "wrong names and a missing gnuplot are told before any work" {
  fails 2 'must end in .svg' "$DPERM" sweep "${people[@]}" --epsilon 1 --plot curves.pdf
  mkdir empty
  PATH="$PWD/empty" run "$DPERM" sweep "${people[@]}" --epsilon 1 --out cells.csv --html p.html
  fails_with 1 'gnuplot-nox'
  leaves_no cells.csv
  run "$DPERM" sweep "${people[@]}" --folds 2 --draws 1 --epsilon 1 --out cells.csv --html no/such/folder/p.html
  [ "$status" -eq 1 ]
  case "$output" in *no/such/folder/p.html*"cannot write"*) ;; *) echo "$output"; return 1 ;; esac
}
