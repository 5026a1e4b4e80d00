/* The public handle of a random source. */
#ifndef DPERM_RANDOM_RANDOM_HANDLE_H
#define DPERM_RANDOM_RANDOM_HANDLE_H

#include "random/random_source.h"

struct dperm_random {
  random_source source;
};

#endif
