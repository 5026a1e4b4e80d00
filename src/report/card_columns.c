/* What goes into the model: columns, where ranges and values come from, what is sensitive. */
#include <stdio.h>
#include <string.h>

#include "report/card.h"

enum {
  COLUMNS_SHOWN = 200, /* a page has an end */
  VALUES_SHOWN = 8,
  VALUE_SHOWN = 40,
  LINE_SIZE = 2400,
  SOURCE_SIZE = 1100
};

static bool is_input(const schema_column *column) {
  return column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL;
}

static size_t append_numbers(const schema_column *column, char *out, size_t size) {
  char low[DOUBLE_TEXT_SIZE], high[DOUBLE_TEXT_SIZE], bins[48] = "";
  (void)format_double(column->min, false, low);
  (void)format_double(column->max, false, high);
  if (column_bins(column) > 0) {
    (void)snprintf(bins, sizeof bins, ", in %zu interval%s", column_bins(column),
                   column_bins(column) > 1 ? "s" : "");
  }
  return (size_t)snprintf(out, size, "a number from %s to %s%s", low, high, bins);
}

static size_t append_values(const schema_column *column, char *out, size_t size) {
  const class_list *values = &column->categories;
  size_t used = (size_t)snprintf(out, size, "one of %zu: ", values->count);
  for (size_t i = 0; i < values->count && i < VALUES_SHOWN; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? ", " : "", VALUE_SHOWN,
                             values->names[i]);
  }
  if (values->count > VALUES_SHOWN) {
    used += (size_t)snprintf(out + used, size - used, ", …");
  }
  return used;
}

/* ---- sources: columns of one dictionary share theirs, so they are numbered */

enum { SOURCES_MOST = 64 };

typedef struct sources {
  const char *others; /* what to say of columns without, if some have one; else NULL */
  const char *list[SOURCES_MOST];
  size_t count;
} sources;

/* "; source 2", or in full where there is no number left. */
static void append_source(sources *all, const char *source, char *out, size_t size) {
  size_t number = 0;
  if (!source) {
    return;
  }
  while (number < all->count && strcmp(all->list[number], source) != 0) {
    number++;
  }
  if (number == SOURCES_MOST) {
    (void)snprintf(out, size, "; source: %s", source);
    return;
  }
  all->list[number] = source;
  all->count += number == all->count;
  (void)snprintf(out, size, "; source %zu", number + 1);
}

static void write_sources(report *p, const sources *all) {
  for (size_t i = 0; i < all->count; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "source %zu", i + 1);
    report_row_words(p, name, all->list[i]);
  }
}

/* ---- rows */

static const char *sensitive_words(const schema_column *column) {
  return column->sensitive ? "; sensitive" : "";
}

static void write_column(report *p, const schema_column *column, sources *all) {
  char line[LINE_SIZE], source[SOURCE_SIZE] = "";
  const size_t used = column->type == COLUMN_NUMERIC ? append_numbers(column, line, sizeof line)
                                                     : append_values(column, line, sizeof line);
  append_source(all, column->source ? column->source : all->others, source, sizeof source);
  (void)snprintf(line + used, sizeof line - used, "%s%s", source, sensitive_words(column));
  report_row_words(p, column->name, line);
}

/* The label's own values; columns that are ignored, or read for rates alone. */
static void write_rest(report *p, const dperm_schema *schema) {
  char ignored[LINE_SIZE] = "";
  size_t used = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (!is_input(column) && column->type != COLUMN_LABEL && used < sizeof ignored - 80) {
      used += (size_t)snprintf(ignored + used, sizeof ignored - used, "%s%.64s%s", used ? ", " : "",
                               column->name, sensitive_words(column));
    }
  }
  if (used > 0) {
    report_row_words(p, "not learned from", ignored);
  }
}

static const schema_column *label_of(const dperm_schema *schema) {
  for (size_t i = 0; i < schema->column_count; i++) {
    if (schema->columns[i].type == COLUMN_LABEL) {
      return &schema->columns[i];
    }
  }
  return NULL;
}

static void write_label(report *p, const dperm_schema *schema, sources *all) {
  const schema_column *label = label_of(schema);
  char source[SOURCE_SIZE] = "";
  append_source(all, label ? label->source : NULL, source, sizeof source);
  if (schema->target) {
    append_source(all, schema->target->source, source, sizeof source);
    report_row(p, "predicted", "%.64s, a number from %g to %g%s%s", schema->label_column,
               schema->target->min, schema->target->max, source, sensitive_words(schema->target));
    return;
  }
  report_row(p, "predicted", "%.64s%s%s", schema->label_column, source,
             label ? sensitive_words(label) : "");
}

void card_write_columns(report *p, const statement *s) {
  const dperm_schema *schema = s->model->schema;
  sources all = {.count = 0};
  size_t inputs = 0;
  report_heading(p, "What goes in");
  if (!schema) {
    report_text(
        p, "Rows of %zu numbers that were made elsewhere; the file does not say what they mean.",
        s->model->dims);
    return;
  }
  report_text(
      p, "Numbers outside of a range count as its end, and values that are not listed as none.");
  for (size_t i = 0; i < schema->column_count; i++) {
    all.others = schema->columns[i].source ? "not stated" : all.others;
  }
  for (size_t i = 0; i < schema->column_count; i++) {
    if (is_input(&schema->columns[i]) && inputs++ < COLUMNS_SHOWN) {
      write_column(p, &schema->columns[i], &all);
    }
  }
  if (inputs > COLUMNS_SHOWN) {
    report_row(p, "…", "and %zu more columns", inputs - COLUMNS_SHOWN);
  }
  write_label(p, schema, &all);
  write_rest(p, schema);
  write_sources(p, &all);
  if (all.count == 0) {
    report_text(p, "The schema does not state where its ranges and values come from.");
  }
}
