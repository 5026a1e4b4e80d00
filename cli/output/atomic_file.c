/* See atomic_file.h. */
#include "output/atomic_file.h"

#include <sys/stat.h>

#include "output/handles.h"
#include "output/message.h"

bool atomic_file_plain(const char *path) {
  struct stat about;
  return path && strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

dperm_status atomic_file_open(const char *path, atomic_file *out, dperm_error *err) {
  TRY(dperm_output_open(path ? path : "-", &out->place, err));
  out->stream = open_memstream(&out->text, &out->length);
  return out->stream ? DPERM_OK : out_of_memory(err);
}

dperm_status atomic_file_commit(atomic_file *file, dperm_error *err) {
  bool whole = fclose(file->stream) == 0;
  file->stream = NULL;
  return whole ? dperm_output_write(file->place, file->text, file->length, err)
               : out_of_memory(err);
}

void atomic_file_discard(atomic_file *file) {
  if (file->stream) {
    (void)fclose(file->stream);
  }
  free(file->text);
  dperm_output_free(file->place);
}
