/* See bins_setting.h. */
#include "bins_setting.h"

#include <dperm/bins.h>
#include <math.h>
#include <string.h>

#include "choices.h"
#include "handles.h"
#include "message.h"

const char *bins_default(void) {
  dperm_resolve_options how;
  dperm_resolve_options_init(&how); /* the library decides, for Python too */
  return how.all_numeric ? "auto" : "none";
}

argument bins_argument(const char **word) {
  *word = bins_default();
  return (argument){"--bins",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    choices(bins_name, 0),
                    strcmp(*word, "auto") == 0
                        ? "numeric columns without \"bins\": as many as the rows can pay for (auto)"
                        : "numeric columns without \"bins\": as many as the rows can pay for, or "
                          "none; by default none, but train asks the records (--refine)"};
}

void binned_schema_close(binned_schema *schema) {
  if (schema->reading != schema->given) {
    dperm_schema_free(schema->reading);
  }
  dperm_schema_free(schema->given);
  *schema = (binned_schema){0};
}

static dperm_resolve_options resolve_options(const binned_schema *schema, size_t rows,
                                             double epsilon) {
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = rows;
  how.epsilon = epsilon;
  how.all_numeric = schema->all;
  return how;
}

/* Rows that are encoded already have what bins they have. */
static dperm_status check_format(const char *const *word, const dperm_source *source,
                                 const binned_schema *schema, bool *encoded, dperm_error *err) {
  dperm_format format = DPERM_FORMAT_AUTO;
  TRY(dperm_source_format(source, &format, err));
  *encoded = format != DPERM_FORMAT_CSV;
  bool asked = argument_given(word) && schema->all;
  if (*encoded && asked) {
    return fail(err, DPERM_INVALID_ARGUMENT,
                "--bins auto is for CSV records; the rows of %s are encoded already",
                visible(source->path).text);
  }
  if (*encoded && schema->given && dperm_schema_unresolved(schema->given, 0)) {
    return fail(err, DPERM_INVALID_SCHEMA,
                "%s is encoded already, with bins of its own; leave --schema out",
                visible(source->path).text);
  }
  return DPERM_OK;
}

dperm_status binned_schema_open(const char *path, const char *const *word, dperm_source *source,
                                binned_schema *out, dperm_error *err) {
  bool encoded = false;
  out->all = strcmp(*word, "auto") == 0;
  if (path) {
    TRY(dperm_schema_read(path, &out->given, err));
    out->reading = out->given;
  }
  source->schema = out->given;
  TRY(check_format(word, source, out, &encoded, err));
  out->waits = out->given && !encoded && dperm_schema_unresolved(out->given, out->all);
  if (out->waits) {
    const dperm_resolve_options how = resolve_options(out, 0, (double)NAN);
    out->reading = NULL;
    TRY(dperm_schema_resolve(out->given, &how, &out->reading, err));
    source->schema = out->reading;
  }
  return DPERM_OK;
}

dperm_status binned_schema_resolve(const binned_schema *schema, size_t fit_rows, double fit_epsilon,
                                   dperm_schema **out, dperm_error *err) {
  dperm_resolve_options how = resolve_options(schema, fit_rows, fit_epsilon);
  how.all_numeric = schema->all && schema->waits;
  *out = NULL;
  return schema->given ? dperm_schema_resolve(schema->given, &how, out, err) : DPERM_OK;
}

dperm_status binned_schema_settle(const binned_schema *schema, const dperm_schema *resolved,
                                  dperm_data *data, dperm_error *err) {
  return schema->waits && data ? dperm_data_merge_bins(data, resolved, err) : DPERM_OK;
}
