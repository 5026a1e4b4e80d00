/* dperm: randomness. Where noise comes from. Secure: the operating system's source, through
 * libsodium; fails where there is none. Seeded: the same noise every time, for tests and
 * experiments; a model made with it says that it is not private. Not to be shared between threads.
 */
#ifndef DPERM_RANDOM_H
#define DPERM_RANDOM_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

DPERM_API DPERM_CHECKED dperm_status dperm_random_seeded(uint64_t seed, dperm_random **out,
                                                         dperm_error *err);
DPERM_API void dperm_random_free(dperm_random *random);

#ifdef __cplusplus
}
#endif
#endif
