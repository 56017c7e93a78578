# Flat verbs only. `make test` is what CI runs; `make run` is the demo.
.DEFAULT_GOAL := build
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

GO      ?= go
BIN     := bin
COMMIT  := $(shell git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)
VERSION := $(shell cat VERSION)-dev+$(COMMIT)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# Everything is compiled alike, so that little is compiled twice; the service once more, by
# its profile.
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath)
PLAIN   := -pgo=off
TEST    := $(GO) test $(PLAIN) -vet=off

# What go test -json prints goes through this: a skip must have its reason in .ci/skips.txt.
SKIPS   := $(GO) run $(PLAIN) ./internal/skips

STATICCHECK := $(BIN)/staticcheck-v0.8.2
FUZZTIME    ?= 4s

.PHONY: build run test evidence fmt vet lint floors unit race purego e2e kills hours fuzz-smoke fuzz allocs bench benchcmp load compare pgo gen docs promtool arm64 notices release image-check deb-check clean

build:
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

# The service against the simulated venue: prints a key and a curl line.
run: build
	$(BIN)/ballast serve --venue sim

# Everything a contributor must pass.
test: fmt vet lint floors build unit race purego e2e fuzz-smoke allocs
	@echo "make test: all passed"

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:
	$(GO) mod verify
	$(GO) vet $(PLAIN) ./...
	$(GO) vet $(PLAIN) -tags evidence,hours ./...

$(STATICCHECK):
	@mkdir -p $(BIN)
	GOBIN=$(abspath $(BIN))/.install $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2
	mv $(BIN)/.install/staticcheck $@

lint: $(STATICCHECK)
	GOFLAGS='$(GOFLAGS) $(PLAIN)' $(STATICCHECK) -tags evidence,hours ./...
	cd clients/go && GOFLAGS='$(GOFLAGS) $(PLAIN)' $(abspath $(STATICCHECK)) -tags service ./...

floors:
	.ci/check-floors.sh

# Much of it waits for clocks, for over a minute in SLOW, which therefore begins first:
# three packages at a time keep two processors busy.
SLOW := ./marketcache/replica
unit:
	$(TEST) -json -p 3 -shuffle=on -skip TestE2E $(SLOW) ./... | $(SKIPS) .ci/skips.txt

race:
	$(TEST) -json -p 3 -race -short -shuffle=on $(SLOW) ./... | $(SKIPS) -when race,short .ci/skips.txt

# Those of what computes without assembly anywhere, ours or a library's.
purego:
	$(TEST) -json -short -tags 'purego noasm' ./asm ./compute/... ./marketcache ./server ./server/api | $(SKIPS) -when short .ci/skips.txt

# The built binary against the simulated venue, through real sockets.
e2e: build
	$(TEST) -json -count=1 -timeout 20m -run 'TestE2E' ./cmd/ballast | $(SKIPS) .ci/skips.txt

# The tests that read candles and recordings of the venue, which are not part of the project:
# make evidence EVIDENCE=dir, the directory that has data/candles and venue/recordings.
evidence:
	.ci/evidence.sh "$(EVIDENCE)"

# The service killed fifty times while keys are issued and revoked; e2e does it eight times.
kills:
	KILLS=50 $(GO) test -count=1 -v -run 'TestE2EKills' ./cmd/ballast

# Warm-up and two closes of an hour with 200 assets, on a virtual clock, by a venue that
# counts the request weight of every minute.
hours:
	$(GO) test -tags hours -count=1 -v -run 'TestHoursWithinTheBudget' ./marketcache/venue/hyperliquid

# Every fuzz target for a few seconds, from its seeds.
fuzz-smoke:
	.ci/fuzz.sh $(FUZZTIME) plain

# The same for five minutes each, guided by what the code has not done yet.
fuzz:
	.ci/fuzz.sh 5m

# Allocation gates: 0 heap allocations on the warm path, compiled as tests are and,
# for what a request goes through, by the profile, as the service is.
allocs:
	$(TEST) -count=1 -run 'Alloc' $$(grep -rl --include='*_test.go' 'func Test.*Alloc' . | xargs -n1 dirname | sort -u)
	$(GO) test -count=1 -run 'Alloc' -pgo=cmd/ballast/default.pgo ./server ./bench

# Go benchmarks of all packages, into a file named after the commit.
BENCHCOUNT ?= 10
BENCHTIME  ?= 0.3s
bench:
	@mkdir -p bench/results
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) -benchtime $(BENCHTIME) ./... \
	  | tee bench/results/bench-$(COMMIT).txt

# Two such files, by median and confidence: make benchcmp OLD=bench/results/bench-a.txt NEW=...
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
BENCHSTAT         := $(BIN)/benchstat-$(BENCHSTAT_VERSION)
$(BENCHSTAT):
	@mkdir -p $(BIN)
	GOBIN=$(abspath $(BIN))/.install $(GO) install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)
	mv $(BIN)/.install/benchstat $@

benchcmp: $(BENCHSTAT)
	@test -n "$(OLD)" -a -n "$(NEW)" || { echo 'want OLD=file NEW=file, as make bench writes them'; exit 2; }
	$(BENCHSTAT) $(OLD) $(NEW)

# The service under load beside its yardsticks, about six minutes: docs/load.md.
# LOADFLAGS='--rounds 9 --round 5s' for more, --help for all.
load: build
	@mkdir -p $(BIN)/yardsticks
	$(GO) build -ldflags '-s -w' -o $(BIN)/yardsticks/ ./bench/yardstick/static ./bench/yardstick/nethttp
	$(GO) run ./bench/compare --bin $(BIN) $(LOADFLAGS)

# The comparison itself, every stage of it for half a second: that its report is whole.
compare:
	$(GO) test -count=1 -v -run 'TestE2ECompare' ./bench/compare

# The profile that the compiler builds the service by (cmd/ballast/default.pgo): where warm
# requests spend their time. Worth doing again when the hot path has changed.
pgo:
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	$(GO) test -run '^$$' -bench 'Validate|Connection|Batch|Monitor' -benchtime 5s -cpuprofile $$dir/request.prof -o $$dir/request.test ./server && \
	cp $$dir/request.prof cmd/ballast/default.pgo

# The text of the assembly, written again by its generators: asm/_avo/<kernel>.go makes
# asm/<kernel>_amd64.s. The types of the clients, from the contract; the console's page, from
# its sources.
gen: docs
	python3 clients/generate.py
	cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund && npm run gen
	$(TEST) -count=1 -run TestBuild ./server/console -update
	cd asm/_avo && for kernel in *.go; do \
	  $(GO) run $$kernel -out ../$${kernel%.go}_amd64.s || exit 1; done

# What Prometheus loads, by its own tool (Debian: apt-get install prometheus); the page of
# metrics is held against the same rules by TestE2EWhatAnOperatorSees.
promtool:
	promtool check config deploy/prometheus/prometheus.yml
	promtool check rules --lint=all --lint-fatal deploy/prometheus/alerts.yml
	promtool test rules deploy/prometheus/alerts_test.yml

# docs/flags.md and the manual page, from the flag table.
docs:
	$(TEST) -count=1 -run 'TestPages|TestFlagTable' ./cmd/ballast -update

# The Go loops on a processor without our assembly, and with a fused multiply-add that must
# not be used: the kernels and their callers under emulation.
arm64:
	@command -v qemu-aarch64 >/dev/null || { echo "make arm64: qemu-aarch64 is missing (Debian: apt-get install qemu-user)"; exit 1; }
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) test -short -exec qemu-aarch64 ./asm ./compute/mc

# The licences of what the released programs contain, in THIRD_PARTY.
notices:
	@mkdir -p $(BIN)
	$(GO) run $(PLAIN) ./internal/notices >$(BIN)/THIRD_PARTY && mv $(BIN)/THIRD_PARTY THIRD_PARTY

# Archives for four targets, bills of materials, .deb, container image, checksums: dist/.
CRANE     := $(BIN)/crane-v0.22.1
CYCLONEDX := $(BIN)/cyclonedx-gomod-v1.10.0
NFPM      := $(BIN)/nfpm-v2.45.0
$(CRANE):     package := github.com/google/go-containerregistry/cmd/crane@v0.22.1
$(CYCLONEDX): package := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
$(NFPM):      package := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0
$(CRANE) $(CYCLONEDX) $(NFPM):
	@mkdir -p $(BIN)
	GOBIN=$(abspath $(BIN))/.install $(GO) install $(package)
	mv $(BIN)/.install/$$(basename $@ | sed 's/-v[0-9.]*$$//') $@

release: $(CRANE) $(CYCLONEDX) $(NFPM)
	CRANE=$(CRANE) CYCLONEDX=$(CYCLONEDX) NFPM=$(NFPM) packaging/release.sh

# What make release made, tried, as root on Linux: the image, without an engine, answers the
# README's question; the package is installed, started and purged in a Debian of its own.
image-check:
	packaging/image-check.sh

deb-check:
	packaging/deb-check.sh

clean:
	rm -rf $(BIN) dist
