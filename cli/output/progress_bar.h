/* The progress bar: on stderr if that is a terminal, the work takes over a second and nobody said
 * -q. It counts public work only; while solving, it shows the time. */
#pragma once

#include <dperm.h>

/* For the library, which it also asks to stop after Ctrl-C, to clean up behind itself. */
const dperm_progress *progress_bar(void);
void progress_bar_wipe(void);
/* Shows nothing from now on. */
void progress_bar_off(void);
