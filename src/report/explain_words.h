/* The sentences that go with an explanation: what its estimate of the noise takes for granted, and
 * what nobody looked at. One place for the command, its pages and Python. */
#pragma once

#include <jansson.h>

#include "model/model.h"

/* Arrays of sentences; NULL for want of memory. */
json_t *explain_assumed(const dperm_model *model);
json_t *explain_not_examined(const dperm_model *model);
