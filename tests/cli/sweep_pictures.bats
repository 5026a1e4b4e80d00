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

@test "with one epsilon the axis is lambda, and a PNG is a PNG" {
  "$DPERM" sweep "${people[@]}" --folds 2 --draws 1 --mechanism none,objective \
    --lambda 1e-2,1e-1 --epsilon 2 --out cells.csv --plot curves.png 2> said
  head -c 8 curves.png | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'
  [ "$(stat -c %a curves.png)" = "$(stat -c %a cells.csv)" ]
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
assert cells.bold == 12, cells.bold  # the best of each of 3 methods, 2 losses, 2 epsilons
assert page.count("(auto)") == 8  # plans of the private cells with an automatic lambda
P
}

@test "a browser shows the page: pictures, tables, nothing cut off" {
  command -v chromium > /dev/null || skip "no chromium here"
  small_sweep --html page.html
  # The time is there against hanging only.
  HOME=$PWD timeout 3000 chromium --headless --disable-dev-shm-usage --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
    --user-data-dir="$PWD/profile" --window-size=1100,1600 --screenshot="$PWD/page.png" \
    "file://$PWD/page.html" > browser 2>&1
  python3 - <<'P'
import struct, zlib
data = open("page.png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, body, header = 8, b"", None
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR":
        header = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
    if kind == b"IDAT":
        body += data[at + 8:at + 8 + size]
    at += size + 12
width, height, depth, colour = header[:4]
assert (width, height, depth) == (1100, 1600, 8) and colour in (2, 6), header
step = 3 if colour == 2 else 4
raw, rows, before = zlib.decompress(body), [], bytearray(width * step)
for y in range(height):
    kind = raw[y * (width * step + 1)]
    line = bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
    for i in range(len(line)):
        a = line[i - step] if i >= step else 0
        b, c = before[i], before[i - step] if i >= step else 0
        if kind == 1: p = a
        elif kind == 2: p = b
        elif kind == 3: p = (a + b) // 2
        elif kind == 4:
            q = a + b - c
            p = min(((abs(q - v), k) for k, v in enumerate((a, b, c))))[1]
            p = (a, b, c)[p]
        else: p = 0
        line[i] = (line[i] + p) & 255
    rows.append(line)
    before = line
def near(pixel, wanted):
    return all(abs(p - w) < 40 for p, w in zip(pixel, wanted))
# the colours of the curves: seen in the two panels of the first picture, left and right
for name, wanted in {"orange": (0xD5, 0x5E, 0x00), "violet": (0xCC, 0x79, 0xA7)}.items():
    for side in (range(0, 550), range(550, 1100)):
        seen = sum(near(rows[y][x * step:x * step + 3], wanted) for y in range(300, 1000) for x in side)
        assert seen > 60, (name, side, seen)
P
}

@test "wrong names and a missing gnuplot are told before any work" {
  fails 2 'ends in .svg or .png' "$DPERM" sweep "${people[@]}" --epsilon 1 --plot curves.pdf
  mkdir empty
  PATH="$PWD/empty" run "$DPERM" sweep "${people[@]}" --epsilon 1 --out cells.csv --html p.html
  fails_with 1 'gnuplot-nox'
  leaves_no cells.csv
  run "$DPERM" sweep "${people[@]}" --folds 2 --draws 1 --epsilon 1 --out cells.csv --html no/such/folder/p.html
  [ "$status" -eq 1 ]
  case "$output" in *no/such/folder/p.html*"cannot write"*) ;; *) echo "$output"; return 1 ;; esac
}
