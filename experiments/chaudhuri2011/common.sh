# What the scripts of this folder share; sourced by them. The data are looked for, checked and put into
# the folder of results once.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${DPERM_BUILD:-$root/build/release}
dperm=$build/dperm
[ -x "$dperm" ] || { echo "run 'make build' first" >&2; exit 1; }

unpack() { # folder, name, sha256, where to get it, out
  local ending file
  for ending in "" .gz .xz; do
    file="$1/$2$ending"
    [ -f "$file" ] || continue
    case "$ending" in
    .gz) gzip -dc "$file" ;;
    .xz) xz -dc "$file" ;;
    *) cat "$file" ;;
    esac > "$5.part"
    if [ "$(sha256sum < "$5.part" | cut -d' ' -f1)" != "$3" ]; then
      rm -f "$5.part"
      echo "$file is not the file that UCI ships (its sha256 differs); get it again: $4" >&2
      exit 1
    fi
    mv "$5.part" "$5"
    return
  done
  echo "no $2, $2.gz or $2.xz in $1; get it from the UCI Machine Learning Repository: $4" >&2
  exit 1
}

# Complete rows of both files, as the paper: 45,222 of them (it says 45,220).
adult_data() { # folder of the data; makes $out/adult.csv and $out/adult.json
  [ -s "$out/adult.csv" ] && return
  "$root/experiments/adult-data" "$1" "$out/adult.all"
  grep -v -e '?' -e '^|' "$out/adult.all" > "$out/adult.part"
  rm "$out/adult.all"
  sed '/on_missing/d' "$root/examples/schemas/adult-paper.json" > "$out/adult.json"
  mv "$out/adult.part" "$out/adult.csv"
}

# The 10 percent file, and 70,000 random rows of it, always the same ones.
kdd_data() { # folder of the data; makes $out/kdd.csv, $out/kdd70k.csv and $out/kdd.json
  [ -s "$out/kdd70k.csv" ] && return
  unpack "$1" kddcup.data_10_percent f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a \
    "KDD Cup 1999, DOI 10.24432/C51C7N" "$out/kdd.csv"
  cp "$root/examples/schemas/kddcup99-paper.json" "$out/kdd.json"
  "$root/experiments/sample-lines" 70000 "$out/kdd.csv" > "$out/kdd70k.part"
  mv "$out/kdd70k.part" "$out/kdd70k.csv"
}

# The paper's settings: lines, noise in a ball, its analysis, h = 0.5; 10 folds, 50 draws.
sweep() { # name of the results, data, schema, options; makes $out/NAME.csv unless it is there
  local name=$1 data=$2 schema=$3
  shift 3
  [ -s "$out/$name.csv" ] ||
    "$dperm" sweep --data "$data" --schema "$schema" --folds 10 --draws "${DRAWS:-50}" --seed 2011 \
      --bins none --out "$out/$name.csv" "$@"
}

# One of the paper's tables: all methods and values of Λ at ε = 0.1.
table() { # name, data, schema, lambdas
  sweep "$1" "$2" "$3" --loss logistic,huber,smooth-hinge --mechanism none,output,objective \
    --noise l2 --analysis paper --epsilon 0.1 --lambda "$4"
  python3 "$here/beside_paper.py" "$here/paper.csv" "$1" "$out/$1.csv"
}

# One of the paper's figures: the error against ε, each method at the Λ that is best at ε = 0.1 in its
# table, and what dperm does with lines by default (tight analysis, shaped noise, automatic Λ).
figure() { # name, its table, data, schema
  local loss mechanism lambda epsilons=0.01,0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.5
  for loss in logistic huber; do
    for mechanism in none output objective; do
      lambda=$(awk -F, -v l="$loss" -v m="$mechanism" \
        '$1 == l && $2 == m && $6 != "" && (best == "" || $6 + 0 < best) { best = $6 + 0; at = $4 } END { print at }' \
        "$out/$2.csv")
      case $mechanism in
      none) set -- "$1" "$2" "$3" "$4" ;;
      output) set -- "$1" "$2" "$3" "$4" --epsilon "$epsilons" ;;
      objective) set -- "$1" "$2" "$3" "$4" --epsilon "$epsilons" --noise l2 --analysis paper ;;
      esac
      sweep "$1-$loss-$mechanism" "$3" "$4" --loss "$loss" --mechanism "$mechanism" --lambda "$lambda" "${@:5}"
    done
    sweep "$1-$loss-default" "$3" "$4" --loss "$loss" --mechanism objective --lambda auto \
      --epsilon "$epsilons"
  done
  curves "$1" | gnuplot
  echo "$out/$1.svg"
}

# How the script of a figure begins: error rates in two panels side by side.
two_panels() { # name, label of x, most of y
  cat <<G
set terminal svg size 900,420 font 'sans-serif,12' background 'white' dynamic
set output '$out/$1.svg'
set encoding utf8
set datafile separator ','
set grid lc rgb '#dddddd' lt 1
set border 3
set tics nomirror
set xlabel '$2'
set ylabel 'error rate'
set yrange [0:$3]
set key below
set multiplot layout 1,2
G
}

# The script that draws a figure from its CSV files.
curves() { # name
  local loss colour mechanism title
  two_panels "$1" 'ε' "${YMAX:-*}"
  for loss in logistic huber; do
    echo "set title '$loss'"
    printf "plot"
    for mechanism in output objective default; do
      case $mechanism in
      output) colour='#D55E00' title='output perturbation' ;;
      objective) colour='#0072B2' title='objective perturbation' ;;
      default) colour='#009E73' title="dperm's default" ;;
      esac
      printf ' "%s" skip 1 using 5:6:7 with yerrorlines lc rgb "%s" pt 7 ps 0.5 title "%s",' \
        "$out/$1-$loss-$mechanism.csv" "$colour" "$title"
    done
    printf ' %s with lines lc rgb "#000000" dt 2 title "not private"\n' \
      "$(awk -F, 'NR == 2 { print $6 }' "$out/$1-$loss-none.csv")"
  done
}

# One of the paper's learning curves.
learning() { # name, loss
  [ -s "$out/$1.csv" ] || {
    "$build/experiments/learning_curves" "$out/kdd.csv" "$out/kdd.json" "$2" "${PERMUTATIONS:-5}" "${DRAWS:-50}" \
      > "$out/$1.part"
    mv "$out/$1.part" "$out/$1.csv"
  }
  learning_script "$1" | gnuplot
  cat "$out/$1.csv"
  echo "$out/$1.svg"
}

learning_script() { # name
  local epsilon method colour title
  two_panels "$1" 'rows for each of five Λ, thousands' '*'
  echo 'set xrange [36:92]'
  for epsilon in 0.05 0.01; do
    echo "set title 'ε = $epsilon'"
    printf "plot"
    for method in output objective default none; do
      case $method in
      output) colour='#D55E00' title='output perturbation, tuned' ;;
      objective) colour='#0072B2' title='objective perturbation, tuned' ;;
      default) colour='#009E73' title="dperm's default, no tuning" ;;
      none) colour='#000000' title='not private' ;;
      esac
      printf ' "< grep ,%s,%s, %s" using ($4/1000):5:6 with yerrorlines lc rgb "%s" pt 7 ps 0.5 title "%s",' \
        "$method" "$epsilon" "$out/$1.csv" "$colour" "$title"
    done
    printf '\n'
  done
}
