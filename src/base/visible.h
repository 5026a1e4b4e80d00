/* Text that somebody else wrote, as it may stand in a message: one line, and nothing in it that a
 * terminal would obey. */
#ifndef DPERM_BASE_VISIBLE_H
#define DPERM_BASE_VISIBLE_H

#include <stddef.h>

/* Copies `text`, cut to `size` bytes with its end. Control characters (those beyond ASCII, too),
 * marks that turn the direction of writing or end a line, and bytes that are not UTF-8 become
 * \x1b, \u202e and the like. Text that is visible already stays as it is. */
void text_visible(const char *text, char *out, size_t size);

#endif
