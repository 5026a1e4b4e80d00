/* See verification_lines.h. */
#include "output/verification_lines.h"

#include <stdio.h>
#include <string.h>

#include "output/json_report.h"
#include "output/message.h"

void findings_collect(void *lines, dperm_finding finding, const char *line) {
  (void)json_array_append_new(
      lines, json_pack("{s:i, s:o}", "finding", (int)finding, "text", json_words(line)));
}

static dperm_finding finding_of(const json_t *line) {
  return (dperm_finding)json_integer_value(json_object_get(line, "finding"));
}

static void print_text(const json_t *all) {
  static const char *const marks[] = {[DPERM_FINDING_FAILS] = "FAILS",
                                      [DPERM_FINDING_HOLDS] = "ok",
                                      [DPERM_FINDING_REMARK] = "note"};
  const json_t *line;
  size_t i;
  json_array_foreach(all, i, line) {
    printf("%-6s %s\n", marks[finding_of(line)], report_text(line, "text"));
  }
}

static void print_json(const json_t *all, const char *verdict) {
  json_t *lines = json_array(), *remarks = json_array();
  const json_t *line;
  size_t i;
  json_array_foreach(all, i, line) {
    json_t *text = json_object_get(line, "text");
    (void)(finding_of(line) == DPERM_FINDING_REMARK
               ? json_array_append(remarks, text)
               : json_array_append_new(lines, json_pack("{s:b, s:O}", "holds",
                                                        finding_of(line) == DPERM_FINDING_HOLDS,
                                                        "text", text)));
  }
  report_print(
      json_pack("{s:s, s:o, s:o}", "verdict", verdict, "lines", lines, "remarks", remarks));
}

int findings_show(const json_t *lines, const char *path, const char *subject,
                  const char *const verdicts[2], bool holds, bool json) {
  const json_t *line;
  size_t i;
  if (json) {
    print_json(lines, verdicts[holds]);
  } else {
    print_text(lines);
  }
  if (holds) {
    return 0;
  }
  const char *failed = "";
  json_array_foreach(lines, i, line) {
    failed =
        !*failed && finding_of(line) == DPERM_FINDING_FAILS ? report_text(line, "text") : failed;
  }
  (void)fflush(stdout);
  return complain("%s: %s %s; %s", strcmp(path, "-") == 0 ? "standard input" : path, subject,
                  verdicts[0], failed);
}
