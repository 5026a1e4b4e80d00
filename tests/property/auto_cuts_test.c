/* The cuts of "auto" bins are sound for any range: they rise inside of it, and those of fewer bins
 * are among those of more. */
#include <math.h>

#include "schema/auto_bins.h"
#include "schema/resolve_bins.h"
#include "support.h"
#include "text_buffer.h"

static size_t below(random_source *r, size_t count) {
  return (size_t)(random_bits(r) % count);
}

static double any_end(random_source *r) {
  static const double odd[] = {0, 1, -1, 5e-324, -5e-324, 1e308, -1e308, 250, 99999, 1e-300};
  double size = ldexp(random_unit(r), (int)below(r, 2000) - 1000);
  return below(r, 3) == 0 ? odd[below(r, 10)] : below(r, 2) ? size : -size;
}

TEST(cuts_of_any_range_rise_inside_of_it) {
  static const size_t rows[] = {1, 200, 750, 900, 3000};
  static text_buffer text;
  random_source r;
  size_t wide = 0, whole = 0, tried = 0;
  assert_ok(random_seeded(23, &r, err));
  while (tried < 2000) {
    double a = any_end(&r), b = below(&r, 4) ? any_end(&r) : nextafter(a, (double)INFINITY);
    if (tried % 5 == 0) {
      a = (double)below(&r, 20) - 10;
      b = a + (double)below(&r, 20);
    }
    double low = fmin(a, b), high = fmax(a, b);
    auto_schema *schema = NULL, *before = NULL;
    text.length = 0;
    put(&text,
        "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
        "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": %.17g, \"max\": %.17g, "
        "\"bins\": \"auto\"%s}]}",
        low, high, low > -1 && below(&r, 2) ? ", \"transform\": \"log1p\"" : "");
    if (dperm_schema_parse(text.bytes, text.length, "s.json", &schema, NULL) != DPERM_OK) {
      continue; /* no range at all */
    }
    tried++;
    wide += auto_bins_wide(&schema->columns[0]);
    whole += auto_bins_whole(&schema->columns[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { /* parsing checks that they rise */
      dperm_schema *more = NULL;
      assert_ok(schema_resolve(schema, false, rows[i], 1, &more, err));
      const schema_column *column = &more->columns[0];
      size_t found = 0;
      for (size_t c = 0; before && c < before->columns[0].cut_count; c++) {
        while (found < column->cut_count && column->cuts[found] < before->columns[0].cuts[c]) {
          found++;
        }
        assert_true(found < column->cut_count && column->cuts[found] == before->columns[0].cuts[c]);
      }
      assert_true(column->cut_count < AUTO_BINS_MOST);
      dperm_schema_free(before);
      before = more;
    }
  }
  assert_true(wide > 200 && whole > 100);
}
