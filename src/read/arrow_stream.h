/* A stream of Arrow's and its batches: what it gives is given back once, whatever happens. */
#pragma once

#include "read/arrow_values.h"

typedef struct arrow_stream {
  struct ArrowArrayStream *from; /* NULL before it is opened */
  struct ArrowSchema schema;     /* of a table: the types of its columns */
} arrow_stream;

/* Takes the stream over, unless it was used up before; to be closed after a failure too. */
dperm_status arrow_stream_open(struct ArrowArrayStream *from, arrow_stream *out, dperm_error *err);
void arrow_stream_close(arrow_stream *s);

/* The next batch: a record for each of its length, a child for each of the schema's; *found is
 * false behind the last. */
dperm_status arrow_stream_next(arrow_stream *s, struct ArrowArray *out, bool *found,
                               dperm_error *err);
void arrow_batch_release(struct ArrowArray *batch);
