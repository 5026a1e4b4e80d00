/* dperm: places for files that are taken before a charge. dperm_model_write alone is enough where
 * nothing is charged. */
#ifndef DPERM_OUTPUT_H
#define DPERM_OUTPUT_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same in two steps, for what is charged: a place that is taken before the charge is one that
 * will be there after it. open makes a temporary file beside `path`; named in an account, it has
 * the space that the result will need before the charge is made; write_output puts the result in
 * its place; free leaves nothing else behind. */
DPERM_API DPERM_CHECKED dperm_status dperm_output_open(const char *path, dperm_output **out,
                                                       dperm_error *err);
/* Takes so much space for another file, as far as the place can promise any. */
DPERM_API DPERM_CHECKED dperm_status dperm_output_reserve(dperm_output *output, size_t bytes,
                                                          dperm_error *err);
/* Puts the whole text of the result in its place (dperm_model_to_text and its like). */
DPERM_API DPERM_CHECKED dperm_status dperm_output_write(dperm_output *output, const char *text,
                                                        size_t length, dperm_error *err);
DPERM_API void dperm_output_free(dperm_output *output);
/* What a program that ends in a signal handler must unlink(2); NULL if there is none. */
DPERM_API const char *dperm_output_temporary(const dperm_output *output);
/* Fails if `path` is a ledger or belongs to one, or a symbolic link that leads nowhere: for
 * programs that write other files. */
DPERM_API DPERM_CHECKED dperm_status dperm_output_check(const char *path, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
