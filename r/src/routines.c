/* Tells R what it may call, and with how many arguments. */
#include "routines.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define REGISTERED(name, count, arguments) {#name, (DL_FUNC)&name, count},

attribute_visible void R_init_dperm(DllInfo *library) {
  static const R_CallMethodDef calls[] = {ROUTINES(REGISTERED){NULL, NULL, 0}};
  R_registerRoutines(library, NULL, calls, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
