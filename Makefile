# What CI runs, and what a developer runs before a commit: make check.
GO            ?= go
BIN           := bin
VERSION       ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PROJECT       ?=
LDFLAGS       := -s -w -X xship/cmd.version=$(VERSION) -X xship/cmd.project=$(PROJECT)
FUZZTIME      ?= 5s
FUZZPKGS      ?= ./...
STRESSTIME    ?= 20s
AGREE         ?= 10000
GOFUMPT_VER   := v0.12.0
GOLANGCI_VER  := v2.15.0
TARGETS       := linux/amd64 linux/arm64 linux/arm windows/amd64 darwin/arm64
CI_TARGETS    := linux/amd64 linux/arm64
TOOLS         := $(shell $(GO) env GOPATH)/bin

.PHONY: build test race check fmt vet lint tidy fuzz stress agree simulation simulate bench cross cross-ci man tools clean

build: ## the binary, without cgo
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/xship .

test:
	$(GO) test ./...

race:
	$(GO) test -race -shuffle=on -timeout 20m ./...

check: fmt vet lint tidy race simulation

fmt: ## fails where a file is not formatted
	@out=$$($(TOOLS)/gofumpt -l .); if [ -n "$$out" ]; then echo "not formatted (gofumpt -w):"; echo "$$out"; exit 1; fi

# What is compiled for the targets that CI builds is shared with cross-ci; for the
# others nothing is run, and compiling without optimising takes two thirds of the time.
vet: ## all packages and their tests, for each target
	@set -e; for t in $(TARGETS); do echo "vet $$t"; \
		case " $(CI_TARGETS) " in *" $$t "*) quick=;; *) quick='-gcflags=all=-N -l';; esac; \
		CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} GOARM=7 $(GO) vet -trimpath $${quick:+"$$quick"} ./...; done
	@cd testdata/gobreaker && $(GO) vet ./...

lint:
	$(TOOLS)/golangci-lint run ./...

tidy: ## fails where go.mod or go.sum would change
	$(GO) mod tidy -diff
	cd testdata/gobreaker && $(GO) mod tidy -diff

fuzz: ## FUZZTIME for each parser, two of them at a time
	@set -e; targets=$$(for pkg in $$($(GO) list $(FUZZPKGS)); do $(GO) test -list '^Fuzz' $$pkg | sed -n "s|^Fuzz|$$pkg &|p"; done); \
	echo "$$targets" | xargs -P 2 -n 2 sh -c 'echo "fuzz $$0 $$1"; \
		out=$$($(GO) test -run "^$$" -fuzz "^$$1\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x -parallel 1 $$0 2>&1) || { echo "$$out"; exit 1; }'

stress: ## many users of one engine at once, for STRESSTIME
	XSHIP_STRESS=$(STRESSTIME) $(GO) test -race -run TestEngine_stress ./cmd/engine

agree: ## AGREE random sequences of events through the database and through the policy alone
	XSHIP_AGREE=$(AGREE) $(GO) test -timeout 0 -run TestAgreement ./sourcecache

simulation: ## the rules of health against their limits, which race leaves out
	$(GO) test -run Simulation ./sourcecache/health/...

simulate: ## all seeds against the rules of health; writes docs/health.md and its pictures
	XSHIP_SIMULATE=1 $(GO) test -count 1 -timeout 60m -run TestSimulationPage ./sourcecache/health/sim

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

cross: ## all targets, each to its own folder
	@set -e; for t in $(TARGETS); do $(MAKE) --no-print-directory one TARGET=$$t; done

cross-ci:
	@set -e; for t in $(CI_TARGETS); do $(MAKE) --no-print-directory one TARGET=$$t; done

.PHONY: one
one:
	@os=$${TARGET%/*}; arch=$${TARGET#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	echo "build $(TARGET)"; \
	CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch GOARM=7 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dist/$$os-$$arch/xship$$ext .

man: build ## the manual pages, in bin/man, with the date of the last commit
	@mkdir -p $(BIN)/man && rm -f $(BIN)/man/*.1
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 0)} $(BIN)/xship man $(BIN)/man

tools: ## the pinned linters, installed where they are missing
	@[ "$$($(TOOLS)/gofumpt -version 2>/dev/null | cut -d' ' -f1)" = "$(GOFUMPT_VER)" ] || GOBIN=$(TOOLS) $(GO) install mvdan.cc/gofumpt@$(GOFUMPT_VER)
	@$(TOOLS)/golangci-lint version --short 2>/dev/null | grep -qx "$(GOLANGCI_VER:v%=%)" || GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VER)

clean:
	rm -rf $(BIN) dist
