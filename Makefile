# Flat verbs only. `make test` is what CI runs; `make run` is the demo.
.DEFAULT_GOAL := build
SHELL := /bin/bash

GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

STATICCHECK := $(BIN)/staticcheck-v0.8.2
FUZZTIME    ?= 5s

.PHONY: build run test fmt vet lint floors unit race purego e2e kills fuzz-smoke fuzz allocs bench clean

build:
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

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
	$(GO) vet ./...

$(STATICCHECK):
	@mkdir -p $(BIN)
	GOBIN=$(abspath $(BIN))/.install $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2
	mv $(BIN)/.install/staticcheck $@

lint: $(STATICCHECK)
	$(STATICCHECK) ./...

floors:
	.ci/check-floors.sh

unit:
	$(GO) test -shuffle=on -skip TestE2E ./...

race:
	$(GO) test -race -short -shuffle=on ./...

# The same tests without assembly anywhere, ours or a library's.
purego:
	$(GO) test -short -tags 'purego noasm' ./compute/... ./marketcache ./server/...

# The built binary against the simulated venue, through real sockets.
e2e: build
	$(GO) test -count=1 -run 'TestE2E' ./cmd/ballast

# The service killed fifty times while keys are issued and revoked; e2e does it eight times.
kills:
	KILLS=50 $(GO) test -count=1 -v -run 'TestE2EKills' ./cmd/ballast

# Every fuzz target for a few seconds.
fuzz-smoke:
	.ci/fuzz.sh $(FUZZTIME)

# The same for five minutes each.
fuzz:
	.ci/fuzz.sh 5m

# Allocation gates: 0 heap allocations on the warm path.
allocs:
	$(GO) test -count=1 -run 'Alloc' ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

clean:
	rm -rf $(BIN)
