/* The shares of epsilon that a run spends beside its fits, as a table: the division of epsilon, the
 * checks of options, reports, model files and the statement walk it. What a share buys is made by a
 * stage of the run (run/stage.h). CONTRIBUTING.md says how to add one. */
#pragma once

#include "base/status.h"

typedef enum share_id {
  SHARE_SCHEMA,      /* bins and groups that the records chose, in this run or before it */
  SHARE_CALIBRATION, /* after the fit: the temperature of probabilities, */
  SHARE_PAIRS,       /* what two columns say together, */
  SHARE_INTERVALS,   /* and how sure the slopes are */
  SHARE_COUNT,
  SHARE_AFTER_FIT = SHARE_CALIBRATION /* this one and all that follow have an option and a stage */
} share_id;

typedef struct share_kind {
  const char *option; /* what the caller names it by, */
  size_t option_at;   /* and where dperm_options has it: a part of epsilon, or 0 for none; */
  bool usual;         /* NaN, for the usual share, where nobody says anything */
  const char *does;   /* "calibrate probabilities" */
  const char *figure; /* its epsilon in reports: "epsilon_calibrated" */
  const char *file;   /* the object of a model's file that states what it released, and epsilon */
  const char *value;  /* the number or text in there that reports repeat, or NULL; */
  double without;     /* what they say where the share is none: a number, or NaN for null */
  const char *statement; /* what its epsilon is for, with the value behind it */
} share_kind;
extern const share_kind share_kinds[SHARE_COUNT];

/* The part of epsilon that the options give a share after the fit; 0 for none. */
double share_given(const dperm_options *options, share_id share);
