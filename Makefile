# SPDX-License-Identifier: BSD-2-Clause
# Thin wrapper: Meson and ninja do the building.  Each target installs the Debian packages it misses.

B = build
SAN = build-san
FUZZ = build-fuzz
PREFIX = /usr/local

.PHONY: all build programs lab test kernels bench fuzz lint install clean

all: build

# programs: without the tests, which are most of what there is to compile.
build programs:
	@tools/deps build
	@test -f $(B)/build.ninja || meson setup $(B) --prefix=$(PREFIX)
	@ninja -C $(B) $(filter programs,$@)

# The main job: what does a router forward on this machine?
lab: programs
	$(B)/cmd/weir lab

# Once as it is installed (GCC), once by Clang under the address and undefined-behaviour sanitizers.
test:
	@tools/deps test
	@tools/build $(B) -Dtests=enabled
	@CC=clang tools/build $(SAN) -Dtests=enabled -Dbuildtype=debugoptimized -Db_lundef=false \
		-Db_sanitize=address,undefined
	@tools/run-tests $(B) $(SAN)

# The card in the kernel on other kernels, in virtual machines: takes long.
kernels:
	@tools/deps kernels
	@tools/build $(B) -Dtests=enabled
	@tests/kernels/run --build $(B) $(KERNELS)

bench:
	@tools/deps bench
	@tools/build $(B)
	@tests/bench/run $(B)

fuzz:
	@tools/deps fuzz
	@CC=clang tools/build $(FUZZ) -Dfuzz=true -Dtests=disabled -Dbuildtype=debugoptimized \
		-Db_lundef=false -Db_sanitize=address,undefined
	@tests/fuzz/run $(FUZZ)

lint:
	@tools/deps lint
	@tools/lint

install: programs
	meson install -C $(B) --no-rebuild

clean:
	rm -rf $(B) $(SAN) $(FUZZ)
