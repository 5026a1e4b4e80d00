/* See word_list.h. */
#include "arguments/word_list.h"

#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

static bool same_value(const char *a, const char *b) {
  double x = 0, y = 0;
  return strcmp(a, b) == 0 || (read_number(a, &x) && read_number(b, &y) && x == y);
}

/* The shortest decimal that reads back to the same number; other words as they are. */
static void tidy_word(char word[WORD_SIZE]) {
  double value = 0, back = 0;
  for (int digits = 1; read_number(word, &value) && digits <= 17; digits++) {
    char text[WORD_SIZE];
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    if (read_number(text, &back) && back == value) {
      memcpy(word, text, sizeof text);
      return;
    }
  }
}

static bool split(const char *option, const char *text, bool tidy, const char *hint,
                  word_list *out) {
  for (out->count = 0;; text++) {
    size_t length = strcspn(text, ",");
    if (out->count == LIST_MOST) {
      return refuse(wrong_usage("%s has more than %d values; give fewer", option, LIST_MOST));
    }
    if (length == 0 || length >= WORD_SIZE) {
      return refuse(wrong_usage("%s must be a list of values with commas between, not \"%.40s\"",
                                option, text));
    }
    char *word = out->words[out->count];
    memcpy(word, text, length);
    word[length] = '\0';
    if (tidy) {
      tidy_word(word);
    }
    for (size_t i = 0; i < out->count; i++) {
      if (same_value(out->words[i], word)) {
        return refuse(wrong_usage("%s has %s twice%s", option, word, hint));
      }
    }
    out->count++;
    text += length;
    if (*text == '\0') {
      return true;
    }
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

bool word_lists_split(const char *const options[LISTS], const char *const texts[LISTS], bool tidy,
                      const char *hint, word_list out[LISTS]) {
  bool good = true;
  for (int i = 0; i < LISTS && good; i++) {
    good = split(options[i], texts[i] ? texts[i] : "-", tidy, hint, &out[i]);
  }
  return good;
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
