# mbsim. `make help` lists the targets; V=1 shows the commands; FLAVOUR=release|asan|fuzz picks a build folder.

VERSION := 0.1.0
FLAVOUR ?= release
BUILD   := build/$(FLAVOUR)
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)
say      = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(2))

# -Wno-psabi: vectors go by value only between functions that are inlined (core/solvers/redmax/lanes.h)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Werror -Wno-psabi
BASE := -std=c17 -D_GNU_SOURCE -DMB_VERSION=\"$(VERSION)\" -I. -ffp-contract=off -fno-math-errno -fopenmp-simd -pthread $(WARN) -MMD -MP
SAN  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ifeq ($(FLAVOUR),release)
  OPT := -O2 -g
else ifeq ($(FLAVOUR),asan)
  # Lines alone, which reports name. Null pointers end what follows them in any case, and FLAVOUR=fuzz has all checks: without these three
  # and with tests checked for addresses alone a third less is to wait for.
  OPT := -O1 -g1 $(SAN) -fno-sanitize=null,pointer-overflow,object-size -DMB_SANITIZED
else ifeq ($(FLAVOUR),fuzz)
  CC  := clang
  OPT := -O1 -g1 $(SAN) -fsanitize=fuzzer-no-link -DMB_SANITIZED
else
  $(error FLAVOUR must be release, asan or fuzz, not "$(FLAVOUR)")
endif
# clang takes a long text of several pieces in a list for a forgotten comma
CLANG      := $(if $(findstring clang,$(CC)),-Wno-string-concatenation)
CFLAGS_ALL := $(BASE) $(OPT) $(CLANG) $(CFLAGS)
LIBS       := -lcjson -lmuparser -lexpat -lz -lmetis -ldl -lm
LAPACKE    := -llapacke -lblas # for what compares with them; the program loads them when it needs them
LINK       := $(CC) $(filter -fsanitize% -fno-sanitize%,$(OPT)) -pthread $(LDFLAGS)

# nvcc builds the CUDA engine where it is found; CUDA=0 builds without, as sanitizers do. CUDA_ARCH: what devices it has code for, as "80 90",
# and the last of them for later ones too.
NVCC ?= $(firstword $(wildcard $(patsubst %,%/bin/nvcc,$(CUDA_HOME))) $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(filter release,$(FLAVOUR)),$(if $(NVCC),1,0),0)
ifeq ($(CUDA),1)
  ifeq ($(NVCC),)
    $(error CUDA=1 needs nvcc: set NVCC, or CUDA_HOME to the folder that has bin/nvcc)
  endif
  # of 7.0 (until CUDA 12), 7.5, 8.0 and 9.0 those that this nvcc knows: their code runs on what is between, too
  CUDA_ARCH ?= $(sort $(filter 70 75 80 90,$(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))))
  CUDA_LAST := $(lastword $(CUDA_ARCH))
  CUDA_CODE := $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST)
  CUDA_LIB  := $(firstword $(wildcard $(foreach d,lib64 lib targets/x86_64-linux/lib,$(dir $(realpath $(NVCC)))../$(d)/libcudart_static.a)))
  CUDA_LIBS := $(CUDA_LIB) -lstdc++ -lrt
  LIBS      += $(CUDA_LIBS)
  CUDA_SRC  := $(wildcard gpu/*.cu)
endif
NVCC_FLAGS = -std=c++17 -O2 -I. -lineinfo -fmad=true -diag-error 20011,20012,20013,20014,20015 --threads 2 -Xcompiler -fPIC,-Wall,-Wno-unknown-pragmas -MMD -MP $(CUDA_CODE) \
  -DMB_CUDA_ARCHS='"$(CUDA_ARCH)"' $(NVCCFLAGS)

LIB_SRC  := $(wildcard core/*.c core/*/*.c core/*/*/*.c io/*/*.c) $(filter-out $(if $(CUDA_SRC),gpu/gpu_none.c),$(wildcard gpu/*.c))
CLI_SRC  := $(wildcard cli/*.c)
TEST_SRC := $(wildcard tests/*.c tests/core/*.c tests/core/*/*.c tests/core/*/*/*.c tests/io/*.c tests/gpu/*.c tests/cli/*.c)
# what tests and benchmarks share
TEST_SRC += tools/bench/bending_cases.c
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
# Bullet stands beside ours in `mbsim-bench contact` where libbullet-dev and a C++ compiler are installed.
BULLET    := $(if $(shell command -v $(CXX) 2>/dev/null),$(firstword $(wildcard /usr/include/bullet /usr/local/include/bullet)))
BENCH_SRC := $(filter-out $(if $(BULLET),tools/bench/bullet_none.c),$(wildcard tools/bench/*.c))
obj       = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB      := $(BUILD)/libmbsim.a
SHARED   := $(BUILD)/libmbsim.so.0
BIN      := $(BUILD)/mbsim
TESTS    := $(BUILD)/mbsim-tests
DRIVER   := $(BUILD)/fake/libcuda.so.1
BENCH    := $(BUILD)/mbsim-bench
REPLAYS  := $(patsubst tests/fuzz/%.c,$(BUILD)/replay/%,$(FUZZ_SRC))
FUZZERS  := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SRC))

.PHONY: all help deps deps-dev deps-view deps-cluster demo check check-asan check-fuzz check-view check-cluster measure-view fuzz bench compare lint format docs install clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BIN) $(LIB) $(if $(filter release,$(FLAVOUR)),$(SHARED)) ## build the program and the library (default)
ifeq ($(FLAVOUR),release)
	$(Q)ln -sf $(FLAVOUR)/mbsim build/mbsim
endif

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

# What is asked for together with it waits for `deps` (or `deps-dev`, `deps-view`, `deps-cluster`), also under -j.
FIRST := $(filter deps deps-dev deps-view deps-cluster,$(MAKECMDGOALS))
demo check check-view check-cluster check-asan check-fuzz fuzz bench lint: | $(FIRST)

$(BUILD)/%.o: %.c | $(FIRST)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -c -o $@ $<

ifeq ($(FLAVOUR),asan)
  $(BUILD)/tests/%.o: CFLAGS_ALL += -fno-sanitize=undefined
endif

# The page of `mbsim view`, made by esbuild from tools/viewer and put into the program. Without node, or before `make deps` has
# brought its packages, it is empty and `view` says so.
VIEWER      := tools/viewer
VIEWER_PAGE := build/viewer/viewer.html
VIEWER_SRC  := $(wildcard $(VIEWER)/*.mjs $(VIEWER)/package-lock.json $(VIEWER)/src/* $(VIEWER)/src/*/*)

$(VIEWER_PAGE): $(VIEWER_SRC) $(wildcard $(VIEWER)/node_modules/.package-lock.json) | $(FIRST)
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)sh $(VIEWER)/build.sh $@

$(BUILD)/io/view/view_bundle.o: CFLAGS_ALL += -DMB_VIEW_BUNDLE=\"$(VIEWER_PAGE)\"
$(BUILD)/io/view/view_bundle.o: $(VIEWER_PAGE)

# What steps go through is written out (-O3): short products of three and six numbers, to the same bits in a tenth less time (`mbsim-bench humanoid`). Some files
# have the vectors that the code says and no others: rows of numbers that the compiler makes vectors of wait for what has just been written number by number, and
# GCC 12.2 fuses products with sums that it makes vectors of, whatever -ffp-contract says (`make lint` looks for that).
BY_NUMBERS := core/sim/tangent core/sim/tangent_change core/sim/tangent_number core/sim/tangent_gather core/sim/tangent_swing core/solvers/maximal/joint_felt \
  core/solvers/redmax/posture
UNROLLED   := $(filter-out %_base %_avx2 %_avx512,$(basename $(wildcard $(patsubst %,core/%/*.c,contact collision model joints forces constraints sim solvers) core/solvers/redmax/[pr]*.c)))
$(patsubst %,$(BUILD)/%.o,$(sort $(UNROLLED) $(BY_NUMBERS))): CFLAGS_ALL += $(if $(filter release,$(FLAVOUR)),-O3)
$(BY_NUMBERS:%=$(BUILD)/%.o): CFLAGS_ALL += $(if $(filter release,$(FLAVOUR)),-fno-tree-vectorize)

$(BUILD)/io/sweep/sweep_page.o: tools/sweep/report.html

# Made anew when what it is made with changes.
$(BUILD)/gpu/made_with: FORCE
	@mkdir -p $(@D)
	@echo '$(CUDA) $(NVCC) $(CUDA_ARCH)' | cmp -s - $@ || echo '$(CUDA) $(NVCC) $(CUDA_ARCH)' >$@
.PHONY: FORCE

$(BUILD)/%.cu.o: %.cu $(BUILD)/gpu/made_with | $(FIRST)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) -c -o $@ $<

$(LIB): $(call obj,$(LIB_SRC)) $(CUDA_SRC:%=$(BUILD)/%.o) $(BUILD)/gpu/made_with
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# The library for programs that load it: what the public header declares, and nothing else. Its objects are the archive's, which bind
# their own symbols within; SHARED's number is that of the interface.
$(BUILD)/mbsim.map: core/mbsim.h
	@mkdir -p $(@D)
	$(Q)(echo '{ global:'; grep -oE '\bmb_[a-z_]+\(' $< | tr -d '(' | sort -u | sed 's/$$/;/'; echo 'local: *; };') >$@

# It is without CUDA: the runtime's thread-local storage is of the kind that only programs have from their start.
SHARED_OBJ := $(call obj,$(filter-out gpu/gpu_none.c,$(LIB_SRC)) gpu/gpu_none.c)
$(SHARED): $(SHARED_OBJ) $(BUILD)/mbsim.map
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -Wl,-Bsymbolic -Wl,--version-script=$(BUILD)/mbsim.map -Wl,-soname,$(@F) -o $@ \
	  $(SHARED_OBJ) $(filter-out $(CUDA_LIBS),$(LIBS))

# The program's debug information goes into mbsim.debug beside it; sanitizers read their own.
$(BIN): $(call obj,$(CLI_SRC)) $(LIB)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)
ifeq ($(FLAVOUR),release)
	$(Q)sh tools/strip.sh $@
endif

# Criterion's parameterised tests crash in a position-independent program, hence -no-pie.
$(TESTS): $(call obj,$(TEST_SRC)) $(LIB)
	$(call say,LD,$@)
	$(Q)$(LINK) -no-pie -o $@ $^ $(LIBS) $(LAPACKE) -lcriterion

# A driver that is made up, for tests of machines that have one.
$(DRIVER): tests/gpu/fake/libcuda.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) -shared -fPIC -o $@ $<

# CHOLMOD stands beside ours in `mbsim-bench global` where SuiteSparse is installed.
CHOLMOD = $(shell echo 'int main(void) { return 0; }' | \
            $(CC) -include suitesparse/cholmod.h -include omp.h -x c - -o /dev/null -lcholmod -lgomp 2>/dev/null && \
            echo -lcholmod -lgomp)
# MuJoCo stands beside ours in `mbsim-bench humanoid` where libmujoco is installed.
MUJOCO = $(shell echo 'int main(void) { return 0; }' | \
           $(CC) -include mujoco/mujoco.h -x c - -o /dev/null -lmujoco 2>/dev/null && echo -lmujoco)

$(BUILD)/%.cpp.o: %.cpp | $(FIRST)
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -I. -isystem $(BULLET) $(OPT) -Wall -Wextra -Wshadow -Werror -MMD -MP -c -o $@ $<

$(BENCH): $(call obj,$(BENCH_SRC)) $(if $(BULLET),$(BUILD)/tools/bench/bullet_steps.cpp.o) $(LIB)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LAPACKE) $(CHOLMOD) $(MUJOCO) $(if $(BULLET),-lBulletDynamics -lBulletCollision -lLinearMath -lstdc++)

$(BUILD)/replay/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)

deps: ## install what building and testing need (apt; elsewhere it says what to install)
	@sh tools/deps.sh build test

deps-dev: ## the same for lint, format and fuzz
	@sh tools/deps.sh build test dev

deps-view: ## the same for check-view: Chromium, VTK
	@sh tools/deps.sh build view

deps-cluster: ## the same for check-cluster: Slurm, munge, MPI, GNU parallel
	@sh tools/deps.sh build cluster

demo: all ## run an example and show what it made
	@sh tools/demo.sh $(BIN)

check: all $(TESTS) $(DRIVER) ## build and run every test
	@sh tests/run.sh $(FLAVOUR) '$(TEST)'

check-asan: ## the tests, without long ones of numbers alone, under the address and undefined-behaviour sanitizers; leaks fail it
	@$(MAKE) --no-print-directory FLAVOUR=asan check

check-view: all ## the page of `view` in Chromium
	@node tests/view/run.mjs $(BIN)

measure-view: all ## how fast the page of `view` is in Chromium, as a table; LARGE=large: with a file of a gigabyte too
	@node tests/view/measure.mjs $(BIN) $(LARGE)

check-cluster: all ## sweeps in parts: under a Slurm of the test's own, MPI, GNU parallel
	@sh tests/slurm/run.sh $(BIN)

check-fuzz: $(REPLAYS) ## replay the fuzz corpora
	@sh tests/fuzz/replay.sh $(BUILD)/replay

fuzz: ## run every libFuzzer target for SECONDS_EACH seconds (default 60); needs clang
	@$(MAKE) --no-print-directory FLAVOUR=fuzz fuzzers
	@sh tests/fuzz/fuzz.sh build/fuzz $(or $(SECONDS_EACH),60)
.PHONY: fuzzers
fuzzers: $(FUZZERS)

bench: all $(BENCH) ## run the benchmarks
	@$(BENCH) $(BENCH_ARGS)

compare: all ## time steps of all scenes beside those of another program, OTHER=path/to/mbsim
	@$(if $(OTHER),,$(error compare wants OTHER=path/to/another/mbsim))python3 tools/bench/compare.py $(OTHER) $(BIN) $(COMPARE_ARGS)

SOURCES = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
# What clang says of the sources, as `make fuzz` builds with it: their meaning alone, no code.
READ = -fsyntax-only -DMB_VIEW_BUNDLE=\"$(VIEWER_PAGE)\" $(filter-out -MMD -MP,$(BASE)) -Wno-string-concatenation

lint: all $(BENCH) ## benchmarks build; layer check, circles of calls, products that are fused, clang's warnings, format check
	@sh tools/layers.sh
	@sh tools/circles.sh $(BUILD)
	@sh tools/fused.sh $(BENCH)
	@printf '%s\n' $(LIB_SRC) $(CLI_SRC) $(wildcard tests/fuzz/*.c) | xargs -P 2 -n 16 clang $(READ) && echo "clang: ok"
	@clang-format --dry-run -Werror $(SOURCES) && echo "format: ok"

format: ## rewrite the sources in the house format
	@clang-format -i $(SOURCES)

docs: all ## write the generated parts of the documents anew
	@sh tools/docs.sh $(BIN)

install: all ## install below $(DESTDIR)$(PREFIX): program, library, header, pkg-config, man page, completion, schema
	@sh tools/install.sh $(BIN) $(LIB) "$(DESTDIR)" "$(PREFIX)" $(VERSION) "$(CUDA_LIBS)"

clean: ## remove everything that was built
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
