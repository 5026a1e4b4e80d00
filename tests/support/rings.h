/* Two classes that no straight line tells apart: points on concentric rings, radii .25 (class −1)
 * and .75 (class +1), each give or take .06. */
#ifndef DPERM_TESTS_RINGS_H
#define DPERM_TESTS_RINGS_H

#include "support.h"

/* A fair coin for the class of each row; every row has norm at most 0.81. */
dperm_data *rings(size_t rows, uint64_t seed);

#endif
