/* --class-weights NAME=W,NAME=W. */
#pragma once

#include <stdbool.h>

#include <dperm.h>

/* The text's weights into options, where they stay as long as the program runs. False, with a
 * message about what is wrong. Whether a name is a class's, the library says. */
bool weight_list_parse(const char *text, dperm_options *options);
