/* What verification derives from a model's schema alone, in code and arithmetic of its own, is what
 * the encoder's bounds are: R₁, the body's radii and R_K of mixed noise, for random schemas with
 * every kind of column.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "dperm/verify.h"
#include "random/noise.h"
#include "random_layout.h"

enum { RECORDS = 8 };

/* The number behind `words` in a line of the report. */
typedef struct told {
  const char *words;
  double number;
} told;

static void keep_number(void *context, dperm_finding finding, const char *line) {
  told *t = context;
  const char *at = strstr(line, t->words);
  if (finding == DPERM_FINDING_FAILS) {
    fail_msg("%s", line);
  }
  t->number = at ? strtod(at + strlen(t->words), NULL) : t->number;
}

static double told_of(const dperm_data *data, dperm_noise noise, const char *words) {
  told t = {words, (double)NAN};
  auto_model *model = NULL;
  auto_file *path = file_with_text("");
  bool holds = false;
  dperm_options options = options_for(1);
  options.lambda = 10;
  options.noise = noise;
  assert_ok(dperm_train(data, &options, &model, err));
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, keep_number, &t, &holds, err));
  assert_int_equal(holds, 1);
  return t.number;
}

TEST(verification_derives_the_same_bounds) {
  static text_buffer text;
  random_source r = seeded(31);
  size_t crosses = 0, lines = 0, blocks = 0;
  for (size_t round = 0; round < repetitions(24, 400); round++) {
    const layout l = layout_draw(&r);
    auto_schema *schema = NULL;
    layout_schema(&l, &text);
    assert_ok(dperm_schema_parse(text.bytes, text.length, "s.json", &schema, err));
    auto_data *data = layout_data(&l, &r, RECORDS, schema);
    double one = told_of(data, DPERM_NOISE_L1, "norm1: l1 noise: |x| <= ");
    assert_close(one / schema->bounds.norm1, 1, 1e-13);
    double mixed = noise_mixed.row_bound(&schema->bounds, schema->dims);
    if (mixed > 0) { /* there are blocks */
      assert_close(told_of(data, DPERM_NOISE_MIXED, "|x| <= ") / mixed, 1, 1e-12);
      blocks++;
    }
    crosses += l.cross_count;
    for (size_t c = 0; c < l.count; c++) {
      lines += l.columns[c].line > 0;
    }
  }
  assert_true(crosses > 5 && lines > 5 && blocks > 5); /* else nothing was tried */
}
