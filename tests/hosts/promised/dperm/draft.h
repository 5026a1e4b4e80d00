/* dperm: a first schema from records that are public. */
#ifndef DPERM_DRAFT_H
#define DPERM_DRAFT_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dperm_draft_options {
  size_t size;       /* set by dperm_draft_options_init */
  int header;        /* 1: the first record names the columns, 0: it does not, -1: guess */
  char separator;    /* '\0': a comma, or what the first line has instead */
  const char *label; /* its column; NULL for the last one */
  const char *const *positive; /* labels of the positive class; NULL if there are two: chooses */
  size_t positive_count;
  const char *const *missing; /* texts that mean "no value"; NULL for the usual ones */
  size_t missing_count;
} dperm_draft_options;

/* Guesses all. */
DPERM_API void dperm_draft_options_init_sized(dperm_draft_options *options, size_t size);
static inline void dperm_draft_options_init(dperm_draft_options *options) {
  dperm_draft_options_init_sized(options, sizeof *options);
}

/* Something for a person to check, one line of text, valid during the call only. */
typedef void dperm_remark(void *context, const char *line);

/* A first schema for CSV records that are public, from one pass over them; the rules are in
 * docs/guide.md. The schema depends on the records, and remarks and errors quote them: a schema for
 * private records must come from what is known about the population. `remark` (may be NULL) is
 * called on success only. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_draft(const char *path,
                                                        const dperm_draft_options *options,
                                                        const dperm_progress *progress,
                                                        dperm_remark *remark, void *context,
                                                        dperm_schema **out, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
