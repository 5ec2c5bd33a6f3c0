# make start: build, and see Seif at work on a sample; make test: every check and test. The rest stands in the README.
PREFIX = /usr/local
DESTDIR =
bin = $(DESTDIR)$(PREFIX)/bin
doc = $(DESTDIR)$(PREFIX)/share/doc/seif
# What the documents link to, in the same places as here, so that every link leads somewhere.
documents = README.md CHANGELOG.md SECURITY.md LICENSE docs Examples Tests/Vectors scripts/packages.txt

.PHONY: build start clean-demo test lint soak fuzz bench install install-documents uninstall clean

build:
	@scripts/set-up build
	@scripts/build-release

start:
	@scripts/start

clean-demo:
	rm -rf demo

test:
	@scripts/test

lint:
	@scripts/lint

soak:
	@scripts/soak

fuzz:
	@scripts/fuzz 60

bench:
	@scripts/bench

# Root installs what the owner of this folder has built, so that no file in here becomes root's.
install:
	@scripts/build-for-install
	install -d "$(bin)"
	install -m 755 build/seif "$(bin)/seif"
	@$(MAKE) install-documents

# What an earlier version installed and this one doesn't have goes.
install-documents:
	rm -rf "$(doc)"
	install -d "$(doc)"
	tar -cf - --exclude=__pycache__ $(documents) | tar -xf - -C "$(doc)" --no-same-owner
	chmod -R u=rwX,go=rX "$(doc)"

uninstall:
	rm -f "$(bin)/seif"
	rm -rf "$(doc)"
	@scripts/say-vaults

clean:
	rm -rf .build build Benchmarks/.build
