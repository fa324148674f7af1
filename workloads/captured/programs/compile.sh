#!/bin/bash
# A build: make compiles GoogleTest and three of its samples with debug information, archives and links them; once from
# scratch, once after touching a source, and once from scratch again after a clean. Compiler, assembler and linker
# exchange their temporary files on the volume.
set -euo pipefail
. "$(dirname "$0")/evict.sh"

readonly tree="$VOLUME/tree"

case "$1" in
  prepare)
    mkdir -p "$tree/tmp"
    cp -r /usr/src/googletest/googletest /usr/src/googletest/googlemock "$tree/"
    cat >"$tree/Makefile" <<'MAKEFILE'
CXXFLAGS := -std=c++14 -O1 -g -Igoogletest/include -Igoogletest -Igooglemock/include -Igooglemock
SAMPLES := sample1 sample2 sample4
LIBRARY := googletest/src/gtest-assertion-result.cc googletest/src/gtest-death-test.cc \
  googletest/src/gtest-filepath.cc googletest/src/gtest-matchers.cc googletest/src/gtest-port.cc \
  googletest/src/gtest-printers.cc googletest/src/gtest-test-part.cc googletest/src/gtest-typed-test.cc \
  googletest/src/gtest.cc googletest/src/gtest_main.cc \
  googlemock/src/gmock-cardinalities.cc googlemock/src/gmock-internal-utils.cc \
  googlemock/src/gmock-matchers.cc googlemock/src/gmock-spec-builders.cc googlemock/src/gmock.cc
LIBRARY := $(wildcard $(LIBRARY))

all: $(SAMPLES:%=%_test)
%_test: googletest/samples/%_unittest.o googletest/samples/%.o libgtest.a
	$(CXX) -o $@ $^ -lpthread
libgtest.a: $(LIBRARY:.cc=.o)
	$(AR) rcs $@ $^
%.o: %.cc
	$(CXX) $(CXXFLAGS) -c -o $@ $<
clean:
	rm -f *_test libgtest.a $(shell find . -name '*.o')
.PHONY: all clean
.SECONDARY:
MAKEFILE
    ;;
  run)
    export TMPDIR="$tree/tmp"
    start_evicting 5 "$tree"
    make -s -C "$tree" -j2
    sync --file-system "$VOLUME"
    touch "$tree/googletest/src/gtest.cc"
    make -s -C "$tree" -j2
    make -s -C "$tree" clean
    make -s -C "$tree" -j2
    stop_evicting
    ;;
esac
