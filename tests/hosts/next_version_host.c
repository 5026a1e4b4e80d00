/* A program that wants a version of the library's names that is yet to come; embedding.bats runs
 * it with the library that there is. */
#include <dperm.h>
#include <stdio.h>

int main(void) {
  return puts(dperm_version()) < 0;
}
