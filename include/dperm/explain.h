/* dperm: what a released model says, and what of it cannot be told from its privacy noise. */
#ifndef DPERM_EXPLAIN_H
#define DPERM_EXPLAIN_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every effect of a model on the scale of its records, with the deviation of the privacy noise in
 * it and a verdict, as JSON (docs/formats.md): columns in order of what stands out. It is made from
 * the model alone, so it costs no privacy. A model with a kernel has no effects to show, and the
 * JSON says so. To be given back with dperm_text_free. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_explain(const dperm_model *model, char **json,
                                                         dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
