/* See arrow_stream.h. Of a producer's own words about a failure nothing is passed on: they may
 * quote records. */
#include "read/arrow_stream.h"

#include <string.h>

/* Given back once even where a producer does not take note of it. */
#define RELEASE(struct_)                                                                           \
  do {                                                                                             \
    if ((struct_)->release) {                                                                      \
      (struct_)->release(struct_);                                                                 \
      (struct_)->release = NULL;                                                                   \
    }                                                                                              \
  } while (0)

void arrow_batch_release(struct ArrowArray *batch) {
  RELEASE(batch);
}

void arrow_stream_close(arrow_stream *s) {
  if (s->from) {
    RELEASE(&s->schema);
    RELEASE(s->from);
    s->from = NULL;
  }
}

static dperm_status fail_call(int code, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR, "the Arrow stream failed with error %d; ask whoever made it", code);
}

static dperm_status check_schema(const struct ArrowSchema *schema, dperm_error *err) {
  enum { COLUMNS_MOST = 1 << 24 };
  static const char what[] = "the stream's schema";
  RETURN_IF(!schema->release || !schema->format, arrow_unsound(what, "it is empty", err));
  FAIL_IF(strcmp(schema->format, "+s") != 0, err, DPERM_INVALID_DATA,
          "the stream is a column of Arrow's; give a table");
  RETURN_IF(schema->n_children < 0 || schema->n_children > COLUMNS_MOST ||
                (schema->n_children > 0 && !schema->children),
            arrow_unsound(what, "its columns are missing", err));
  for (int64_t c = 0; c < schema->n_children; c++) {
    RETURN_IF(!schema->children[c], arrow_unsound(what, "its columns are missing", err));
  }
  return DPERM_OK;
}

dperm_status arrow_stream_open(struct ArrowArrayStream *from, arrow_stream *out, dperm_error *err) {
  *out = (arrow_stream){.from = NULL};
  FAIL_IF(!from, err, DPERM_INVALID_ARGUMENT, "there is no Arrow stream; give one");
  FAIL_IF(!from->release, err, DPERM_INVALID_DATA,
          "the Arrow stream was used up before; give a new one");
  out->from = from;
  RETURN_IF(!from->get_schema || !from->get_next,
            arrow_unsound("the stream", "it has no functions", err));
  int code = from->get_schema(from, &out->schema);
  if (code != 0) {
    out->schema.release = NULL; /* nothing was made */
    return fail_call(code, err);
  }
  return check_schema(&out->schema, err);
}

static dperm_status check_batch(const arrow_stream *s, const struct ArrowArray *batch,
                                dperm_error *err) {
  static const char what[] = "a batch of the stream";
  TRY(arrow_array_check(batch, what, err));
  RETURN_IF(batch->n_children != s->schema.n_children,
            arrow_unsound(what, "it has other columns than the stream says", err));
  RETURN_IF(batch->n_buffers != 1, arrow_unsound(what, "its number of buffers", err));
  const unsigned char *present = batch->buffers[0];
  bool some_null = batch->null_count > 0 && !present;
  for (int64_t i = 0; present && i < batch->length; i++) {
    some_null = some_null || !arrow_bit(present, (size_t)(batch->offset + i));
  }
  FAIL_IF(some_null, err, DPERM_INVALID_DATA,
          "the stream has Arrow records that are null as a whole; give one without them");
  return DPERM_OK;
}

dperm_status arrow_stream_next(arrow_stream *s, struct ArrowArray *out, bool *found,
                               dperm_error *err) {
  struct ArrowArray batch = {.release = NULL};
  int code = s->from->get_next(s->from, &batch);
  *found = false;
  RETURN_IF(code != 0, fail_call(code, err));
  if (!batch.release) {
    return DPERM_OK;
  }
  dperm_status status = check_batch(s, &batch, err);
  if (status != DPERM_OK) {
    RELEASE(&batch);
    return status;
  }
  *found = true;
  *out = batch;
  return DPERM_OK;
}
