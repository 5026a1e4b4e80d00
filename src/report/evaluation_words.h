/* What a statement says of a model's own evaluation: what was kept for it, and what it found. */
#pragma once

#include "model/model.h"
#include "report/report.h"

/* Nothing for a model without one. */
void evaluation_words(report *p, const dperm_model *model);
