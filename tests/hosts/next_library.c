/* Stands in for a library of a version that is yet to come: next_version_host is linked with it. */
const char *dperm_version(void);

const char *dperm_version(void) {
  return "9.9.0";
}
