# The front door: two commands matter, `make demo` and `make test`. All real work is CMake's.

# Debian packages by name. `deps` installs those that are missing and nothing else.
BUILD_PACKAGES := gcc cmake ninja-build pkg-config libsodium-dev libjansson-dev \
  zlib1g-dev libxxhash-dev libmpfr-dev libsqlite3-dev
TEST_PACKAGES := libcmocka-dev bats liblbfgs-dev python3 binutils gnuplot-nox chromium \
  libopenmpi-dev openmpi-bin python3-numpy python3-scipy python3-sklearn python3-pandas \
  python3-matplotlib python3-pytest python3-pip python3-venv man-db groff-base zsh fish
FULL_PACKAGES := clang libclang-rt-dev valgrind
CHECK_PACKAGES := clang clang-format clang-tidy
R_PACKAGES := r-base-core r-base-dev r-cran-jsonlite r-cran-testthat r-cran-tibble r-cran-knitr \
  r-cran-rmarkdown pandoc qpdf devscripts tidy
DIST_PACKAGES := git python3-venv r-base-core r-base-dev dpkg-dev debhelper dh-python
SITE_PACKAGES := python3 python3-markdown-it python3-pygments
# A Java for Spark; the rest comes from PyPI.
ENGINES_PACKAGES := python3-venv openjdk-17-jre-headless
PAGE_PACKAGES := emscripten ninja-build cmake dpkg-dev nodejs chromium
STATIC_PACKAGES := musl-tools dpkg-dev autoconf automake libtool tcl binutils python3
MACHINE_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
# zig comes from PyPI.
PLATFORM_PACKAGES := python3-venv dpkg-dev autoconf automake libtool tcl binutils wine64
# For bench/peers and bench/growth, before `make build`.
BENCH_PACKAGES := liblinear-dev liblbfgs-dev libopenblas-dev python3-sklearn python3-pandas python3-matplotlib

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all deps deps-test deps-full deps-check deps-r deps-site deps-dist deps-engines deps-page deps-static \
  deps-machines deps-platforms deps-bench build demo test figures test-full test-flaky check r-check site \
  site-check test-arrow test-engines page page-test page-bench static machines platforms wheel wheel-musl dist \
  install uninstall clean

all: build

deps:
	@tools/install-missing $(BUILD_PACKAGES)
deps-test: deps
	@tools/install-missing $(TEST_PACKAGES)
deps-full: deps-test
	@tools/install-missing $(FULL_PACKAGES)
deps-check: deps-test
	@tools/install-missing $(CHECK_PACKAGES)

deps-r: deps
	@tools/install-missing $(R_PACKAGES)
deps-site:
	@tools/install-missing $(SITE_PACKAGES)
deps-dist: deps deps-page deps-static
	@tools/install-missing $(DIST_PACKAGES)
deps-engines: deps-test
	@tools/install-missing $(ENGINES_PACKAGES)
deps-page: deps
	@command -v node > /dev/null || tools/install-missing nodejs
	@tools/install-missing $(filter-out nodejs,$(PAGE_PACKAGES))
deps-static: deps
	@tools/install-missing $(STATIC_PACKAGES)
deps-machines: deps-static
	@tools/install-missing $(MACHINE_PACKAGES)
deps-platforms: deps
	@tools/install-missing $(PLATFORM_PACKAGES)
deps-bench: deps
	@tools/install-missing $(BENCH_PACKAGES)

# Packages are installed only where CMake misses something; it may have come in another way.
CONFIGURE = cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" > build-release.log 2>&1
build:
	@$(CONFIGURE) \
	  || { tools/install-missing $(BUILD_PACKAGES) && rm -f build/release/CMakeCache.txt && $(CONFIGURE); } \
	  || { cat build-release.log; rm -f build-release.log; exit 1; }
	@rm -f build-release.log
	@cmake --build build/release -j $(JOBS)

demo: build
	@build/release/dperm demo

test: deps-test
	@tests/run dev

# Figures of the documents, computed and written into them; the tests compare those that take seconds.
figures: deps-test
	@cmake --preset dev > /dev/null
	@cmake --build build/dev -j $(JOBS) --target cost_figures composition_test > /dev/null
	@tools/figures build/dev

# The long counts: everything with more repetitions (DPERM_LONG); under the sanitizers at the quick
# counts, which go through every combination; then, side by side and the longest first, tests/full at
# full size (a bit of each byte of ledgers, mathematics at 10^7 points a function, certificates on 10^6
# rows), the audit a hundred times over, ledgers killed 1,000 times, valgrind, fuzzers for a while.
FULL_TESTS := $(basename $(notdir $(wildcard tests/full/*_test.c)))
FULL_PARTS := ledger_bits_test audit row_independence fuzz/run kill-ledger kill-encode valgrind \
  large-file $(filter-out ledger_bits_test,$(FULL_TESTS))

test-full: deps-full
	@DPERM_LONG=1 tests/run dev
	@tests/run asan
	@$(MAKE) --no-print-directory -j $(JOBS) --output-sync=target $(FULL_PARTS:%=full/%)
	@echo "the long counts: all passed"

full/%_test:
	@CMOCKA_MESSAGE_OUTPUT=TAP build/dev/tests/$*_test
full/row_independence:
	@DPERM_ROW_TRIALS=20 CMOCKA_MESSAGE_OUTPUT=TAP build/dev/tests/row_independence_test
full/audit:
	@DPERM_AUDIT_RUNS=100 DPERM_AUDIT_DRAWS=100000 build/dev/tests/audit_test
full/kill-ledger full/kill-encode full/valgrind full/large-file full/fuzz/run: full/%:
	@tests/$*

# Every test 50 times (3 times if it takes over 2 s) on a busy machine; not in CI, an hour or more.
# FLAKY='cli/.*' chooses tests by their names, FLAKY_RUNS=200 says how often (tests/flaky).
test-flaky: deps-test
	@tests/flaky $(FLAKY)

# Static checks; CI runs them after the tests.
check: deps-check
	@tools/check-format
	@tools/check-tidy

# The R package in r/, by R's own check; needs an R, which nothing else does.
r-check: deps-r
	@tests/r-check

# The documentation as a static site with a search, in build/site; and its links, in a browser.
site: deps-site
	@tools/make-site
site-check: deps-site
	@tools/install-missing chromium
	@tests/site-check
# With what others make of Arrow, and on engines that spread records: packages from PyPI, in environments of their own
# under build/. Neither is part of `make test`.
ENGINES_BUILD = cmake --preset dev > /dev/null && cmake --build build/dev -j $(JOBS) --target dperm > /dev/null
test-arrow: deps-test
	@$(ENGINES_BUILD)
	@tests/engines/arrow
test-engines: deps-engines
	@$(ENGINES_BUILD)
	@tests/engines/run

# The page for browsers, build/page/dperm.html (docs/page.md); its tests, in Chromium; its speed beside
# the command's: make page-bench CSV=FILE SCHEMA=FILE.
page: deps-page
	@JOBS=$(JOBS) tools/make-page
page-test: page build
	@DPERM=$(CURDIR)/build/release/dperm node --test tests/page/bits_test.js tests/page/page_test.js
page-bench: page build
	@DPERM=$(CURDIR)/build/release/dperm node tests/page/bench.js "$(CSV)" "$(SCHEMA)"

# One file that needs nothing but a kernel; tried in an empty root.
static: deps-static build
	@tools/make-static
	@tests/static

# The same bits on other processors, emulated by qemu (docs/platforms.md).
machines: deps-machines
	@tools/make-static
	@tools/make-static aarch64
	@tests/machines

# The command and the library for macOS, which no one has run, and for Windows, tried on wine (docs/platforms.md).
platforms: deps-platforms build
	@tools/make-static aarch64-macos
	@tools/make-static x86_64-windows
	@tests/platforms

# For other machines; by tools from PyPI. tools/check-wheel tries it on a bare Debian root.
wheel: deps
	@tools/make-wheel
# For musl; `tests/wheel-check musl` tries it on a CPython that it builds.
wheel-musl: deps-static
	@tools/make-wheel musl

# All that a release has, with sums and materials, in build/dist (docs/release.md).
dist: deps-dist
	@tools/make-dist

install: build
	@cmake --install build/release

uninstall:
	@cmake -DBUILD=build/release -P cmake/uninstall.cmake

clean:
	@rm -rf build dperm-demo
