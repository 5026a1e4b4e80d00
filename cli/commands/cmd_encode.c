/* dperm encode: records in, an encoded file out, for data that are read often or outgrow memory. */

#include "commands/commands.h"

static const char closing[] =
    "The encoded file contains the schema and can be used wherever --data takes records. It is "
    "memory-mapped, so it may be larger than memory, and gives the same model, even with a schema "
    "that has other bins. It is as sensitive as the records; only its owner may read it.";

dperm_status run_encode(int argc, char **argv, dperm_error *err) {
  const char *data = NULL, *schema_path = NULL, *out = NULL;
  dperm_format format = DPERM_FORMAT_AUTO;
  dperm_neighbours neighbours = DPERM_NEIGHBOURS_REPLACE;
  size_t dims = 0, rows = 0;
  bool json = false;
  argument table[] = {
      shared_argument("--data", &data),
      shared_argument("--schema", &schema_path),
      {"--out", ARGUMENT_OUTPUT, &out, true, "FILE", "file to write the encoded records to"},
      shared_argument("--format", &format),
      shared_argument("--dims", &dims),
      {"--neighbours", ARGUMENT_CHOICE, &neighbours, false, NULL,
       "as in the fit to follow: add-remove allows a file without records (default: replace)",
       GROUP_USUAL, neighbours_name},
      shared_argument("--json", &json),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  RETURN_IF(json && strcmp(out, "-") == 0,
            wrong_usage(err, "--json and --out - both go to standard output"));
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(schema_path ? dperm_schema_read(schema_path, &schema, err) : DPERM_OK);
  const dperm_source source = {.path = data,
                               .format = format,
                               .schema = schema,
                               .dims = dims,
                               .may_be_empty = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE};
  TRY(dperm_encode_file(&source, out, progress_bar(), &rows, err));
  progress_bar_wipe();
  if (json) {
    report_print(json_pack("{s:o, s:I}", "file", json_words(out), "rows", (json_int_t)rows));
  } else {
    note("%s: %zu row%s encoded; as sensitive as the records",
         strcmp(out, "-") == 0 ? "standard output" : out, rows, plural(rows));
  }
  return DPERM_OK;
}
