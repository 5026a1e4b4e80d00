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

/* Of a line that fails, all but what the mark says already. */
static void print_line(const char *mark, const char *words, const char *said) {
  const char *at = strcmp(mark, "FAILS") == 0 ? strstr(words, said) : NULL;
  printf("%-6s %.*s%s\n", mark, at ? (int)(at - words) : 0, words, at ? at + strlen(said) : words);
}

dperm_status findings_show(const json_t *all, const char *path, const char *subject,
                           const char *const verdicts[2], bool holds, bool json, dperm_error *err) {
  static const char *const marks[] = {[DPERM_FINDING_FAILS] = "FAILS",
                                      [DPERM_FINDING_HOLDS] = "ok",
                                      [DPERM_FINDING_REMARK] = "note"};
  json_t *lines = json_array(), *remarks = json_array(), *line;
  const char *failed = "";
  size_t i;
  json_array_foreach(all, i, line) {
    dperm_finding finding = (dperm_finding)json_integer_value(json_object_get(line, "finding"));
    json_t *text = json_object_get(line, "text");
    failed = !*failed && finding == DPERM_FINDING_FAILS ? json_string_value(text) : failed;
    if (!json) {
      print_line(marks[finding], json_string_value(text), ": does not hold");
    } else if (finding == DPERM_FINDING_REMARK) {
      (void)json_array_append(remarks, text);
    } else {
      (void)json_array_append_new(
          lines, json_pack("{s:b, s:O}", "holds", finding == DPERM_FINDING_HOLDS, "text", text));
    }
  }
  json_t *report =
      json_pack("{s:s, s:o, s:o}", "verdict", verdicts[holds], "lines", lines, "remarks", remarks);
  if (json) {
    report_print(json_incref(report));
  }
  json_decref(report);
  (void)fflush(stdout);
  return holds
             ? DPERM_OK
             : fail(err, DPERM_INVALID_DATA, "%s: %s %s; %s",
                    strcmp(path, "-") == 0 ? "standard input" : path, subject, verdicts[0], failed);
}
