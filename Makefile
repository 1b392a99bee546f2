# The front door. `make`, `make check`, `make test [CPU=zen3]`, `make test-lesser`, `make record`,
# `make test-long [PART=name] [MINUTES=20]`, `make coverage`, `make demo [FILE=...]`,
# `make bench [BENCH="--rows ..."]`, `make bench-tiers`, `make figures`, `make peers [PEERS="openssl ..."]` (the newest
# of those whom the benchmark compares with, into build/peers), `make deb`, `make tarball`, `make wheel` (into
# build/packages); works from any folder with `make -C`.
SHELL := /bin/bash
ROOT := $(shell dirname "$(strip $(MAKEFILE_LIST))")
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FILE ?=
CPU ?= $(CRYPTOSTITCH_CPU)
BENCH ?=
PEERS ?=
PYTEST ?=
PART ?=
MINUTES ?= 20
MAKEFLAGS += --no-print-directory

.PHONY: all build configured venv tools bench-tools test-tools check format test test-lesser test-long
.PHONY: coverage record demo bench bench-tiers figures peers install clean deb tarball wheel crates
.NOTPARALLEL:
all: build

# Every recipe runs in the checkout; nothing below depends on the caller's folder.
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
IN = cd '$(ROOT)'

tools:
	@$(IN); cmake/tools.sh

# Before the build, which looks for them.
bench-tools test-tools: %-tools: venv
	@$(IN); cmake/tools.sh $*

venv:
	@$(IN); cmake/venv.sh

configured: venv tools
	@$(IN)
	$(CONFIGURE)

define CONFIGURE
	PATH="$$PWD/.venv/bin:$$PATH"
	if [ -f build/CMakeCache.txt ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$$PWD" build/CMakeCache.txt; then
	    echo "build/ was made in another checkout, and would build that one: \`make clean\` removes it" >&2
	    exit 1
	fi
	if [ ! -f build/build.ninja ] || [ ! -f build/CMakeCache.txt ]; then
	    cmake -S . -B build -G Ninja -DCST_PYTHON="$$PWD/.venv/bin/python" --log-level=WARNING
	fi
endef

build: configured
	@$(IN)
	PATH="$$PWD/.venv/bin:$$PATH"
	cmake --build build -j $(JOBS) -- $$([ -t 1 ] || echo --quiet)

# Formatters and linters; what they need of the build is made first.
check: configured
	@$(IN)
	PATH="$$PWD/.venv/bin:$$PATH"
	cmake --build build --target generated/instruction_table.inc generated/row_rules.inc >/dev/null
	cmake/check.sh

format: venv
	@$(IN)
	git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' | xargs -0 .venv/bin/clang-format -i
	.venv/bin/ruff check -q --fix --select I .
	.venv/bin/ruff format -q .

# The library, the generator and the tests take this CPU for CPU, which must be a lesser one: tests/README.md.
test: test-tools check build
	@$(IN)
	CRYPTOSTITCH_CPU='$(CPU)' .venv/bin/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST)

# What depends on the CPU, on a lesser one by turns (the commit decides which).
test-lesser: test-tools build
	@$(IN)
	cpu=$$(.venv/bin/python tests/drawn_cpu.py)
	echo "on a lesser CPU, $$cpu:"
	CRYPTOSTITCH_CPU=$$cpu .venv/bin/python -m pytest -n $(JOBS) --dist worksteal -m cpu $(PYTEST)

# The ladder's record of the default pack (tests/README.md): runs what has changed since, and writes it.
record: test-tools build
	@$(IN)
	.venv/bin/python tests/ladder/record.py

# The long forms, in parts (tests/parts.py): every kernel's whole ladder, long fuzzing, the whole suite under each
# restriction. Hours on two cores without PART. A part that takes more than MINUTES ends as failed, and says which tests
# ran.
test-long: test-tools check build
	@$(IN)
	status=0
	for part in $(if $(PART),'$(PART)',$$(.venv/bin/python tests/parts.py)); do
	    echo "the long tests, $$part:"
	    CRYPTOSTITCH_LONG=1 CRYPTOSTITCH_CPU='$(CPU)' .venv/bin/python -m pytest -n $(JOBS) --dist worksteal \
	        --part "$$part" --minutes $(MINUTES) -o faulthandler_timeout=$$((60 * $(MINUTES) + 60)) $(PYTEST) || status=$$?
	done
	exit $$status

# Lines and branches of the library and its integrations that the tests enter, into tests/coverage.md: an hour.
coverage: test-tools
	@$(IN); .venv/bin/python tests/coverage.py $(PYTEST)

# Of tools, Python packages and targets only what it needs, because it is the first that a user runs.
demo:
	@$(IN); cmake/tools.sh demo; cmake/venv.sh demo
	$(CONFIGURE)
	cmake --build build -j $(JOBS) --target demo -- $$([ -t 1 ] || echo --quiet)
	.venv/bin/python examples/demo/demo.py $(if $(FILE),"$(FILE)")

bench: bench-tools build
	@$(IN); bench/run.sh $(BENCH)

bench-tiers: bench-tools build
	@$(IN); bench/run.sh --tiers $(BENCH)

# All that the CPU's page and the README show, measured anew. `python bench/summary page` and `bench/speed.sh` write
# them from kept runs without measuring.
figures: bench-tools build
	@$(IN); bench/run.sh; bench/run.sh --tiers

# Those that were made are of use even when one was not.
peers: bench-tools build
	@$(IN); status=0
	JOBS=$(JOBS) bench/newest/make.sh $(PEERS) || status=$$?
	PATH="$$PWD/.venv/bin:$$PATH"
	cmake --build build -j $(JOBS) -- $$([ -t 1 ] || echo --quiet)
	exit $$status

install: build
	@$(IN); cmake --install build --prefix '$(PREFIX)'

# Debian packages, of this build's kernels; lintian has the last word.
deb: build
	@$(IN); cmake/tools.sh deb
	JOBS=$(JOBS) packaging/deb.sh

tarball: build
	@$(IN); PATH="$$PWD/.venv/bin:$$PATH" cpack --config build/CPackConfig.cmake >build/cpack.log ||
	    { cat build/cpack.log >&2; exit 1; }
	ls build/packages/*.tar.gz

# Of this build's library; `pip install .` builds its own. Its tag is the oldest glibc on which it runs.
wheel: build
	@$(IN)
	export PATH="$$PWD/.venv/bin:$$PATH"
	export _PYTHON_HOST_PLATFORM="$$(python packaging/manylinux.py build/libcryptostitch.so build/libcst-python.so \
	    build/cst-sum)"
	pip wheel -q --no-deps --no-build-isolation -w build/packages \
	    --config-settings cmake.define.CST_PREBUILT="$$PWD/build" .
	ls build/packages/*.whl

# Sources with this build's kernels, for Cargo.
crates: build
	@$(IN); packaging/rust/crate.sh

clean:
	@$(IN); rm -rf build
