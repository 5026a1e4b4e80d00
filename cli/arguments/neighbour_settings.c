/* See neighbour_settings.h. */
#include "arguments/neighbour_settings.h"

#include <stdint.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"

argument neighbours_argument(const char **word) {
  *word = "replace";
  return (argument){"--neighbours",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    choices(neighbours_name, 0),
                    "whom epsilon compares: a record replaced (replace), or one more or less"};
}

argument rows_about_argument(const char **word) {
  *word = NULL;
  return (argument){
      "--rows-about",
      ARGUMENT_TEXT,
      word,
      false,
      "N",
      "with add-remove: a public figure near the number of rows, which stays private"};
}

/* Any that the library may take: it knows the limit. */
static bool read_figure(const char *word, size_t *out) {
  uint64_t rows = 0;
  if (!read_whole(word, &rows) || rows == 0 || rows > SIZE_MAX) {
    return refuse(wrong_usage("--rows-about must be a whole number from 1, not \"%.40s\"", word));
  }
  *out = (size_t)rows;
  return true;
}

bool neighbours_choose(const char *word, const char *figure, dperm_neighbours *neighbours,
                       size_t *about) {
  int chosen = 0;
  *about = 0;
  if (!choose("--neighbours", word, neighbours_name, 0, &chosen) ||
      (figure && !read_figure(figure, about))) {
    return false;
  }
  *neighbours = (dperm_neighbours)chosen;
  bool adding = *neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const usage_rule rules[] = {
      {adding && !figure,
       "--neighbours add-remove needs --rows-about: how many records there are is private then, "
       "and a public figure near it stands for it"},
      {!adding && figure,
       "--rows-about is for --neighbours add-remove; else the rows are counted, and their number "
       "is public"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}
