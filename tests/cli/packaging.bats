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

# Runs make where cmake is a script (from stdin), and of other commands there are only those named.
make_with() { # target, commands
  local target=$1
  shift
  ln -sfn "$DPERM_SOURCE/tools" tools
  rm -rf bin
  mkdir bin
  cat > bin/cmake
  for name in sh cat rm nproc id grep "$@"; do
    [ -e "bin/$name" ] || ln -s "$(command -v "$name")" "bin/$name"
  done
  chmod +x bin/cmake
  # (a make above this one, as that of `make test`, would have it say where it works)
  run env -u MAKELEVEL -u MAKEFLAGS PATH="$PWD/bin" "$(command -v make)" -f "$DPERM_SOURCE/Makefile" "$target"
}

@test "apt is asked only where CMake misses something, and not where there is none" {
  make_with install < <(echo '#!/bin/sh')
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  missing='#!/bin/sh
    echo "No package libsodium found"; exit 1'
  make_with install <<< "$missing"
  [ "$status" -ne 0 ]
  [ "${lines[0]}" = "No package libsodium found" ]
  # A Debian where dpkg knows of nothing, and apt would install it.
  mkdir debian
  printf '#!/bin/sh\nexit 1\n' > debian/dpkg-query
  printf '#!/bin/sh\necho "$@" >> asked\n' > debian/apt-get
  printf '#!/bin/sh\necho 0\n' > debian/id
  chmod +x debian/*
  PATH="$PWD/debian:$PATH" make_with install dpkg-query apt-get < <(echo '#!/bin/sh')
  [ "$status" -eq 0 ]
  [ ! -e asked ]
  PATH="$PWD/debian:$PATH" make_with install dpkg-query apt-get <<< "$missing"
  [ "$status" -ne 0 ]
  grep -q "install .*libsodium-dev" asked
}
