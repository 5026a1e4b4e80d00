/* The progress bar of cli/output/message.h in a page: what the library says of its progress goes to
 * the page as it comes, by Module.progress; the page draws. A run is stopped by ending its worker,
 * so nothing is ever asked to stop. */
#include <dperm/synthetic.h>
#include <emscripten.h>

#include "commands/commands.h"

/* Nor is there a command for ledgers (no_ledger.c). */
const command ledger_actions[] = {{0}};

EM_JS(void, tell_page, (const char *stage, double done, double total), {
  if (Module.progress) {
    Module.progress(UTF8ToString(stage), done, total);
  }
});

static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  tell_page(stage, (double)done, (double)total);
  return false;
}

const dperm_progress *progress_bar(void) {
  static const dperm_progress progress = {tick, NULL};
  return &progress;
}

void progress_bar_off(void) {}

void progress_bar_wipe(void) {}

/* Made-up records and their schema, to try the page with; 0 if they are there. */
EMSCRIPTEN_KEEPALIVE int page_example(int rows) {
  const char *schema = dperm_synthetic_census_schema();
  dperm_error err;
  bool made = dperm_synthetic_census_make("/example.csv", (size_t)rows, 1, NULL, &err) == DPERM_OK;
  return made && write_text("/example.json", schema, strlen(schema), &err) == DPERM_OK ? 0 : 1;
}
