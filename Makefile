# The one door. `make help` tells what is behind it.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
NINJA = ninja -j$(JOBS)
CTEST = ctest -j2 --output-on-failure

.PHONY: all deps demo test test-long bench bench-gemm bench-layers bench-scale asan tsan cov mutants fuzz format install clean help

all:
	@scripts/deps --build
	@cmake --preset release
	@$(NINJA) -C build

deps:
	@scripts/deps

demo: deps
	@$(MAKE) --no-print-directory all
	@scripts/demo

test: deps
	@cmake --preset dev
	@$(NINJA) -C build-test
	@cd build-test && $(CTEST)

test-long: deps
	@cmake --preset dev
	@$(NINJA) -C build-test
	@cd build-test && TN_LONG=1 $(CTEST)

bench: deps
	@cmake --preset release -DTN_BENCH=ON
	@$(NINJA) -C build
	@scripts/bench

# Matrix products beside OpenBLAS and oneDNN, those of the two that are there. On a machine with other
# work, TN_BENCH_UNDER='chrt -f 10' (as root) keeps it away from the samples.
bench-gemm: deps
	@cmake --preset release -DTN_BENCH=ON
	@$(NINJA) -C build driver_gemm_bench
	@scripts/bench gemm

# Single layers by class beside ONNX Runtime (TENON_ONNXRUNTIME), products beside OpenBLAS and oneDNN too.
bench-layers: deps
	@cmake --preset release -DTN_BENCH=ON
	@$(NINJA) -C build write_layers tenon_tool
	@scripts/bench-layers

# How time grows with the work: batch, image, sequence, channels, threads, and what a fork and join costs.
bench-scale: deps
	@cmake --preset release -DTN_BENCH=ON
	@$(NINJA) -C build write_layers runtime_pool_bench tenon_tool
	@scripts/bench-scale

# Unit and golden tests under the address and undefined-behaviour sanitizers.
asan: deps
	@cmake --preset asan
	@$(NINJA) -C build-asan
	@cd build-asan && $(CTEST) -L 'unit|golden' -LE check

# The parts that threads share: pool, virtual machine, registry.
tsan: deps
	@cmake --preset tsan
	@$(NINJA) -C build-tsan
	@cd build-tsan && $(CTEST) -R '^runtime_'

cov: deps
	@cmake --preset cov
	@$(NINJA) -C build-cov
	@cd build-cov && $(CTEST) -L 'unit|golden'

# Each check of the compiler switched off in turn: some test has to notice.
mutants: deps
	@cmake --preset mutants
	@$(NINJA) -C build-mutants
	@scripts/mutate_checks

fuzz:
	@cmake --preset fuzz
	@$(NINJA) -C build-fuzz fuzz_targets

format:
	@scripts/deps --format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: deps
	@$(MAKE) --no-print-directory all
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)' --strip

clean:
	rm -rf build build-test build-asan build-tsan build-cov build-mutants build-fuzz

help:
	@echo 'make            build/tenon, build/libtenon.so, build/libtenon_runtime.so'
	@echo 'make deps       install what is missing (apt, sudo when not root)'
	@echo 'make demo       install what is missing, build, and run the trained network'
	@echo 'make test       build with warnings as errors and run all tests'
	@echo 'make test-long  the same with many more random cases'
	@echo 'make bench      measure; TENON_BENCH_MODELS names a folder of networks (scripts/export_networks)'
	@echo 'make bench-gemm matrix products beside OpenBLAS and oneDNN'
	@echo 'make bench-layers  single layers by class beside ONNX Runtime, OpenBLAS and oneDNN'
	@echo 'make bench-scale   how time grows with batch, image, sequence, channels and threads'
	@echo 'make asan       unit and golden tests under address and undefined-behaviour sanitizers'
	@echo 'make tsan       runtime tests under the thread sanitizer'
	@echo 'make cov        unit and golden tests with line counts (gcov)'
	@echo 'make mutants    switch each check off in turn: some test must notice'
	@echo 'make fuzz       build the fuzz targets (clang)'
	@echo 'make format     lay the sources out by .clang-format'
	@echo 'make install    to PREFIX=$(PREFIX), under DESTDIR when given'
	@echo 'make clean      remove what was built'
