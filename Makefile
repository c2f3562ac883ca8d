# Everything here creates and uses .venv/ in the checkout; `make demo` and `make test` are all that a new machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
OUT ?= demo-out
# Where a shell forbids bytecode, each of the many processes that tests start would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-fast test-outside test-thorough browser postgres label-studio paddle consumers lint docs screenshots screens bench format clean

help:
	@echo "make demo    install into .venv and build a small benchmark from photographs (offline once installed)"
	@echo "make test    install what the tests need and run those that need nothing else"
	@echo "make test-fast  those of them that take next to no time: for working"
	@echo "make test-outside  the others, which need a browser, servers or other environments"
	@echo "make test-thorough  the long walks among these: tutorials, installs, languages, every screen; before a release"
	@echo "make browser install Debian's Chromium with apt-get, for the tests that drive the review app"
	@echo "make postgres install PostgreSQL with apt-get, for the tests of review stores on a server"
	@echo "make label-studio  install Label Studio into .venv-labelstudio, for the tests of the bridge to it"
	@echo "make paddle  install PaddleOCR into .venv-paddle, for the step text_ratio and its tests"
	@echo "make consumers  install the tools that read exports into .venv-consumers, for the tests of exports"
	@echo "make lint    style, types, import arrows"
	@echo "make docs    build the documentation into site/, warnings are errors"
	@echo "make screenshots  take the pictures of the guides and the tutorials in docs/images anew"
	@echo "make screens      show every screen of the review app at five widths, light and dark, in screens/"
	@echo "make bench   whole jobs beside peers: processor time, memory, bytes; BENCH='--size full' for the real sizes"
	@echo "make format  apply the code style"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Benchwright needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --constraint constraints.txt --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/benchwright demo --out $(OUT) --headless

# A file of tests at a time in each process, the long ones of e2e not last; one process more than there are processors,
# because tests also wait. PYTEST="tests/filters -k hamming" chooses among them instead.
PROCESSES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST ?= -n $(PROCESSES) --dist loadfile --no-loadscope-reorder
OUTSIDE := browser or server or environment
THOROUGH := thorough

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not ($(OUTSIDE) or $(THOROUGH))" $(PYTEST)

test-fast: PROCESSES = auto
test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not (slow or $(OUTSIDE) or $(THOROUGH))" $(PYTEST)

# Browsers and servers are processes, too.
test-outside: PROCESSES = auto
test-outside: $(VENV)/.dev browser postgres label-studio paddle consumers
	$(BIN)/python -m pytest -m "($(OUTSIDE)) and not $(THOROUGH)" $(PYTEST)

test-thorough: PROCESSES = auto
test-thorough: $(VENV)/.dev browser postgres label-studio paddle consumers
	$(BIN)/python -m pytest -m "$(THOROUGH)" $(PYTEST)

# Both need root on Debian or Ubuntu; elsewhere install the programs by hand, or the tests that want them are skipped.
browser:
	command -v chromium >/dev/null || { apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; }

postgres:
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; }

# Label Studio's server in an environment of its own, with the SDK and, for the commands under test, Benchwright without
# its other dependencies: the server holds openai at 1.x, which only evaluation uses, in a newer version.
LABEL_STUDIO := .venv-labelstudio
label-studio: $(LABEL_STUDIO)/.ready

$(LABEL_STUDIO)/.ready: Makefile
	$(PYTHON) -m venv $(LABEL_STUDIO)
	$(LABEL_STUDIO)/bin/python -m pip install --quiet --disable-pip-version-check \
	  label-studio==1.23.2 label-studio-sdk==2.1.2 alembic==1.20.1 SQLAlchemy==2.1.9 lazy_loader==0.6 scipy==1.17.1 shapely==2.2.0
	$(LABEL_STUDIO)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# PaddleOCR brings another OpenCV and an older NumPy; with ONNX Runtime it needs no paddlepaddle.
paddle: .venv-paddle/.paddle

.venv-paddle/.paddle: constraints.txt
	$(PYTHON) -m venv .venv-paddle
	.venv-paddle/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt paddleocr onnxruntime
	@touch $@

# The tools that read exports: inspect_ai holds packages at other versions than Benchwright does.
consumers: .venv-consumers/.ready

.venv-consumers/.ready: Makefile
	$(PYTHON) -m venv .venv-consumers
	.venv-consumers/bin/python -m pip install --quiet --disable-pip-version-check \
	  inspect-ai==0.3.285 mlcroissant==1.1.1 openai==3.54.0 pandas==3.1.1 pillow==13.0.0 pyarrow==26.0.1 pycocotools==2.0.11 webdataset==1.0.2
	.venv-consumers/bin/python -m pip install --quiet --disable-pip-version-check --target .venv-consumers/cff cffconvert==2.0.0
	@touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

screenshots: $(VENV)/.dev browser
	$(BIN)/python examples/screenshots.py docs/images
	$(BIN)/python examples/audit_page.py docs/images
	$(BIN)/python examples/follow_tutorials.py --pictures docs/images/tutorials

screens: $(VENV)/.dev browser
	$(BIN)/python examples/screenshots.py screens --everywhere

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/whole_jobs.py $(BENCH)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(LABEL_STUDIO) .venv-paddle .venv-consumers site screens $(OUT) .mypy_cache .ruff_cache .pytest_cache .hypothesis
