# Manual pages, completion for shells and the documentation. Pages and scripts are what the command
# says about itself, so it is run once it is built; where it cannot run (a cross build without
# CMAKE_CROSSCOMPILING_EMULATOR), they are left out.
set(DPERM_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "where zsh looks for completion functions (Debian's packages: share/zsh/vendor-completions)")

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "no emulator for a cross build: manual pages and completion are left out")
  return()
endif()

set(PAGES ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${PAGES})
function(dperm_says file) # and the command that prints it
  add_custom_command(OUTPUT ${PAGES}/${file}
    COMMAND ${ARGN} > ${PAGES}/${file}
    DEPENDS dperm_command ${PROJECT_SOURCE_DIR}/cmake/manual.sh VERBATIM)
  set_property(GLOBAL APPEND PROPERTY DPERM_PAGES ${PAGES}/${file})
endfunction()

# The commands are those of the table in cli/main.c.
file(STRINGS ${PROJECT_SOURCE_DIR}/cli/main.c lines REGEX "^    {\"[a-z]+\", \"")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/main.c)
set(MANUALS dperm.1)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " EMULATOR)
set(MANUAL ${CMAKE_COMMAND} -E env "EMULATOR=${EMULATOR}"
  sh ${PROJECT_SOURCE_DIR}/cmake/manual.sh $<TARGET_FILE:dperm_command>)
dperm_says(dperm.1 ${MANUAL})
foreach(line ${lines})
  string(REGEX REPLACE "^    {\"([a-z]+)\".*" "\\1" name "${line}")
  dperm_says(dperm-${name}.1 ${MANUAL} ${name})
  list(APPEND MANUALS dperm-${name}.1)
endforeach()
foreach(shell bash zsh fish)
  dperm_says(completion.${shell} dperm_command completion ${shell})
endforeach()

get_property(made GLOBAL PROPERTY DPERM_PAGES)
add_custom_target(dperm_pages ALL DEPENDS ${made})

list(TRANSFORM MANUALS PREPEND ${PAGES}/)
install(FILES ${MANUALS} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PAGES}/completion.bash RENAME dperm
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PAGES}/completion.zsh RENAME _dperm DESTINATION ${DPERM_ZSH_DIR})
install(FILES ${PAGES}/completion.fish RENAME dperm.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
