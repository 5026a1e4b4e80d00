/* Classes are what the dictionary lists: its values, the whole numbers of a short range, false and
 * true. Of two the positive one is the caller's, the one by custom (no/yes, 0/1), or the second. */
#include "draft/import_label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draft/draft_remarks.h"
#include "draft/draft_rules.h"
#include "draft/import_column.h"

enum {
  SHOWN = 8, /* values in a message */
  MOST = 20  /* values that are classes each without anybody asking: each is a fit */
};

static const char *first_text(const json_t *categories, size_t at) {
  return json_string_value(json_array_get(json_array_get(categories, at), 0));
}

/* "a", "b" and 3 more */
static void list_values(const json_t *categories, char *out, size_t size) {
  size_t used = 0, count = json_array_size(categories);
  out[0] = '\0';
  for (size_t i = 0; i < count && i < SHOWN && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s\"%.24s\"", i ? ", " : "",
                             first_text(categories, i));
  }
  if (count > SHOWN && used < size) {
    (void)snprintf(out + used, size - used, " and %zu more", count - SHOWN);
  }
}

/* Whole numbers between bounds that are near each other are a list, too. */
static dperm_status list_range(dictionary *d, dictionary_column *column, dperm_error *err) {
  double low = ceil(column->min), high = floor(column->max), count = high - low + 1;
  if (column->categories || column->kind != DICTIONARY_NUMBER || !column->whole ||
      !(count >= 2 && count <= MOST && fabs(low) <= 1e15)) { /* false of NaN as well */
    return DPERM_OK;
  }
  json_auto_t *numbers = json_array();
  for (double x = low; x <= high && numbers; x++) {
    json_append(&numbers, json_integer((json_int_t)x));
  }
  if (!numbers) {
    return dictionary_no_memory(err);
  }
  TRY(dictionary_categories(numbers, &column->categories, err));
  return import_drop_missing(d, column, err);
}

static json_t *texts_json(const char *const *texts, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count && list; i++) {
    json_append(&list, json_string(texts[i]));
  }
  return list;
}

/* What a list holds goes behind what the other one has. */
static void append_all(json_t **list, const json_t *more) {
  for (size_t i = 0; i < json_array_size(more) && *list; i++) {
    json_append(list, json_incref(json_array_get(more, i)));
  }
}

static dperm_status two_sides(const char *name, json_t *positive, json_t *negative, json_t **out,
                              dperm_error *err) {
  if (!positive || !negative) {
    return dictionary_no_memory(err);
  }
  *out = json_pack("{s:s, s:O, s:O}", "column", name, "positive", positive, "negative", negative);
  return *out ? DPERM_OK : dictionary_no_memory(err);
}

/* The positive texts are the caller's, and the dictionary lists none. */
static dperm_status sides_of_unlisted(dictionary *d, const dictionary_column *column,
                                      const dperm_import_options *options, json_t **out,
                                      dperm_error *err) {
  json_auto_t *positive = texts_json(options->positive, options->positive_count);
  json_auto_t *negative = json_string("*");
  draft_remark(&d->remarks,
               "column \"%.64s\": the label; all values but the positive ones are negative "
               "(\"*\"), new and misspelt ones too",
               column->name);
  return two_sides(column->name, positive, negative, out, err);
}

/* The categories that hold one of the caller's texts are positive, the others negative. */
static dperm_status sides_of_listed(const dictionary *d, const dictionary_column *column,
                                    const dperm_import_options *options, json_t **out,
                                    dperm_error *err) {
  char shown[512];
  size_t chosen = 0, count = json_array_size(column->categories), known = 0;
  json_auto_t *positive = json_array(), *negative = json_array();
  list_values(column->categories, shown, sizeof shown);
  for (size_t i = 0; i < count; i++) {
    const json_t *texts = json_array_get(column->categories, i);
    size_t held = 0;
    for (size_t p = 0; p < options->positive_count; p++) {
      held += dictionary_holds(texts, options->positive[p]);
    }
    known += held;
    chosen += held > 0;
    append_all(held ? &positive : &negative, texts);
  }
  if (known < options->positive_count || chosen == count) {
    return json_fail_at(d->doc, column->place, err,
                        "%s of the labels in column \"%.64s\"; it lists %s: name some of them as "
                        "positive",
                        chosen == count ? "the positive labels are all"
                                        : "a positive label is none",
                        column->name, shown);
  }
  return two_sides(column->name, positive, negative, out, err);
}

static dperm_status sides_of_two(dictionary *d, const dictionary_column *column, json_t **out,
                                 dperm_error *err) {
  const json_t *all = column->categories;
  bool truths = column->kind == DICTIONARY_BOOLEAN;
  int custom =
      truths ? 1 : draft_custom_label(slice_of(first_text(all, 0)), slice_of(first_text(all, 1)));
  size_t positive = custom >= 0;
  draft_remark(&d->remarks,
               "column \"%.64s\": the label; \"%.64s\" is positive (%s) unless you say otherwise",
               column->name, first_text(all, positive),
               custom ? "by custom" : "the second in the list");
  return two_sides(column->name, json_array_get(all, positive), json_array_get(all, !positive), out,
                   err);
}

static dperm_status classes_of_several(dictionary *d, const dictionary_column *column, json_t **out,
                                       dperm_error *err) {
  size_t count = json_array_size(column->categories);
  json_auto_t *classes = json_array();
  if (count > MOST) {
    char shown[512];
    list_values(column->categories, shown, sizeof shown);
    return json_fail_at(d->doc, column->place, err,
                        "the label in column \"%.64s\" has %zu values: %s; more than %d are not "
                        "taken for classes: name the positive ones, and the rest is negative",
                        column->name, count, shown, MOST);
  }
  for (size_t i = 0; i < count && classes; i++) {
    append_all(&classes, json_array_get(column->categories, i));
  }
  draft_remark(&d->remarks,
               "column \"%.64s\": the label; its %zu values are classes, a fit of epsilon/%zu "
               "each; naming positive ones makes two classes of them",
               column->name, count, count);
  *out = classes ? json_pack("{s:s, s:O}", "column", column->name, "classes", classes) : NULL;
  return *out ? DPERM_OK : dictionary_no_memory(err);
}

dperm_status import_label_json(dictionary *d, dictionary_column *column,
                               const dperm_import_options *options, json_t **out,
                               dperm_error *err) {
  import_use use = import_judge(column);
  if (use == IMPORT_KEY || use == IMPORT_UNIQUE || use == IMPORT_SEVERAL) {
    return json_fail_at(d->doc, column->place, err,
                        "column \"%.64s\" %s, so it cannot be the label; name another column",
                        column->name,
                        use == IMPORT_SEVERAL ? "holds several values in a field"
                                              : "names records, as identifiers do");
  }
  TRY(list_range(d, column, err));
  size_t count = json_array_size(column->categories);
  if (!column->categories && options->positive) {
    return sides_of_unlisted(d, column, options, out, err);
  }
  if (count < 2) {
    return json_fail_at(d->doc, column->place, err,
                        "the dictionary lists %s of the label in column \"%.64s\"; list its values "
                        "there (%s)%s",
                        count ? "one value only" : "no values", column->name, d->list_hint,
                        column->categories ? "" : ", or name the positive ones");
  }
  if (options->positive) {
    return sides_of_listed(d, column, options, out, err);
  }
  return count == 2 ? sides_of_two(d, column, out, err) : classes_of_several(d, column, out, err);
}
