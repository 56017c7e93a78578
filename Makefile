# `make test` needs nothing but Go; CI runs `make test-all`. `make run` is the demo.
.DEFAULT_GOAL := build
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

GO      ?= go
BIN     := bin
COMMIT  := $(shell git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)
VERSION := $(shell cat VERSION)-dev+$(COMMIT)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# Tests and tools are compiled without the service's profile (PLAIN), so that they share the
# build cache. `make build` compiles the service with its profile.
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath)
PLAIN   := -pgo=off
TEST    := $(GO) test $(PLAIN) -vet=off
# Most tests make garbage for seconds, then end: it is collected a quarter as often as by default. Not so in e2e,
# where the programs choose for themselves.
ROOMY   := GOGC=400

# Filters the output of go test -json: every skip must have its reason in .ci/skips.txt.
SKIPS   := $(GO) run $(PLAIN) ./internal/skips

STATICCHECK := $(BIN)/staticcheck-v0.8.2
GOVULNCHECK := $(BIN)/govulncheck-v1.9.0
FUZZTIME    ?= 1s

.PHONY: build size run test test-all test-more evidence fmt vet lint floors unit race purego e2e tagged cross gen-check \
  vuln kills hours fuzz-smoke fuzz allocs bench benchcmp load compare pgo examples gen docs pictures promtool arm64 notices release \
  image-check deb-check clean

build:
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

# The service is at most 38 MB.
size: build
	@test $$(wc -c <$(BIN)/ballast) -le 38000000 || { ls -l $(BIN)/ballast; exit 1; }

# Runs the service against the simulated venue; it prints a key and a curl line.
run:
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/ballast
	$(BIN)/ballast serve --venue sim

# Needs Go alone: no root, no browser, no network but for Go modules. Tests of the built programs wait more
# than they compute, so the others run beside them, with less right to the processor.
test: fmt vet floors
	$(MAKE) -j2 unit e2e
	@echo "make test: all passed"

# What CI runs, .ci/run. It also needs python3, node and npm with their network, and the right to make
# namespaces; a browser is installed if that is possible.
test-all: test test-more

# What make test-all has beyond make test.
test-more: lint size race
	$(MAKE) -j2 purego tagged # which waits for browsers more than it computes
	$(MAKE) cross fuzz-smoke allocs gen-check vuln
	@echo "make test-all: all passed"; cat $(BIN)/unchecked 2>/dev/null || true

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

# The build tags of tests that an ordinary go test leaves out: make tagged, make evidence, make hours.
TAGS := all,evidence,hours
vet:
	$(GO) mod verify
	$(GO) vet $(PLAIN) -tags $(TAGS) ./...
	cd clients/go && $(GO) vet $(PLAIN) -tags service ./...

$(STATICCHECK): package := honnef.co/go/tools/cmd/staticcheck@v0.8.2
$(GOVULNCHECK): package := golang.org/x/vuln/cmd/govulncheck@v1.9.0

lint: $(STATICCHECK)
	GOFLAGS='$(GOFLAGS) $(PLAIN)' $(STATICCHECK) -tags $(TAGS) ./...
	cd clients/go && GOFLAGS='$(GOFLAGS) $(PLAIN)' $(abspath $(STATICCHECK)) -tags service ./...

floors:
	.ci/check-floors.sh

# Many tests wait for timers. The packages in SLOW take longest and so start first.
# Three packages at a time keep two processors busy. Go's client is a module of its own.
SLOW := ./marketcache/replica ./marketcache/venue/hyperliquid
unit:
	$(ROOMY) nice $(TEST) -json -p 3 -shuffle=on -skip TestE2E $(SLOW) ./... | $(SKIPS) .ci/skips.txt
	cd clients/go && $(TEST) ./...

# Everything that shares memory between goroutines, the slow packages first. The packages in CALM and their tests
# start none, and those in cmd are tested as processes; of the assessment, the tests that run many at once.
CALM := cmd/.* asm bench(/.*)? compute/(stats|vol|hmm|evt|joint|garch|backtest|candles|risk|copula) docs \
  internal/(plot|freeport|jsonscan|printable|promtext|reference|similar|skips) \
  marketcache/venue/exchange server/(api|photo|receipt|console)
race:
	$(ROOMY) $(TEST) -json -p 3 -race -short -timeout 20m -shuffle=on -skip TestE2E $(SLOW) \
	  $$($(GO) list ./... | grep -vE "^ballast/($$(echo '$(CALM)' | tr ' ' '|'))$$") | $(SKIPS) -when race,short .ci/skips.txt
	$(TEST) -race -short -run 'AtOnce|ShareNothing|Simulat' ./compute/risk
	cd clients/go && $(TEST) -race ./...

# Tests of the numeric packages and the encoding and replay of answers without any assembly, ours or a library's.
purego:
	$(ROOMY) nice $(TEST) -json -short -tags 'purego noasm' ./asm ./compute/... ./marketcache ./server/api ./server/photo | $(SKIPS) -when short .ci/skips.txt

# Tests of the built programs against the simulated venue, through real sockets. Here they are built as the
# tests are, by make tagged with the service's profile.
e2e:
	GOFLAGS='$(GOFLAGS) $(PLAIN)' $(TEST) -json -count=1 -timeout 20m -run 'TestE2E' ./cmd/ballast | $(SKIPS) .ci/skips.txt

# Tests that need more than Go, in files with the build tag all: clients in Python and TypeScript, client
# libraries of others, the console in a browser, full and read-only disks in a namespace, scripts.
tagged:
	.ci/tagged.sh all

# Type-checks everything for the other systems and processors.
cross:
	$(GO) run $(PLAIN) ./internal/crosscheck -tags $(TAGS) darwin/arm64 linux/arm64

# Generated files are what make gen makes of their sources.
gen-check:
	.ci/gen.sh

vuln: $(GOVULNCHECK)
	.ci/vuln.sh $(GOVULNCHECK)

# The tests that read candles and recordings of the venue, which are not part of the project:
# make evidence EVIDENCE=dir, the directory that has data/candles and venue/recordings.
evidence:
	$(ROOMY) .ci/evidence.sh "$(EVIDENCE)"

# Kills the service fifty times while keys are issued and revoked, and fifty times while orders go through its gate; e2e
# does so eight and three times.
kills:
	KILLS=50 $(GO) test -count=1 -timeout 60m -v -run 'TestE2EKills' ./cmd/ballast

# Warm-up and two hourly candle closes with 200 assets, on a virtual clock, against a venue
# that counts the request weight of every minute.
hours:
	$(GO) test -tags hours -count=1 -v -run 'TestHoursWithinTheBudget' ./marketcache/venue/hyperliquid
	$(GO) test -tags hours -count=1 -v -timeout 2h -run 'TestHours' ./server/outcomes

# Every fuzz target for a few seconds, from its seeds.
fuzz-smoke:
	.ci/fuzz.sh $(FUZZTIME) plain

# Every fuzz target for five minutes, guided by code coverage.
fuzz:
	.ci/fuzz.sh 5m

# Tests that requests on warm data make no heap allocation when the request path is compiled with the profile,
# as the service is. make unit runs them compiled as all tests are.
allocs:
	$(GO) test -count=1 -run 'Alloc' -pgo=cmd/ballast/default.pgo ./server

# Go benchmarks of all packages, into a file named after the commit.
BENCHCOUNT ?= 10
BENCHTIME  ?= 0.3s
bench:
	@mkdir -p bench/results
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) -benchtime $(BENCHTIME) ./... \
	  | tee bench/results/bench-$(COMMIT).txt

# Compares two such files with benchstat: make benchcmp OLD=bench/results/bench-a.txt NEW=...
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
BENCHSTAT         := $(BIN)/benchstat-$(BENCHSTAT_VERSION)
$(BENCHSTAT): package := golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)

benchcmp: $(BENCHSTAT)
	@test -n "$(OLD)" -a -n "$(NEW)" || { echo 'want OLD=file NEW=file, as make bench writes them'; exit 2; }
	$(BENCHSTAT) $(OLD) $(NEW)

# Measures the service under load beside reference servers, about nine minutes: docs/load.md.
# LOADFLAGS='--rounds 9 --round 5s' measures longer; LOADFLAGS=--help lists all flags.
load: build
	@mkdir -p $(BIN)/yardsticks
	$(GO) build -ldflags '-s -w' -o $(BIN)/yardsticks/ ./bench/yardstick/static ./bench/yardstick/nethttp
	$(GO) run ./bench/compare --bin $(BIN) $(LOADFLAGS)

# Tests that comparison: runs each stage for half a second and checks that the report is complete.
compare:
	$(GO) test -count=1 -v -run 'TestE2ECompare' ./bench/compare

# Records where requests on warm data spend their time, in cmd/ballast/default.pgo. The compiler
# optimises the service with this profile. Repeat it when the hot path has changed.
pgo:
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	$(GO) test -run '^$$' -bench 'Validate|Connection|Batch|Monitor' -benchtime 5s -cpuprofile $$dir/request.prof -o $$dir/request.test ./server && \
	cp $$dir/request.prof cmd/ballast/default.pgo

# Writes the examples of answers in the contract.
examples: build
	python3 scripts/examples.py $(BIN)/ballast

# Writes all generated files: the pages of docs; THIRD_PARTY; the types and methods of the clients, from the contract; the
# console's page, from its sources; the assembly asm/<kernel>_amd64.s, from its generator
# asm/_avo/<kernel>.go.
gen: docs notices
	python3 clients/generate.py
	cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund && npm run gen
	$(TEST) -count=1 -tags all -run TestBuild ./server/console -update
	cd asm/_avo && for kernel in *.go; do \
	  $(GO) run $$kernel -out ../$${kernel%.go}_amd64.s || exit 1; done

# Checks the files of Prometheus and Alertmanager (Debian: apt-get install prometheus prometheus-alertmanager).
# TestE2EWhatAnOperatorSees checks that the service has the metrics which the rules use.
promtool:
	promtool check config deploy/prometheus/prometheus.yml
	promtool check rules --lint=all --lint-fatal deploy/prometheus/alerts.yml
	promtool test rules deploy/prometheus/alerts_test.yml
	amtool check-config deploy/alertmanager/alertmanager.yml

# Writes docs/flags.md and the manual page from the flags, and the table of risk flags in docs/api.md.
docs:
	$(TEST) -count=1 -run 'TestPages|TestFlagTable' ./cmd/ballast -update

# Draws docs/pictures/report.png and console.png anew, from a running service. Needs Chromium, node and npm. The other
# pictures there are the plots of the commands that docs/model.md shows under them.
pictures:
	GOFLAGS='$(GOFLAGS) $(PLAIN)' $(TEST) -count=1 -tags all -run TestE2EPictures ./cmd/ballast -update

# Runs the pure Go kernels and the simulation on emulated ARM, which has no assembly of ours. The
# compiler must not use ARM's fused multiply-add there, because it would change the results.
arm64:
	@command -v qemu-aarch64 >/dev/null || { echo "make arm64: qemu-aarch64 is missing (Debian: apt-get install qemu-user)"; exit 1; }
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) test -short -exec qemu-aarch64 ./asm ./compute/mc

# Writes THIRD_PARTY: the licences of the modules in the released programs.
notices:
	@mkdir -p $(BIN)
	python3 scripts/notices.py >$(BIN)/THIRD_PARTY && mv $(BIN)/THIRD_PARTY THIRD_PARTY

# Writes to dist/: archives for four targets, bills of materials, .deb, container image, checksums.
CRANE     := $(BIN)/crane-v0.22.1
CYCLONEDX := $(BIN)/cyclonedx-gomod-v1.10.0
NFPM      := $(BIN)/nfpm-v2.45.0
$(CRANE):     package := github.com/google/go-containerregistry/cmd/crane@v0.22.1
$(CYCLONEDX): package := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
$(NFPM):      package := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0
$(CRANE) $(CYCLONEDX) $(NFPM) $(BENCHSTAT) $(STATICCHECK) $(GOVULNCHECK):
	@mkdir -p $(BIN)
	GOBIN=$(abspath $(BIN))/.install $(GO) install $(package)
	mv $(BIN)/.install/$$(basename $@ | sed 's/-v[0-9].*$$//') $@

release: $(CRANE) $(CYCLONEDX) $(NFPM)
	CRANE=$(CRANE) CYCLONEDX=$(CYCLONEDX) NFPM=$(NFPM) packaging/release.sh

# Tests the output of make release, as root on Linux. image-check starts the image without a
# container engine and sends the README's request; deb-check installs, starts and purges the .deb.
image-check:
	packaging/image-check.sh

deb-check:
	packaging/deb-check.sh

clean:
	rm -rf $(BIN) dist
