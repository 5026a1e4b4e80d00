/* See finding_lines.h. */
#include "output/verification_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json_report.h"
#include "output/message.h"

void findings_collect(void *context, dperm_finding finding, const char *line) {
  findings *all = context;
  found_line *grown = realloc(all->lines, (all->count + 1) * sizeof *grown);
  all->lines = grown ? grown : all->lines;
  char *text = strdup(line);
  if (!grown || !text) {
    free(text);
    all->out_of_memory = true;
    return;
  }
  all->lines[all->count++] = (found_line){finding, text};
}

void findings_clear(findings *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->lines[i].text);
  }
  free(all->lines);
}

static void print_text(const findings *all) {
  static const char *const marks[] = {[DPERM_FINDING_FAILS] = "FAILS",
                                      [DPERM_FINDING_HOLDS] = "ok",
                                      [DPERM_FINDING_REMARK] = "note"};
  for (size_t i = 0; i < all->count; i++) {
    printf("%-6s %s\n", marks[all->lines[i].finding], all->lines[i].text);
  }
}

static void print_json(const findings *all, const char *verdict) {
  json_t *lines = json_array(), *remarks = json_array();
  for (size_t i = 0; i < all->count; i++) {
    dperm_finding finding = all->lines[i].finding;
    json_t *text = json_words(all->lines[i].text);
    (void)(finding == DPERM_FINDING_REMARK
               ? json_array_append_new(remarks, text)
               : json_array_append_new(lines,
                                       json_pack("{s:b, s:o}", "holds",
                                                 finding == DPERM_FINDING_HOLDS, "text", text)));
  }
  report_print(
      json_pack("{s:s, s:o, s:o}", "verdict", verdict, "lines", lines, "remarks", remarks));
}

int findings_show(const findings *all, const char *path, const char *subject,
                  const char *const verdicts[2], bool holds, bool json) {
  if (all->out_of_memory) {
    return complain_of_memory();
  }
  if (json) {
    print_json(all, verdicts[holds != 0]);
  } else {
    print_text(all);
  }
  if (holds) {
    return 0;
  }
  size_t i = 0;
  while (i < all->count && all->lines[i].finding != DPERM_FINDING_FAILS) {
    i++;
  }
  (void)fflush(stdout);
  return complain("%s: %s %s; %s", strcmp(path, "-") == 0 ? "standard input" : path, subject,
                  verdicts[0], i < all->count ? all->lines[i].text : "");
}
