# SPDX-License-Identifier: GPL-2.0-or-later
# nsecwatch: `make run` to try it, `make test` for all tests, `make help` for the rest.

SAN     ?=
CI      ?=
WITH_NPM ?= yes
BUILD   ?= build$(if $(SAN),/$(SAN))
CC      ?= cc
PKGS    := libmicrohttpd libpq jansson libcurl nettle libzstd zlib
CLIENT_PKGS := jansson libcurl nettle libzstd zlib

WARN    := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wcast-qual \
           -Wwrite-strings -Wvla -Wformat=2 -Wimplicit-fallthrough
HARDEN  := -fno-common -fstack-protector-strong -fPIE $(if $(SAN),,-D_FORTIFY_SOURCE=2)
SANFLAG := $(if $(filter address,$(SAN)),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer)\
           $(if $(filter undefined,$(SAN)),-fsanitize=undefined -fno-omit-frame-pointer)\
           $(if $(filter thread,$(SAN)),-fsanitize=thread -fno-omit-frame-pointer)
comma   := ,
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
ALLCF    = -std=gnu17 -D_GNU_SOURCE -O2 -g $(WARN) $(if $(CI),-Werror) $(HARDEN) $(SANFLAG) \
           $(shell pkg-config --cflags $(PKGS)) $(CPPFLAGS) $(CFLAGS)
ALLLD    = -pie -pthread -Wl,-z,relro,-z,now,-z,noexecstack $(SANFLAG) $(LDFLAGS)
LIBS     = $(shell pkg-config --libs $(PKGS)) -lRmath -lm
CLIENT_LIBS = $(shell pkg-config --libs $(CLIENT_PKGS)) -lRmath -lm

CORE    := $(filter-out ingest/nsecwatch.c,$(wildcard lib/*.c lib/stats/*.c ingest/*.c chart/*.c))
SERVER  := $(filter-out server/main.c,$(wildcard server/*.c))
CORE_O  := $(CORE:%.c=$(BUILD)/%.o)
SERVER_O := $(SERVER:%.c=$(BUILD)/%.o)
EMBED_O := $(BUILD)/embed.o
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

STATIC  := $(shell find static schema demo -type f | sort)
ifeq ($(WITH_NPM),yes)
VENDOR  := node_modules/.stamp
endif

.PHONY: all run test deps deps-test help fmt lint clean unit programs
all: programs
programs: $(BUILD)/nsecwatchd $(BUILD)/nsecwatch

$(BUILD)/nsecwatchd: $(BUILD)/server/main.o $(BUILD)/libserver.a $(BUILD)/libcore.a $(EMBED_O)
	$(CC) $(ALLLD) -o $@ $(BUILD)/server/main.o -Wl,--start-group $(BUILD)/libserver.a $(BUILD)/libcore.a -Wl,--end-group $(EMBED_O) $(LIBS)

$(BUILD)/nsecwatch: $(BUILD)/ingest/nsecwatch.o $(BUILD)/libcore.a
	$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)

$(BUILD)/libcore.a: $(CORE_O)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libserver.a: $(SERVER_O)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALLCF) -MMD -MP -c -o $@ $<

# The version is compiled into one file, rebuilt when it changes.
$(BUILD)/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@
$(BUILD)/lib/version.o: lib/version.c $(BUILD)/version
	@mkdir -p $(@D)
	$(CC) $(ALLCF) -DNSECWATCH_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<
.PHONY: FORCE

$(EMBED_O): tools/embed.sh $(STATIC) $(VENDOR)
	@mkdir -p $(@D)
	WITH_NPM=$(WITH_NPM) tools/embed.sh $(BUILD)/embed
	$(CC) -c -o $@ $(BUILD)/embed.S

# Page libraries. The lock file carries no download addresses.
node_modules/.stamp: package.json package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: 'make deps' installs it, or build without it: make WITH_NPM=no"; exit 1; }
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libserver.a $(BUILD)/libcore.a $(EMBED_O)
	@mkdir -p $(@D)
	$(CC) $(ALLLD) -o $@ $< -Wl,--start-group $(BUILD)/libserver.a $(BUILD)/libcore.a -Wl,--end-group $(EMBED_O) $(LIBS)

unit: $(UNIT)
	prove $(UNIT)

deps:
	tools/deps.sh run
deps-test:
	tools/deps.sh test

# Two recipes start a second make so that what deps just installed is seen.
run: deps
	@$(MAKE) --no-print-directory all
	$(BUILD)/nsecwatchd up --demo --data var

test: deps-test
	@$(MAKE) --no-print-directory all $(UNIT)
	BUILD=$(BUILD) SAN=$(SAN) tests/run.sh

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
