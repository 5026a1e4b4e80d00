/* Giving a data set its budget. */
#pragma once

#include "base/status.h"

/* A data set's name: 1 to 100 bytes, no control characters. */
dperm_status budget_check_name(const char *dataset, dperm_error *err);
