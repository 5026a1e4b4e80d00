/* How much memory a fit will ask for, from public numbers alone: asked for before the charge, since
 * a fit that runs out of it afterwards is paid for and gone. */
#pragma once

#include "model/model.h"

/* Bytes of the model: weights, and the directions of its features. */
double fit_memory_model(const dperm_data *data, const dperm_options *options);
/* Bytes that come on top of data and model while it is fitted to `rows` of the rows, or digested
 * and written: an estimate from above of all that grows with the rows and columns. */
double fit_memory_work(const dperm_data *data, size_t rows, const dperm_options *options);
/* Whether the rows of this view of a table are kept while it is fitted. */
bool fit_memory_keeps(const matrix *x);
