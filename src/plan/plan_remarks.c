/* What a plan shows of costs to accuracy: the schema's own remarks, and what follows from the
 * number of rows and epsilon. Public numbers only. */
#include <stdio.h>

#include "plan/planned.h"

/* Above it a model is noise to a good part; and such a share of all noise is much for a column. */
static const double much_noise = 0.5, large_share = 0.25;

enum { FEW_COLUMNS = 4 /* of which one may well have a quarter of the noise */ };

static void add_noise(const dperm_plan *plan, json_t **remarks) {
  char rows[80] = "";
  if (plan->rows_to_halve_noise > 0) {
    (void)snprintf(rows, sizeof rows, ", or have %zu rows, which halve it",
                   plan->rows_to_halve_noise);
  }
  if (plan->noise && plan->noise_to_signal >= much_noise) {
    json_append_line(
        remarks,
        "the noise is %.2g times the signal, much for %zu encoded columns: leave out or group "
        "those that say least about the label, take a larger epsilon%s",
        plan->noise_to_signal, plan->dims, rows);
  }
}

/* The column with the most noise, if it is categorical and has far more than its part. */
static void add_share(const json_t *columns, const dperm_schema *schema, json_t **remarks) {
  const json_t *column, *most = NULL;
  double largest = large_share;
  size_t i;
  json_array_foreach(columns, i, column) {
    const double share = json_number_value(json_object_get(column, "noise_share"));
    if (share > largest) {
      largest = share;
      most = column;
    }
  }
  if (most && schema_encoded_columns(schema) >= FEW_COLUMNS) {
    const char *second = json_text_at(most, "crossed_with");
    json_append_line(
        remarks,
        "%s \"%.64s%s%.64s\" has %.0f percent of the noise: merge rare values (\"groups\"), or "
        "leave it out unless it says as much about the label",
        second ? "the cross" : "column", json_text_at(most, "name"), second ? "*" : "",
        second ? second : "", 100 * largest);
  }
}

json_t *plan_remarks(const dperm_plan *plan, const dperm_schema *given, const json_t *columns) {
  json_t *remarks = given ? schema_remarks(given) : json_array();
  add_noise(plan, &remarks);
  if (columns) {
    add_share(columns, given, &remarks);
  }
  return remarks;
}
