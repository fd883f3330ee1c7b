# SPDX-License-Identifier: GPL-2.0-or-later
# nsecwatch: `make run` to try it, `make test` for all tests, `make help` for the rest.

SAN     ?=
CI      ?=
WITH_NPM ?= yes
BUILD   ?= build$(if $(SAN),/$(SAN))
CC      ?= cc
PKGS    := libmicrohttpd gnutls libpq jansson libcurl nettle libzstd libxxhash libdeflate zlib yaml-0.1
CLIENT_PKGS := jansson nettle zlib yaml-0.1
PKG_CONFIG ?= pkg-config

comma   := ,
WARN    := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wcast-qual \
           -Wwrite-strings -Wvla -Wformat=2 -Wimplicit-fallthrough
# Those that not every compiler or machine has: jumps only to where one may jump (Intel's IBT, ARM's BTI), the stack page by page.
takes    = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
HARDEN  := -fno-common -fstack-protector-strong -fPIE $(if $(SAN),,-D_FORTIFY_SOURCE=2)\
           $(foreach f,-fcf-protection -mbranch-protection=standard -fstack-clash-protection,$(call takes,$(f)))
SANFLAG := $(if $(filter address,$(SAN)),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer)\
           $(if $(filter undefined,$(SAN)),-fsanitize=undefined -fno-omit-frame-pointer)\
           $(if $(filter thread,$(SAN)),-fsanitize=thread -fno-omit-frame-pointer)
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
ALLCF   := -std=gnu17 -D_GNU_SOURCE -O2 -g $(WARN) $(if $(CI),$(if $(SAN),,-Werror)) $(HARDEN) $(SANFLAG) \
           $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null) $(CPPFLAGS) $(CFLAGS)
ALLLD   := -pie -pthread -Wl,-z,relro,-z,now,-z,noexecstack $(SANFLAG) $(LDFLAGS)
LIBS    := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lRmath -lm
# The client opens libcurl when it needs it (client/curl.c). ONE_FILE: all but libc is in it.
CLIENT_LIBS := $(if $(ONE_FILE),-static-libgcc -Wl$(comma)-Bstatic )$(shell $(PKG_CONFIG) --libs $(CLIENT_PKGS) 2>/dev/null) -lRmath\
           $(if $(ONE_FILE),-Wl$(comma)-Bdynamic )-lm -ldl

CORE    := $(wildcard lib/*.c lib/stats/*.c ingest/*.c chart/*.c)
SERVER  := $(filter-out server/main.c,$(wildcard server/*.c))
CLIENT  := $(filter-out client/main.c,$(wildcard client/*.c))
CORE_O  := $(CORE:%.c=$(BUILD)/%.o)
SERVER_O := $(SERVER:%.c=$(BUILD)/%.o)
CLIENT_O := $(CLIENT:%.c=$(BUILD)/%.o)
EMBED_O := $(BUILD)/embed.o
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

# One short line a step; V=1 shows the commands.
Q       := $(if $(V),,@)
say     = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

STATIC  := $(shell find $(wildcard static schema demo) -type f | LC_ALL=C sort)
ifeq ($(WITH_NPM),yes)
VENDOR  := node_modules/.stamp
endif

PROGRAMS := $(BUILD)/nsecwatchd $(BUILD)/nsecwatch

.PHONY: fuzz fuzz-http replay replay-found detect-score ab-score bisect-score lint-js lint-openapi all run demo-large test corpus bench bench-pages bench-programs deps deps-test help fmt lint clean unit unit-programs programs test-compose test-fresh test-kill
all: programs
programs: $(PROGRAMS)

$(BUILD)/nsecwatchd: $(BUILD)/server/main.o $(BUILD)/libserver.a $(BUILD)/libcore.a $(EMBED_O)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $(BUILD)/server/main.o -Wl,--start-group $(BUILD)/libserver.a $(BUILD)/libcore.a -Wl,--end-group $(EMBED_O) $(LIBS)
	@chmod a+rx $@	# under a strict umask, too: started as root, it runs its parts as another user

$(BUILD)/nsecwatch: $(BUILD)/client/main.o $(BUILD)/libclient.a $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)

$(BUILD)/libcore.a: $(CORE_O)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/libclient.a: $(CLIENT_O)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/libserver.a: $(SERVER_O)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# What things were made with: another compiler, flag or embedded file makes them anew.
$(BUILD)/flags: FORCE
	@$(PKG_CONFIG) --exists $(PKGS) || { echo "libraries or pkg-config are missing: run 'make deps' (for make client: 'make deps-client')" >&2; exit 1; }
	@mkdir -p $(@D); echo '$(subst ','\'',$(CC) $(ALLCF))' | cmp -s - $@ || echo '$(subst ','\'',$(CC) $(ALLCF))' > $@
$(BUILD)/embed.list: FORCE
	@mkdir -p $(@D); echo '$(WITH_NPM) $(STATIC)' | cmp -s - $@ || echo '$(WITH_NPM) $(STATIC)' > $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALLCF) -MMD -MP -c -o $@ $<

# The version is compiled into one file, rebuilt when it changes.
$(BUILD)/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@
$(BUILD)/lib/version.o: lib/version.c $(BUILD)/version $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALLCF) -DNSECWATCH_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<
.PHONY: FORCE
.SECONDARY:

$(EMBED_O): tools/embed.sh $(STATIC) $(VENDOR) $(BUILD)/embed.list
	@mkdir -p $(@D)
	$(call say,EMBED,$@)
	$(Q)WITH_NPM=$(WITH_NPM) tools/embed.sh $(BUILD)/embed
	$(Q)$(CC) -c -o $@ $(BUILD)/embed.S

# Page libraries. The lock file carries no download addresses. Its copy in the stamp tells whether they are these.
node_modules/.stamp: package.json package-lock.json
	@cmp -s package-lock.json $@ || { \
		command -v npm >/dev/null || { echo "npm is missing: 'make deps' installs it; or build without it: make WITH_NPM=no" >&2; exit 1; }; \
		npm ci --no-audit --no-fund --loglevel=error; }
	@cp package-lock.json $@

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libserver.a $(BUILD)/libclient.a $(BUILD)/libcore.a $(EMBED_O)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $< -Wl,--start-group $(BUILD)/libserver.a $(BUILD)/libclient.a $(BUILD)/libcore.a -Wl,--end-group $(EMBED_O) $(LIBS)

# The readers against real files (a folder with a MANIFEST.tsv): a row a file, deviations argued in tests/corpus_deviations.tsv.
CORPUS  ?= ../shared/corpus
$(BUILD)/corpus_dump: $(BUILD)/tests/corpus/dump.o $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)
corpus: $(BUILD)/corpus_dump
	@CORPUS_DUMP=$(BUILD)/corpus_dump /usr/bin/python3 tests/corpus/corpus.py $(CORPUS)

# Fuzzing with libFuzzer, AddressSanitizer and UBSan: see tests/fuzz/run.sh. FUZZ_SECONDS=120 each reader, FUZZ="lnt kernel" only these.
FUZZ_OUT := build/fuzz
fuzz: $(BUILD)/corpus_dump
	@echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p && n; }' | \
		clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null || \
		{ echo "clang and its libFuzzer are needed (in Debian 12: clang, libclang-rt-14-dev)" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(PARALLEL) CC=clang SAN=address BUILD=$(FUZZ_OUT) CFLAGS='-fsanitize=fuzzer-no-link -O1' $(FUZZ_OUT)/fuzz $(FUZZ_OUT)/fuzz_server
	@tests/fuzz/run.sh $(FUZZ_OUT)/fuzz $(BUILD)/corpus_dump $(FUZZ_OUT)/run $(FUZZ)
# A server with both sanitizers through its socket, for FUZZ_SECONDS: see tests/fuzz/fuzz_http.py.
fuzz-http: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) SAN=address BUILD=$(BUILD)/address $(BUILD)/address/nsecwatchd
	@BUILD=$(BUILD)/address ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
		PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/fuzz/fuzz_http.py --seconds $(or $(FUZZ_SECONDS),120) --out $(FUZZ_OUT)/run
$(FUZZ_OUT)/fuzz: $(FUZZ_OUT)/tests/fuzz/fuzz.o $(FUZZ_OUT)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -fsanitize=fuzzer -o $@ $^ $(CLIENT_LIBS)
$(FUZZ_OUT)/fuzz_server: $(FUZZ_OUT)/tests/fuzz/fuzz_server.o $(FUZZ_OUT)/libserver.a $(FUZZ_OUT)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -fsanitize=fuzzer -o $@ $^ $(LIBS)

# Comparisons where the truth is known, by simulation: how often a verdict is wrong, and how often right.
$(BUILD)/ab_score: $(BUILD)/tests/score/ab_score.o $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)
ab-score: $(BUILD)/ab_score
	$(BUILD)/ab_score $(AB_FAMILIES)

# Bisections where the truth is known: how often they end right, and after how many boots.
$(BUILD)/bisect_score: $(BUILD)/tests/score/bisect_score.o $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)
bisect-score: $(BUILD)/bisect_score
	$(BUILD)/bisect_score $(BISECT_SEEDS)

# The product against the least that libpq can do, and a rival: see bench/run.py. Never with a sanitizer.
BENCH   := $(BUILD)/bench/load $(BUILD)/bench/probe_ingest $(BUILD)/bench/probe_query
BENCH_JSON := $(BUILD)/bench/read $(BUILD)/bench/write
$(BENCH): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/bench/measure.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(shell $(PKG_CONFIG) --libs libpq)
$(BUILD)/bench/probe_http: $(BUILD)/bench/probe_http.o $(BUILD)/bench/measure.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(shell $(PKG_CONFIG) --libs libmicrohttpd)
$(BENCH_JSON): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/bench/pair.o $(BUILD)/bench/measure.o $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) $(WRAP_$(@F):%=-Wl$(comma)--wrap=%) -o $@ $^ $(CLIENT_LIBS)
WRAP_read := malloc calloc realloc free
bench: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all bench-programs
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/run.py
bench-growth bench-soak bench-profile: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all bench-programs
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/$(patsubst bench-%,%,$(@:%profile=%stages)).py || [ $$? = 77 ]
# PUSH="--url URL --token-file FILE": the options of nsecwatch push, which also knows NSECWATCH_URL and NSECWATCH_TOKEN.
bench-push: $(BUILD)/nsecwatch
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/push.py $(BUILD)/bench $(PUSH)
.PHONY: bench-growth bench-soak bench-profile bench-push
bench-programs: $(BENCH) $(BENCH_JSON) $(BUILD)/bench/probe_http $(BUILD)/detect_time

# The pages in headless Chromium, each number beside its limit: see bench/pages.mjs. Never with a sanitizer.
bench-pages: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) node bench/pages.mjs

# Change detection against labelled series, beside what is demanded of it: see tests/detect/score.py. Never with a sanitizer.
$(BUILD)/detect_time: $(BUILD)/tests/detect/time.o $(BUILD)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALLLD) -o $@ $^ $(CLIENT_LIBS)
detect-score: $(BUILD)/nsecwatch $(BUILD)/detect_time $(BUILD)/ab_score
	@BUILD=$(BUILD) /usr/bin/python3 tests/detect/score.py $(DETECT_SCORE) || [ $$? = 77 ]
	@$(BUILD)/ab_score $(AB_FAMILIES)

# Whole stories through a real server and watch: SEEDS=20 of the story, and quiet series. Never with a sanitizer.
SEEDS   ?= 20
replay: all
	@BUILD=$(BUILD) /usr/bin/python3 tests/replay/replay.py story quiet --seeds $(SEEDS) $(REPLAY) || [ $$? = 77 ]
replay-found: all
	@BUILD=$(BUILD) /usr/bin/python3 tests/replay/replay.py found --quiet-seeds 911-912 --count 300 --most 400 $(REPLAY) || [ $$? = 77 ]

# The client alone, for lab machines: one file that needs libc, and libcurl only to talk to a server.
.PHONY: client deps-client install-client test-client
client: $(if $(ARCH),$(BUILD)/sysroot-$(ARCH))
	@$(ONE_ENV) $(MAKE) --no-print-directory $(PARALLEL) BUILD=$(ONE_DIR) PKGS='$(CLIENT_PKGS) libcurl' ONE_FILE=yes $(ONE_CROSS) $(ONE_DIR)/nsecwatch
	@$(ONE_TRIPLE:%=%-)strip -o $(ONE_DIR)/nsecwatch.small $(ONE_DIR)/nsecwatch && mv $(ONE_DIR)/nsecwatch.small $(ONE_DIR)/nsecwatch
	@ls -l $(ONE_DIR)/nsecwatch
ONE_DIR = $(BUILD)/client$(ARCH:%=-%)
ONE_TRIPLE = $(if $(ARCH),$(or $(TRIPLE_$(ARCH)),$(error ARCH=$(ARCH): arm64 is known)))
ONE_CROSS = $(if $(ARCH),CC=$(ONE_TRIPLE)-gcc AR=$(ONE_TRIPLE)-ar LDFLAGS='-L$(ONE_ROOT)/usr/lib -L$(ONE_ROOT)/usr/lib/$(ONE_TRIPLE)')
ONE_ROOT = $(abspath $(BUILD)/sysroot-$(ARCH))
ONE_ENV = $(if $(ARCH),PKG_CONFIG_SYSROOT_DIR=$(ONE_ROOT) PKG_CONFIG_LIBDIR=$(ONE_ROOT)/usr/lib/$(ONE_TRIPLE)/pkgconfig:$(ONE_ROOT)/usr/lib/pkgconfig)
TRIPLE_arm64 := aarch64-linux-gnu
$(BUILD)/sysroot-%: tools/sysroot.sh
	tools/sysroot.sh $* $@
PREFIX ?= /usr/local
install-client: client
	install -D -m 0755 $(ONE_DIR)/nsecwatch $(DESTDIR)$(PREFIX)/bin/nsecwatch
	install -D -m 0644 man/nsecwatch.1 $(DESTDIR)$(PREFIX)/share/man/man1/nsecwatch.1
	install -D -m 0644 client/nsecwatch.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/nsecwatch
# The server's machine: both programs, manual pages, completion, units. DESTDIR=... for packages; PREFIX=/usr for theirs.
.PHONY: install uninstall
UNITS    := $(patsubst systemd/%.in,%,$(wildcard systemd/*.service.in))
UNITDIR  ?= $(PREFIX)/lib/systemd/system
install: all
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/bin $(PROGRAMS)
	install -d $(DESTDIR)$(UNITDIR) $(foreach n,$(sort $(patsubst .%,%,$(suffix $(wildcard man/*)))),$(DESTDIR)$(PREFIX)/share/man/man$(n))
	for page in $(wildcard man/*.[0-9]); do install -m 0644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/ || exit; done
	install -D -m 0644 client/nsecwatch.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/nsecwatch
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/nsecwatch LICENSE README.md $(wildcard docs/*.*) $(wildcard docs/proxies/*)
	for unit in $(UNITS); do { sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/$$unit.in && cat systemd/hardening.conf && \
		printf '\n[Install]\nWantedBy=multi-user.target\n'; } > $(DESTDIR)$(UNITDIR)/$$unit && chmod 0644 $(DESTDIR)$(UNITDIR)/$$unit || exit; done
uninstall:
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(UNITS)) $(addprefix $(DESTDIR)$(PREFIX)/bin/,$(notdir $(PROGRAMS))) \
		$(foreach page,$(wildcard man/*.[0-9]),$(DESTDIR)$(PREFIX)/share/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page))) \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/nsecwatch
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/nsecwatch
test-client: deps-client
	@tools/deps.sh test-client
	@BUILD=$(BUILD) tests/client.sh
deps-client:
	@tools/deps.sh client

unit-programs: $(UNIT)
unit: $(UNIT)
	prove $(UNIT)

PARALLEL = $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(shell nproc))
deps:
	@WITH_NPM=$(WITH_NPM) tools/deps.sh run
deps-test:
	@WITH_NPM=$(WITH_NPM) tools/deps.sh test

# A second make, so that what deps just installed is seen. exec: Ctrl-C reaches the program, not a shell.
run: deps
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@exec $(BUILD)/nsecwatchd up --demo --data var

# 12 machines x 5 THP modes x 40 kernels x 30 benchmarks, all generated, kept in var/large: see tools/demo_large.py.
demo-large: deps
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@exec /usr/bin/python3 tools/demo_large.py --server $(BUILD)/nsecwatchd --data var/large $(DEMO_LARGE)

test: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all $(UNIT) $(BUILD)/corpus_dump
	@BUILD=$(BUILD) SAN=$(SAN) WITH_NPM=$(WITH_NPM) tests/run.sh

# The long form of what make test does shortly: see tests/http/test_kill.py.
KILL_KERNELS ?= 28
test-kill: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) NSECWATCH_KILL_RUNS=500 NSECWATCH_KILLS=50 NSECWATCH_KILL_KERNELS=$(KILL_KERNELS) PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 -m pytest -q -s -p no:cacheprovider tests/http/test_kill.py
.PHONY: test-faults test-load test-attack
# What the internet does to a server, all at once, while others are served: tests/http/test_attack.py, then hostile names in a browser.
ATTACK_GB ?= 10
test-attack: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) SAN=$(SAN) NSECWATCH_ATTACK_GB=$(ATTACK_GB) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -s --tb=short -p no:cacheprovider \
		tests/http/test_attack.py tests/http/test_hardening.py tests/http/test_bad_input.py
	@[ "$(WITH_NPM)" = no ] || BUILD=$(BUILD) node --test --test-name-pattern='names .*stay|names in a log|script or a style of its own' tests/browser/*.test.mjs
# 64 writers and 64 readers while PostgreSQL is killed again and again: tests/faults/load.py. LOAD_MINUTES=20, or in parts with LOAD="--sum FILE".
LOAD_MINUTES ?= 2
test-load: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) SAN=$(SAN) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/faults/load.py --minutes $(LOAD_MINUTES) $(LOAD)
# All faults, and the table of them: tests/faults/conftest.py. FAULTS="-k network" only some. About six minutes; root for some.
test-faults: deps-test
	@tools/deps.sh faults
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) SAN=$(SAN) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -rs --tb=short -p no:cacheprovider $(FAULT_FILES) $(FAULTS)
FAULT_FILES := tests/faults $(patsubst %,tests/http/test_%.py,concurrency hardening kill up) -m fault
# A backup of many samples restored into an empty server: the same bytes to a hundred questions. SAMPLES=10000000
SAMPLES ?= 10000000
.PHONY: test-restore
test-restore: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) /usr/bin/python3 tests/scale/restore.py $(SAMPLES)
test-compose:
	tests/compose.sh
test-fresh:
	tests/fresh.sh

# Without the checks that ask for another style, or that version 14 has wrong (va_list, errors told by a return value).
TIDY    := -*,bugprone-*,clang-analyzer-unix.*,clang-analyzer-deadcode.*
TIDY_NOT := easily-swappable-parameters narrowing-conversions reserved-identifier assignment-in-if-condition \
           suspicious-string-compare not-null-terminated-result sizeof-expression macro-parentheses branch-clone \
           implicit-widening-of-multiplication-result integer-division posix-return
C_FILES = $(shell git ls-files '*.c' '*.h')
fmt:
	clang-format -i $(C_FILES)
lint:
	tests/layers.sh
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=constStatement --suppress=internalAstError \
		--suppress=shiftTooManyBitsSigned --suppress=preprocessorErrorDirective \
		'-Djson_object_foreach(o,k,v)=for(;;)' '-Djson_array_foreach(a,i,v)=for(;;)' \
		-D_GNU_SOURCE $(filter %.c,$(C_FILES))
	clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY)$(patsubst %,$(comma)-bugprone-%,$(TIDY_NOT))' \
		$(filter-out tests/%,$(filter %.c,$(C_FILES))) -- \
		-std=gnu17 -D_GNU_SOURCE -DNSECWATCH_VERSION='""' $(shell $(PKG_CONFIG) --cflags $(PKGS)) 2>/dev/null

# Part of make test's browser part, too: mistakes in the scripts, and their types, which are JSDoc comments.
lint-js: node_modules/.stamp
	node_modules/.bin/eslint .
	node_modules/.bin/tsc -p .

# Part of make test, too. The document comes from a running server.
lint-openapi: deps-test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD=$(BUILD) /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/http/test_openapi.py -k linter

help:
	@echo 'make run            install what is missing, build, start on http://127.0.0.1:8080 with demo data (kept in ./var)'
	@echo 'make demo-large     the same with a large generated lab, on http://127.0.0.1:8081, kept in ./var/large (a minute to fill)'
	@echo 'make test           install what is missing, build, run all tests'
	@echo 'make                build build/nsecwatchd'
	@echo 'make SAN=address    the same with a sanitizer (address, undefined, thread), into build/SAN; also make test SAN=...'
	@echo 'make WITH_NPM=no    without the interactive charts: no npm needed; the server draws all charts'
	@echo 'make CC=clang CI=1  another compiler; warnings are errors'
	@echo 'make client         the lab client alone, one file (ARCH=arm64: by the cross compiler); install-client PREFIX=/usr/local'
	@echo 'make install        both programs, manual pages, completion and systemd units (PREFIX=/usr/local, DESTDIR=)'
	@echo 'make test-client    that file in a bare Debian made with debootstrap, and for arm64 under qemu-user (root)'
	@echo 'make deps           only install what is missing (deps-test: for the tests, too)'
	@echo 'make unit           only the unit tests'
	@echo 'make fuzz           readers, kernel names, THP, CPUs, sniffing, queries and selectors under libFuzzer (FUZZ_SECONDS=120 each)'
	@echo 'make fuzz-http      a server with sanitizers through its socket: mutated requests, questions, writes (FUZZ_SECONDS=120)'
	@echo 'make corpus         the readers against a corpus of real files (CORPUS=../shared/corpus)'
	@echo 'make ab-score       verdicts against simulations whose truth is known, two minutes (AB_FAMILIES=2000: a quick look)'
	@echo 'make bisect-score   the bisect judge against simulations, beside Wald'"'"'s test (BISECT_SEEDS=2000)'
	@echo 'make detect-score   change detection against labelled series (DETECT_SCORE="--seeds 900-909")'
	@echo 'make replay         what watch makes of the story and of quiet series (SEEDS=2: a quick look; replay-found: of steps)'
	@echo 'make bench          how fast, as ratios to bare libpq and a rival (BENCH_SCALE=small: a quick look)'
	@echo 'make bench-growth   trend, compare and POST where there are 1, 10 and 50 million samples (GROWTH="1 10")'
	@echo 'make bench-soak     at 80 % of the limit: does the memory of serve, watch and PostgreSQL stay flat (SOAK_MINUTES=30)'
	@echo 'make bench-profile  where the time of POST and trend goes, by stage (perf)'
	@echo 'make bench-push     the results of bench and bench-growth to a nsecwatch (PUSH="--url URL --token-file FILE")'
	@echo 'make bench-pages    how quick the pages are in headless Chromium, each number beside its limit'
	@echo 'make test-kill      watch killed 50 times while 500 runs come in: the same alerts, the same mails'
	@echo 'make test-load      64 writers, 64 readers, PostgreSQL killed every two minutes (LOAD_MINUTES=20; SAN=thread LOAD_MINUTES=5)'
	@echo 'make test-attack    slow clients, half-sent bodies, endless chunks (ATTACK_GB=10), smuggling, hostile names, all at once'
	@echo 'make test-faults    everything that can break is broken, and the table of it (root for some of it; FAULTS="-k network": some)'
	@echo 'make test-restore   a backup of 10 million samples into an empty server: the same answers (SAMPLES=300000: a quick look)'
	@echo 'make test-compose   build and start docker-compose.yml for real, with podman (root)'
	@echo 'make test-fresh     make run and make test in a bare Debian made with debootstrap (root)'
	@echo 'make lint-js        eslint and tsc --checkJs on the scripts'
	@echo 'make lint-openapi   @redocly/cli on /api/openapi.json'
	@echo 'make fmt lint clean'

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
