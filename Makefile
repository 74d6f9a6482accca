# reachyd: everything a contributor or an owner needs. `make` alone prints this help.
SHELL      := /usr/bin/env bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# cross/go.sh finds a recent Go or fetches the pinned one; it prints the command to use.
GO         = $(or $(shell cross/go.sh),$(error no Go compiler, so nothing can be built (the line above says why)))
# Tags of this host: mujoco where Debian's libmujoco-dev is installed.
TAGS       = $(shell cross/tags.sh)
# Where the compiler finds whisper.cpp; without make, cross/env.sh says the same.
WHISPER   := $(shell cross/whisper.sh --print-dir)
export C_INCLUDE_PATH := $(WHISPER)/include$(if $(C_INCLUDE_PATH),:$(C_INCLUDE_PATH))
export LIBRARY_PATH   := $(WHISPER)/lib$(if $(LIBRARY_PATH),:$(LIBRARY_PATH))
VERSION    := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS    := -s -w -X github.com/reachyd/reachyd/daemon.Version=$(VERSION) -X main.buildVersion=$(VERSION)
PURE       := reachyd reachyctl reachy-body
LINT       := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT    := mvdan.cc/gofumpt@v0.12.0
DURATION   ?= 60s
FUZZTIME   ?= 20s
HOURS      ?= 8
MODELS     ?= tiny.en-q8_0 silero-v6.2.0
CACHE      := $(or $(REACHYD_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/reachyd)

help: ## print this help
	@echo 'reachyd: drives a Reachy Mini on its own host'
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: setup build ## install what is missing, build, start the simulated robot and say how to talk to it
	@bin/reachyd run --sim

test: setup-test build ## run all tests (race detector on, real broker, real MuJoCo, real processes)
	@cross/test.sh '$(GO)' '$(TAGS)'

truth: ## hold 1000 random conversations, and 1000 (SERVOS=n) more on simulated servos, and compare every reply with where the robot is
	@$(GO) test ./agents/rehearsal -run 'RepliesAreTrue' -timeout 2h -v -args -dialogues 1000 -servos $(or $(SERVOS),1000)

truth-mujoco: ## the same on the physics of MuJoCo, which takes longer: SERVOS=n conversations, 100 when left out
	@$(GO) test -tags '$(TAGS)' ./agents/rehearsal -run 'RepliesAreTrueOfTheServos' -timeout 4h -v -args -servos $(or $(SERVOS),100)

test-hostile: ## run all hostile tools in every sandbox, not the tenth of them that make test runs
	@cross/test-hostile.sh '$(GO)'

lint: ## gofumpt, vet and golangci-lint with the repository's own rules
	@out=$$($(GO) run $(GOFUMPT) -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted (make format):"; echo "$$out"; exit 1; }
	@$(GO) vet -tags '$(TAGS)' ./...
	@$(GO) run $(LINT) run --build-tags '$(TAGS)' ./...
	@echo 'lint: clean'

format: ## format all Go files
	@$(GO) run $(GOFUMPT) -w $$(git ls-files '*.go')

build: page ## build the programs into bin/
	@mkdir -p bin
	@for p in $(PURE); do echo "build bin/$$p"; CGO_ENABLED=0 $(GO) build -ldflags '$(LDFLAGS)' -o bin/$$p ./cmd/$$p; done
	@echo "build bin/reachy-sim ($(if $(findstring mujoco,$(TAGS)),with MuJoCo,without MuJoCo: simple servo model))"
	@$(GO) build -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o bin/reachy-sim ./cmd/reachy-sim
	@echo "build bin/reachy-learn"
	@$(GO) build -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o bin/reachy-learn ./cmd/reachy-learn
	@echo "build bin/reachy-sense ($(if $(findstring whisper,$(TAGS)),hears,deaf: no whisper.cpp) $(if $(findstring opencv,$(TAGS)),and sees,and blind: no libopencv-dev))"
	@$(GO) build -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o bin/reachy-sense ./cmd/reachy-sense

.PHONY: page test-page http-suite bench-http
http-suite: ## ask the simulated robot at URL (default http://127.0.0.1:8000) with the clients of OpenAI and MCP, then schemathesis (EXAMPLES=20 a route)
	@cross/http-suite.sh '$(or $(URL),http://127.0.0.1:8000)' '$(or $(EXAMPLES),20)'

bench-http: ## what 50 clients at once wait for each answer over HTTP, what it costs reachyd, and a server that does nothing beside it (a minute)
	@$(GO) test ./e2e -run '^$$' -bench 'HTTP|FirstView' -benchtime 1x -timeout 15m | grep -E '^(Benchmark|ok|FAIL|---|panic)|http_bench_test'

page: ## fetch and bundle the libraries of the page at / (npm; without it the page says what it lacks)
	@cross/web.sh

test-page: build ## show each page in headless Chromium, phone and desk, with axe-core; pictures in bin/pictures
	@REACHYD_PICTURES=$(CURDIR)/bin/pictures $(GO) test -tags '$(TAGS)' ./e2e -run TestPage -v -timeout 30m

bench: build ## Go benchmarks, then the 100 Hz loop idle and loaded for DURATION each (default 60s)
	@cross/bench.sh '$(GO)' '$(TAGS)' '$(DURATION)'

fuzz: ## fuzz every parser for FUZZTIME each (default 20s)
	@cross/fuzz.sh '$(GO)' '$(FUZZTIME)'

cross: ## static arm64 and amd64 builds of reachyd, reachyctl and reachy-body into dist/
	@cross/build.sh '$(GO)' '$(LDFLAGS)'

test-arm64: ## run in qemu what an arm64 robot computes differently; as root also ears, eyes and simulation, built in a tree (half an hour)
	@cross/test-arm64.sh '$(GO)'

packages: ## Debian packages and archives into dist/packages/ (NATIVE='bookworm/arm64 trixie/amd64': ears, eyes, simulation for others, too; as root)
	@packaging/build.sh '$(GO)' '$(TAGS)'

test-packages: ## install, run, upgrade (from those of the commit FROM) and purge packages in fresh trees of SUITES (bookworm trixie noble; bookworm/arm64; root, debootstrap)
	@packaging/test.sh '$(GO)' '$(TAGS)' $(SUITES)

test-container: ## build the simulated robot's container of dist/packages and use it (as root; podman)
	@packaging/container.sh dist/packages

test-service: ## boot the packages of dist/packages with systemd in a fresh tree of SUITE (bookworm; bookworm/arm64 in qemu, hours), reboot, remove, purge (as root; systemd-container)
	@packaging/boot.sh dist/packages $(or $(SUITE),bookworm)

picture: build ## render the simulated robot for the README
	@cross/picture.sh

python: ## build the Python interpreter that self-made tools run in (minutes, once; into the user's cache)
	@nice -n 19 cross/python-wasm.sh

whisper: ## build whisper.cpp, by which the robot hears (minutes, once; into the user's cache)
	@nice -n 19 cross/whisper.sh

models: ## fetch real model files into the user's cache (MODELS='tiny.en-q8_0 silero-v6.2.0'; bin/reachyctl models list names them)
	@for m in $(MODELS); do $(GO) run ./cmd/reachyctl models pull $$m --dir '$(CACHE)/models'; done

frames: ## train the network anew that reads free wordings (fetches torch, 6 GB, once; seven minutes with an NVIDIA GPU, half an hour without; WRITER=writer-a: only judge it on that one)
	@nice -n 19 cross/frames.sh $(WRITER)

kinds: ## train the network anew that guesses kinds of small talk (five minutes, with the torch of frames; WRITER=writer-b: only judge it on that one)
	@nice -n 19 cross/kinds.sh $(WRITER)

command-model: ## train the embedded command model anew (MINUTES=240; needs synthesisers, see cross/command-model.sh)
	@nice -n 19 cross/command-model.sh

tuning: ## train Whisper's tuning to the robot's speech anew, on a GPU if there is one (MINUTES=90 JOBS=1 MORE=1; needs synthesisers, see cross/tuning.sh)
	@nice -n 19 cross/tuning.sh

reward-weights: ## train the networks anew that judge praise and blame (fetches torch, 6 GB, once; six minutes with an NVIDIA GPU; WRITER=writer-1: only judge them on that one; TRY=1: whether all steps work)
	@nice -n 19 cross/reward-weights.sh $(WRITER)

reward-linear: ## fit the linear model anew that judges praise and blame (seconds; when its sentences or features have changed)
	@$(GO) run ./learner/reward/train/fit learner/reward/linear.bin

eval-reward: ## how well words of praise and blame are judged of which the model has learned nothing
	@$(GO) run ./learner/reward/heldout

eval-preferences: ## two hundred simulated people praise and blame: how soon the robot behaves as they like it
	@$(GO) run ./learner/preference/people/cmd

ollama: ## build the Ollama server that tests talk to (ten minutes, once; into the user's cache)
	@cross/ollama.sh

eval: ## measure a language model: make eval MODEL=qwen3:4b [URL=…] [ONLY=requests|heldout|unseen|scenarios|robot|conversation|tasks|tools] [CALLS=native] [THREADS=1] [EVERY=5] [SENTENCES=file]
	@[ -n '$(MODEL)' ] || { echo 'eval: name a model of your Ollama server: make eval MODEL=qwen3:4b' >&2; exit 2; }
	@$(GO) run ./agents/eval/cmd -model '$(MODEL)' $(if $(URL),-url '$(URL)') $(if $(ONLY),-only '$(ONLY)') $(if $(CALLS),-calls '$(CALLS)') \
		$(if $(THREADS),-threads '$(THREADS)') $(if $(EVERY),-every '$(EVERY)') $(if $(SENTENCES),-sentences '$(SENTENCES)')

eval-dialogue: ## how well an exam's dialogues, single sentences and talk are understood (EXAM=file [VERBOSE=1] [JSON=1]); `go doc ./agents/eval/dialogue` says what an exam is
	@[ -n '$(EXAM)' ] || { echo 'eval-dialogue: name an exam: make eval-dialogue EXAM=exam.txt' >&2; exit 2; }
	@$(GO) run ./agents/eval/dialogue -exam '$(EXAM)' $(if $(VERBOSE),-v) $(if $(JSON),-json)

eval-languages: ## measure whether it is known which language somebody speaks (VERBOSE=1 shows each sentence)
	@cross/eval-languages.sh '$(GO)'

eval-wake: ## measure the wake phrase: recall by condition and voice, false ones an hour (PHRASE="hey reachy" CALLS=24 MINUTES=60 VERBOSE=1)
	@GO='$(GO)' cross/wake.sh eval

eval-voice: build ## measure hearing with real weights: voices, noise, rooms, people (MINUTES=15 SET=tune|calibrate|judge|exam|exam-2|exam-3 COUNT=60 EVERY=1 ONLY=babble,stop THREADS=2 SPEECH=built-in UNTUNED=1 VERBOSE=1)
	@nice -n 15 cross/eval-voice.sh '$(GO)'

eval-conversation: build ## hold ten minutes of conversation aloud with the simulated robot and a real model (MODEL=qwen2.5-coder-1.5b|qwen2.5-coder-0.5b|none KEEP=conversation COUNT=60)
	@cross/eval-conversation.sh '$(GO)'

numpy-pack: ## fetch the real numpy, Pillow and pandas for self-made tools (44 MB, optional; into the user's cache)
	@cross/numpy-pack.sh

old-stores: ## write what earlier commits keep, as test data: make old-stores COMMITS='4ae7be0 …' (into daemon/persist/testdata/earlier)
	@cross/old-stores.sh '$(GO)' daemon/persist/testdata/earlier $(COMMITS)

week: ## leave the robot alone with every fault for HOURS (default 8; KEEP=folder: in pieces that go on): memory, descriptors, disk, lateness
	@cross/week.sh '$(GO)' '$(TAGS)' '$(HOURS)' '$(KEEP)'

test-clock: ## set the clock of a virtual machine to 1970, 2026, 2038 and back while a simulated robot is in use (qemu; minutes)
	@cross/clock.sh '$(GO)'

javascript: ## fetch the interpreter of self-made tools in JavaScript (0.6 MB; into the user's cache)
	@cross/quickjs-wasm.sh

mqtt-suite: ## Eclipse Paho's MQTT suite against the embedded broker and mosquitto, side by side (minutes; fetches it once)
	@cross/mqtt-suite.sh

test-grafana: build ## read docs/grafana.json as Grafana's library does, and ask a real Prometheus that scrapes the simulated robot its queries (fetches them once)
	@cross/grafana.sh '$(GO)'

test-openwebui: build ## talk to the simulated robot through the server of a real Open WebUI (fetches it once, 1.1 GB; minutes)
	@cross/open-webui.sh

test-homeassistant: build ## connect a real Home Assistant to the simulated robot, try every entity both ways and talk to it (fetches it once; minutes; ROWS='stop assist')
	@cross/home-assistant.sh $(ROWS)

flood: ## garbage, bombs, slow readers and too many connections against a simulated robot; FLOOD_FILES=256: with so few files (minutes)
	@eval "$$(cross/env.sh)"; go test -tags flood -count=1 -v -timeout 30m -run TestFloods ./e2e | grep -v '"level":'

sdk-examples: build ## run the official repository's examples, unmodified, against the simulated robot on port 8000 (fetches them and the SDK)
	@cross/sdk-examples.sh

sdk-black-box: build ## run black-box tests of the official repository, unmodified, against reachyd: a table (fetches them and the SDK)
	@cross/sdk-black-box.sh

sdk-owner: build ## what owners' scripts do with the official SDK, right and wrong, against the simulated robot: a table (fetches the SDK)
	@cross/sdk-owner.sh

moves-sheet: build ## play all moves of our own in the simulation: pictures in dist/moves, speed and jerk (a quarter of an hour)
	@cross/moves-sheet.sh dist/moves

sdk-javascript: build ## the official JavaScript SDK in Chromium against the simulated robot on port 8000: moves, picture, sound both ways (fetches the SDKs)
	@cross/sdk-javascript.sh

sdk-webrtc: build ## the official Python SDK streams from the simulated robot on port 8000 by WebRTC with GStreamer: a table (fetches the SDK, builds webrtcsrc)
	@cross/sdk-webrtc.sh

community-apps: build ## run apps of the community for the official daemon, unmodified, by reachyctl app: a table (fetches them and the SDK; minutes; APPS='name …')
	@cross/community-apps.sh $(APPS)

bench-sdk: build ## the official daemon and reachyd side by side on the same simulated servos: lag, jerk, latency, processor, memory (two minutes)
	@cross/bench-sdk.sh

learn-demo: build ## how the robot learns, in ten minutes: practice, words, evaluation, a picture of the curves (learn-demo.png)
	@nice -n 5 cross/learn-demo.sh

bench-learning: ## reachy-learn and Stable-Baselines3 learn CartPole and Pendulum side by side (SEEDS=3; fetches some 5 GB once; twenty minutes)
	@$(GO) build -tags '$(TAGS)' -o bin/reachy-learn ./cmd/reachy-learn
	@nice -n 15 cross/stable-baselines.sh $(or $(SEEDS),3)

eval-learning: ## published results and imitation anew (SEEDS=5), and 50 kills of a run (half an hour)
	@$(GO) build -tags '$(TAGS)' -o bin/reachy-learn ./cmd/reachy-learn
	@nice -n 15 bin/reachy-learn classic -seeds $(or $(SEEDS),5)
	@nice -n 15 bin/reachy-learn imitate
	@KILLS=50 nice -n 15 $(GO) test -count=1 -timeout 60m -run TestKilledRuns -v ./cmd/reachy-learn | grep -v '^==='

setup: ## install what running needs (Debian packages; asks for sudo when not root)
	@cross/setup.sh run
	@cross/whisper.sh >/dev/null || echo 'setup: going on without hearing'
	@$(MAKE) -s models MODELS=silero-v6.2.0 || echo 'setup: going on without Silero: speech is told from noise by its loudness only'

setup-test: ## install what the tests need
	@cross/setup.sh test
	@cross/whisper.sh >/dev/null || echo 'test: going on without hearing'
	@cross/python-for-tests.sh

clean: ## remove what was built here (not the caches outside the checkout)
	@rm -rf bin dist

.PHONY: help test-container test-grafana test-openwebui community-apps moves-sheet sdk-owner sdk-javascript sdk-webrtc sdk-black-box old-stores test-homeassistant test-service test-clock test-arm64 sdk-examples run test truth test-hostile week lint format build bench fuzz cross packages test-packages picture python whisper models command-model tuning frames kinds reward-weights reward-linear eval-reward eval-preferences ollama eval eval-dialogue eval-voice eval-languages eval-wake eval-conversation mqtt-suite flood learn-demo eval-learning bench-learning setup setup-test clean
