/* Whether a file is unchanged, by its metadata. The time of the last change of the inode (ctime) is
 * part of it: unlike that of the content, no program can set it back. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

static inline bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static inline bool file_same(const struct stat *before, const struct stat *now) {
  return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
         before->st_size == now->st_size && same_time(before->st_mtim, now->st_mtim) &&
         same_time(before->st_ctim, now->st_ctim);
}
