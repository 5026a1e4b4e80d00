# What `cmake --install` installs, and what a wheel holds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SKBUILD) # a wheel: one file beside the modules, no links
  set_target_properties(dperm PROPERTIES VERSION 0)
  install(TARGETS dperm LIBRARY DESTINATION . COMPONENT python NAMELINK_SKIP)
  return()
endif()

# The command finds its library wherever the two are moved together, and in the build folder. (Paths
# may be absolute.) Both are built with the list that is installed: one that cmake is to change ends
# with an empty name, which is the folder that one happens to stand in. (A package has none.)
file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(dperm_command PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/${to_lib}")
if(NOT CMAKE_SKIP_INSTALL_RPATH)
  set_target_properties(dperm dperm_command PROPERTIES BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH_USE_LINK_PATH ON)
endif()

install(TARGETS dperm EXPORT dperm-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h)
install(TARGETS dperm_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT dperm-targets NAMESPACE dperm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dperm)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dperm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
set(PC_REQUIRES_PRIVATE "libsodium jansson mpfr sqlite3 libxxhash zlib")
configure_file(cmake/dperm-config.cmake dperm-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dperm-config.cmake
  ${PROJECT_BINARY_DIR}/dperm-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dperm)

# For `pkg-config --static` too: an absolute folder stands for itself, others are below the prefix.
cmake_path(APPEND PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
string(REPLACE ";" " " PC_LIBS_PRIVATE "${CMAKE_THREAD_LIBS_INIT};${MPI_C_LIBRARIES};-lm")
configure_file(cmake/dperm.pc.in dperm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dperm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The static library is one object in which only the public names are left: those of the inside are
# short and would meet a program's own.
if(DPERM_STATIC)
  set(whole ${PROJECT_BINARY_DIR}/dperm_whole.o)
  add_custom_command(OUTPUT ${whole} DEPENDS dperm_objects $<TARGET_OBJECTS:dperm_objects>
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} $<TARGET_OBJECTS:dperm_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
    COMMENT "Putting the static library together" COMMAND_EXPAND_LISTS VERBATIM)
  add_library(dperm_static STATIC ${whole})
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(dperm_static PROPERTIES OUTPUT_NAME dperm LINKER_LANGUAGE C)
  # (dperm-config.cmake finds what it needs as one.)
  target_include_directories(dperm_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(dperm_static INTERFACE $<INSTALL_INTERFACE:PkgConfig::DPERM_PRIVATE>
    Threads::Threads $<$<BOOL:${DPERM_MPI}>:MPI::MPI_C> m)
  install(TARGETS dperm_static EXPORT dperm-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT dperm-static-targets NAMESPACE dperm::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dperm)
endif()
