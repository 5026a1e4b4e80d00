# Figures in the documents are what programs print (tools/figures).
load helpers

@test "the documents state the figures that programs compute" {
  "$DPERM_SOURCE/tools/figures" --check "$DPERM_BUILD"
}

@test "a figure that is out of date, of no command or badly written is named" {
  mkdir -p docs tools build/tests
  cp "$DPERM_SOURCE/tools/figures" tools
  printf '#!/bin/sh\necho most 1.33\n' > build/tests/cost_figures
  chmod +x build/tests/cost_figures
  : > README.md
  echo 'at most <!-- figure: costs/most -->1.32<!-- end -->' > docs/a.md
  run tools/figures --check build
  [ "$status" -eq 1 ] && [ "$output" = "docs/a.md: costs/most is 1.33, not 1.32; run make figures" ]
  tools/figures build
  [ "$(cat docs/a.md)" = 'at most <!-- figure: costs/most -->1.33<!-- end -->' ]
  tools/figures --check build
  echo '<!-- figure: none/most -->1<!-- end --> <!-- figure: costs/least -->2<!-- end --> <!-- figure: costs -->3' > docs/b.md
  run tools/figures --check build
  [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 3 ]
  [ "${lines[0]}" = "docs/b.md: no command makes the figures of none" ]
  [ "${lines[1]}" = "docs/b.md: costs/least is None, not 2; run make figures" ]
  [ "${lines[2]}" = "docs/b.md: a figure is not written as tools/figures has it" ]
}
