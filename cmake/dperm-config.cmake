# find_package(dperm) gives the target dperm::dperm. The shared library brings its own dependencies.
include("${CMAKE_CURRENT_LIST_DIR}/dperm-targets.cmake")
