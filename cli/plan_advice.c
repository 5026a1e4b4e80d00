/* See plan_advice.h. */
#include "plan_advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "handles.h"
#include "json_print.h"
#include "message.h"

enum { SHOWN_MOST = 20 };

typedef struct collector {
  plan_advice *to;
  size_t capacity;
} collector;

static void collect(void *context, const dperm_column_plan *column) {
  collector *c = context;
  if (c->to->count < c->capacity) {
    c->to->columns[c->to->count++] = *column;
  }
}

dperm_status plan_advice_make(size_t rows, const dperm_schema *schema, const dperm_options *options,
                              plan_advice *out, dperm_error *err) {
  collector c = {out, dperm_schema_columns(schema) + dperm_schema_crosses(schema)};
  out->columns = calloc(c.capacity, sizeof *out->columns);
  if (!out->columns) {
    return fail(err, DPERM_OUT_OF_MEMORY, "out of memory; close other programs");
  }
  return dperm_plan_columns(rows, schema, options, collect, &c, err);
}

void plan_advice_close(plan_advice *advice) {
  free(advice->columns);
}

/* The name of a column, or the two of a cross. */
static const char *name_of(const dperm_column_plan *p, const dperm_schema *schema, size_t which) {
  if (p->column < dperm_schema_columns(schema)) {
    return which ? NULL : dperm_schema_column_name(schema, p->column);
  }
  return dperm_schema_column_name(schema, dperm_schema_cross_column(schema, p->cross, which));
}

static size_t dims_of(const dperm_column_plan *p, const dperm_schema *schema) {
  return p->column < dperm_schema_columns(schema) ? dperm_schema_column_width(schema, p->column)
                                                  : dperm_schema_cross_width(schema, p->cross);
}

/* ---- for people */

static int by_share(const void *a, const void *b) {
  const dperm_column_plan *x = a, *y = b;
  if (x->noise_share < y->noise_share || x->noise_share > y->noise_share) {
    return x->noise_share < y->noise_share ? 1 : -1;
  }
  return (x->column > y->column) - (x->column < y->column);
}

/* "-3.1%" */
static void print_change(double relative) {
  if (isnan(relative)) {
    printf(" %11s", "-");
  } else {
    printf(" %+10.1f%%", 100 * (relative - 1));
  }
}

void plan_advice_print(plan_advice *advice, const dperm_schema *schema) {
  size_t shown = advice->count < SHOWN_MOST ? advice->count : SHOWN_MOST;
  if (advice->count == 0 || isnan(advice->columns[0].noise_share)) {
    return;
  }
  qsort(advice->columns, advice->count, sizeof *advice->columns, by_share);
  printf("\ncolumn                     encoded  of noise  without it    halved  bins that pay\n");
  for (size_t i = 0; i < shown; i++) {
    const dperm_column_plan *p = &advice->columns[i];
    const char *second = name_of(p, schema, 1);
    char name[64];
    (void)snprintf(name, sizeof name, "%.30s%s%.30s", visible(name_of(p, schema, 0)).text,
                   second ? "*" : "", second ? visible(second).text : "");
    printf("%-26s %7zu %8.1f%%", name, dims_of(p, schema), 100 * p->noise_share);
    print_change(p->without);
    print_change(p->halved);
    if (p->bins) {
      printf("  %zu", p->bins);
    }
    printf("\n");
  }
  if (shown < advice->count) {
    printf("(the %zu with most of the noise; --json has all %zu)\n", shown, advice->count);
  }
  printf(
      "without it, halved: how the noise's rms norm changes if the column is left out, or has "
      "half\n"
      "as many values; a column that says little about the label is worth less than its noise\n");
}

/* ---- for programs */

static void print_number(const char *name, double value) {
  printf(isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

void plan_advice_print_json(const plan_advice *advice, const dperm_schema *schema) {
  printf("  \"columns\": [");
  for (size_t i = 0; i < advice->count; i++) {
    const dperm_column_plan *p = &advice->columns[i];
    printf("%s\n  {\"name\": ", i ? "," : "");
    json_quote(stdout, name_of(p, schema, 0));
    printf(", \"crossed_with\": ");
    json_quote(stdout, name_of(p, schema, 1));
    printf(", \"dims\": %zu", dims_of(p, schema));
    print_number("noise_share", p->noise_share);
    print_number("without", p->without);
    print_number("halved", p->halved);
    printf(p->bins ? ", \"bins\": %zu}" : ", \"bins\": null}", p->bins);
  }
  printf("],\n");
}
