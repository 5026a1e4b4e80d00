/* Lists: "1e-4,1e-3,auto", all combinations of several, and --class-weights "NAME=W,NAME=W". */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stddef.h>

enum { LIST_MOST = 1000, LISTS = 5 };

typedef struct word_list {
  const char **words;
  size_t count;
} word_list;

bool word_list_has(const word_list *list, const char *word);

/* Splits the values of several options at commas; a text that is NULL is a list of "-" alone. A
 * word must not be empty or there already, also as another form of the same number; else it
 * fails with a message about the option, which ends with `hint` for the latter. */
dperm_status word_lists_split(const char *const options[LISTS], const char *const texts[LISTS],
                              const char *hint, word_list out[LISTS], dperm_error *err);
void word_lists_free(word_list (*lists)[LISTS]);
/* The number of combinations of a word from each list, and the words of one of them. */
size_t word_lists_combinations(const word_list lists[LISTS]);
void word_lists_combination(const word_list lists[LISTS], size_t combination,
                            const char *words[LISTS]);

/* Class weights into options, where they stay as long as the program runs. Fails for other words;
 * the library checks whether a name is a class's. */
dperm_status class_weights_parse(const char *text, dperm_options *options, dperm_error *err);

/* The texts of "a,b" in one block for free(), NULL without memory; of "", one empty text. */
const char **split_texts(const char *list, size_t *count);
