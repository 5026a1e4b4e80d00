# The library inside of programs of others: loaded and unloaded while they run, or built against
# another version of it.
load helpers

@test "unloaded after a fit with threads and loaded again, it works" {
  [ -z "$(nm -D "$DPERM_BUILD"/libdperm.so | grep __asan_init || true)" ] || skip "sanitizers must be loaded first"
  succeeds timeout 3000 "$RELOAD_HOST" "$DPERM_BUILD/libdperm.so" 3
  [ -z "$output" ]
}

@test "a program built against older headers runs" {
  for headers in shorter promised; do
    [ "$("$HOSTS"/"$headers"_host train)" = "private, epsilon 1" ]
    [ "$("$HOSTS"/"$headers"_host tune)" = "private, epsilon 1" ]
    [ "$("$HOSTS"/"$headers"_host plan)" = "200 rows, epsilon 1" ]
  done
}

@test "a program built against a newer header is refused by name, before anything is done" {
  run "$HOSTS"/longer_host train
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_options has "*" bytes, and $("$DPERM" --version) knows "*"newer dperm"* ]]
  run "$HOSTS"/longer_host tune
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_tune_options has "*"newer dperm"* ]]
  run "$HOSTS"/longer_host plan
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_plan has "*"newer dperm"* ]]
}

@test "a program that wants a newer version of the names is refused by the loader, by name" {
  LD_LIBRARY_PATH="$HOSTS/next" run "$HOSTS"/next_version_host
  [ "$status" -eq 0 ]
  [ "$output" = 9.9.0 ]
  LD_LIBRARY_PATH="$DPERM_BUILD" run "$HOSTS"/next_version_host
  [ "$status" -ne 0 ]
  [[ "$output" == *"libdperm.so.0: version \`DPERM_9.9' not found"* ]]
}

@test "no library is taken from the folder that one stands in" {
  for needed in $(objdump -p "$DPERM" "$DPERM_BUILD"/libdperm.so.0 | awk '$1 == "NEEDED" { print $2 }'); do
    echo strange > "$needed"
  done
  [ -e libjansson.so.4 ]
  "$DPERM" --version
}

@test "CMake finds the shared library, and the static one with all that it needs" {
  case "$DPERM_BUILD" in *san*) skip "sanitizers do not install" ;; esac
  cmake --install "$DPERM_BUILD" --prefix "$PWD/root" > /dev/null
  mkdir p
  cat > p/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.22)
project(p C)
find_package(dperm 0.2 REQUIRED)
add_executable(shared ${EXAMPLE_SOURCE})
target_link_libraries(shared dperm::dperm)
if(TARGET dperm::dperm_static)
  add_executable(static ${EXAMPLE_SOURCE})
  target_link_libraries(static dperm::dperm_static)
endif()
C
  example="-DCMAKE_PREFIX_PATH=$PWD/root -DEXAMPLE_SOURCE=$DPERM_SOURCE/examples/train_and_predict.c"
  cmake -S p -B b $example > /dev/null
  cmake --build b > /dev/null
  [[ "$(ldd b/shared)" == *libdperm.so* ]]
  [[ "$(ldd b/static)" != *libdperm* ]]
  "$DPERM" demo --rows 300 --out d > /dev/null
  for program in shared static; do
    [[ "$(b/$program d/schema.json d/people.csv d/others.csv)" == "101 rows, error rate "* ]]
  done
  # Who has only the shared library's own needs can do without the rest.
  PKG_CONFIG_LIBDIR=/nowhere cmake -S p -B alone $example > /dev/null
  cmake --build alone > /dev/null
  [ -x alone/shared ]
  [ ! -e alone/static ]
}
