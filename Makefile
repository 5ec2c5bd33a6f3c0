# make start: build, and see Seif at work on a sample; make test: every check and test. The rest stands in the README.
PREFIX = /usr/local
DESTDIR =
bin = $(DESTDIR)$(PREFIX)/bin
doc = $(DESTDIR)$(PREFIX)/share/doc/seif
units = $(DESTDIR)$(PREFIX)/share/systemd/user

.PHONY: build start clean-demo test lint soak fuzz bench install uninstall clean

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
	install -d "$(bin)" "$(doc)"
	install -m 755 build/seif "$(bin)/seif"
	cp -R LICENSE docs/. "$(doc)"
	chmod -R u=rwX,go=rX "$(doc)"
	install -d "$(units)"
	for unit in seif-agent.socket seif-agent.service; do \
	  sed -e 's|@bin@|$(PREFIX)/bin|' -e 's|@doc@|$(PREFIX)/share/doc/seif|' "share/systemd/user/$$unit" \
	    > "$(units)/$$unit" && chmod 644 "$(units)/$$unit" || exit 1; done

uninstall:
	rm -f "$(bin)/seif"
	rm -rf "$(doc)"
	rm -f "$(units)/seif-agent.socket" "$(units)/seif-agent.service"
	@scripts/say-vaults

clean:
	rm -rf .build build Benchmarks/.build
