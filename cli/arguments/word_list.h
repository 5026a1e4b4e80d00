/* Lists in the value of an option, "1e-4,1e-3,auto", and all combinations of several lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LIST_MOST = 1000, WORD_SIZE = 64, LISTS = 5 };

typedef struct word_list {
  char words[LIST_MOST][WORD_SIZE];
  size_t count;
} word_list;

bool word_list_has(const word_list *list, const char *word);

/* Splits the values of several options at commas; a text that is NULL is a list of "-" alone. A
 * word must not be empty, too long or there already, also as another form of the same number; false
 * with a message about the option, which ends with `hint` for the latter. `tidy` makes numbers as
 * short as they can be. */
bool word_lists_split(const char *const options[LISTS], const char *const texts[LISTS], bool tidy,
                      const char *hint, word_list out[LISTS]);
/* The number of combinations of a word from each list, and the words of one of them. */
size_t word_lists_combinations(const word_list lists[LISTS]);
void word_lists_combination(const word_list lists[LISTS], size_t combination,
                            const char *words[LISTS]);
