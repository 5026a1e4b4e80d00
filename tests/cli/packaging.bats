# What packagers touch: folders that are absolute, cross builds, the static library, uninstalling.
# (tools/check-wheel, tools/check-reproducible and tools/check-deb are the long ones.)
load helpers

@test "absolute folders, and a build for another machine: no benchmarks, a right .pc" {
  cmake -S "$DPERM_SOURCE" -B b -DCMAKE_SYSTEM_NAME=Linux -DDPERM_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR=/opt/dperm/lib -DCMAKE_INSTALL_INCLUDEDIR=include > log
  [ "$(PKG_CONFIG_PATH=b pkg-config --variable=libdir dperm)" = /opt/dperm/lib ]
  [ "$(PKG_CONFIG_PATH=b pkg-config --variable=includedir dperm)" = /usr/include ]
  [[ "$(PKG_CONFIG_PATH=b pkg-config --libs dperm)" == "-L/opt/dperm/lib -ldperm"* ]]
  run grep -rlE "march=native|fit_speed|cross_validate" b --include=build.make --include=flags.make --include=build.ninja
  [ -z "$output" ]
  run grep -rh "DPERM_BENCH" b/CMakeCache.txt
  [[ "$output" != *=ON* ]]
}

@test "a program with the library inside; what was installed is uninstalled" {
  case "$DPERM_BUILD" in *san*) skip "sanitizers do not install" ;; esac
  cmake --install "$DPERM_BUILD" --prefix "$PWD/root" > /dev/null
  pc=$(dirname "$(find root -name dperm.pc)")
  sed -i "s|^prefix=.*|prefix=$PWD/root|" "$pc/dperm.pc"
  mkdir alone
  cp "$(find root -name libdperm.a)" alone
  # Names of the inside stay inside: a program may have its own of the same name.
  nm --extern-only --defined-only alone/libdperm.a | awk 'NF == 3 && $3 !~ /^dperm_/' > names
  [ ! -s names ] || { cat names; return 1; }
  cc "$DPERM_SOURCE/examples/train_and_predict.c" -o static -Lalone $(PKG_CONFIG_PATH=$pc pkg-config --static --cflags --libs dperm)
  [[ "$(ldd static)" != *libdperm* ]]
  "$DPERM" demo --rows 300 --out d > /dev/null
  ./static d/schema.json d/people.csv d/others.csv
  touch root/share_of_others
  cmake -DBUILD="$DPERM_BUILD" -P "$DPERM_SOURCE/cmake/uninstall.cmake"
  [ "$(find root ! -type d)" = root/share_of_others ]
  [ -z "$(find root -name dperm)" ]
  run cmake -DBUILD="$DPERM_BUILD" -P "$DPERM_SOURCE/cmake/uninstall.cmake"
  [ "$status" -ne 0 ]
  [[ "$output" == *"nothing was installed"* ]]
}
