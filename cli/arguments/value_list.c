/* See value_list.h. */
#include "arguments/value_list.h"

#include "arguments/arguments.h"
#include "output/handles.h"

const char **split_texts(const char *list, size_t *count) {
  size_t length = strlen(list) + 1;
  *count = 1;
  for (const char *c = list; *c; c++) {
    *count += *c == ',';
  }
  const char **texts = malloc(*count * sizeof *texts + length);
  char *at = texts ? memcpy(texts + *count, list, length) : NULL;
  for (size_t i = 0; texts && i < *count; i++) {
    texts[i] = at;
    at += strcspn(at, ",");
    *at++ = '\0';
  }
  return texts;
}

/* ---- combinations */

static bool same_value(const char *a, const char *b) {
  double x = 0, y = 0;
  return strcmp(a, b) == 0 || (read_number(a, &x) && read_number(b, &y) && x == y);
}

static dperm_status split(const char *option, const char *text, const char *hint, word_list *out,
                          dperm_error *err) {
  out->words = split_texts(text, &out->count);
  RETURN_IF(!out->words, out_of_memory(err));
  RETURN_IF(out->count > LIST_MOST,
            wrong_usage(err, "%s has more than %d values; give fewer", option, LIST_MOST));
  for (size_t i = 0; i < out->count; i++) {
    const char *word = out->words[i];
    RETURN_IF(!*word,
              wrong_usage(err, "%s must be a list of values with commas between, not \"%.40s\"",
                          option, text));
    for (size_t j = 0; j < i; j++) {
      RETURN_IF(same_value(out->words[j], word),
                wrong_usage(err, "%s has %.40s twice%s", option, word, hint));
    }
  }
  return DPERM_OK;
}

void word_lists_free(word_list (*lists)[LISTS]) {
  for (int i = 0; i < LISTS; i++) {
    free((*lists)[i].words);
  }
}

bool word_list_has(const word_list *list, const char *word) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->words[i], word) == 0) {
      return true;
    }
  }
  return false;
}

dperm_status word_lists_split(const char *const options[LISTS], const char *const texts[LISTS],
                              const char *hint, word_list out[LISTS], dperm_error *err) {
  for (int i = 0; i < LISTS; i++) {
    TRY(split(options[i], texts[i] ? texts[i] : "-", hint, &out[i], err));
  }
  return DPERM_OK;
}

size_t word_lists_combinations(const word_list lists[LISTS]) {
  size_t all = 1;
  for (int i = 0; i < LISTS; i++) {
    all = lists[i].count > SIZE_MAX / all ? SIZE_MAX : all * lists[i].count;
  }
  return all;
}

void word_lists_combination(const word_list lists[LISTS], size_t combination,
                            const char *words[LISTS]) {
  for (int i = LISTS - 1; i >= 0; i--) {
    words[i] = lists[i].words[combination % lists[i].count];
    combination /= lists[i].count;
  }
}

/* ---- class weights */

static dperm_status refuse_word(const char *word, dperm_error *err) {
  return wrong_usage(
      err, "--class-weights must be NAME=W,NAME=W with public numbers above zero, not \"%.40s\"%s",
      word,
      strcmp(word, "balanced") == 0
          ? "; balanced weights would count the records, which is not private"
          : "");
}

dperm_status class_weights_parse(const char *text, dperm_options *options, dperm_error *err) {
  static dperm_class_weight *weights; /* of the one such argument: all candidates point here */
  static const char **words;
  static size_t count;
  const bool before = weights != NULL;
  words = before ? words : split_texts(text, &count);
  weights = before || !words ? weights : calloc(count, sizeof *weights);
  RETURN_IF(!weights, out_of_memory(err));
  for (size_t i = 0; !before && i < count; i++) {
    char *equals = strrchr(words[i], '='); /* the last: a class may be called "<=50K" */
    if (!equals || equals == words[i] || !read_number(equals + 1, &weights[i].weight) ||
        !(weights[i].weight > 0)) {
      return refuse_word(words[i], err);
    }
    *equals = '\0';
    weights[i].name = words[i];
  }
  options->class_weights = weights;
  options->class_weight_count = count;
  return DPERM_OK;
}
