/* More than two classes: how they were learned. dperm_options.multiclass asks for a way. */
#ifndef DPERM_MULTICLASS_H
#define DPERM_MULTICLASS_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "auto", "joint", "one-vs-rest"; NULL from the first number on that is none. */
DPERM_API const char *dperm_multiclass_name(dperm_multiclass multiclass);

/* Whether more than two classes were learned jointly: then probabilities are e^score of each class
 * divided by their sum. False of two classes, and of one against the rest. */
DPERM_API bool dperm_model_is_joint(const dperm_model *model);

#ifdef __cplusplus
}
#endif

#endif
