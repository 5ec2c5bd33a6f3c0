# make start: build, and see Seif at work on a sample; make test: every check and test. The rest stands in the README.
PREFIX = /usr/local
DESTDIR =
bin = $(DESTDIR)$(PREFIX)/bin
share = $(DESTDIR)$(PREFIX)/share
doc = $(share)/doc/seif
man = $(share)/man/man1
units = $(share)/systemd/user
system_units = $(DESTDIR)$(PREFIX)/lib/systemd/system
bash = $(share)/bash-completion/completions
zsh = $(share)/zsh/site-functions
fish = $(share)/fish/vendor_completions.d
# What the documents link to, in the same places as here, so that every link leads somewhere.
documents = README.md CHANGELOG.md SECURITY.md LICENSE docs Examples Tests/Vectors scripts/packages.txt

.PHONY: build start clean-demo test lint soak fuzz sanitize bench install install-documents uninstall clean

build:
	@scripts/set-up build
	@scripts/set-up page || echo "make: 'seif backup create --self-opening' won't work; all else will" >&2
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

sanitize:
	@scripts/sanitize address
	@scripts/sanitize thread

bench:
	@scripts/bench

# Root installs what the owner of this folder has built, so that no file in here becomes root's.
install:
	@scripts/build-for-install
	install -d "$(bin)" "$(man)" "$(bash)" "$(zsh)" "$(fish)"
	install -m 755 build/seif "$(bin)/seif"
	install -m 755 build/seif-net "$(bin)/seif-net"
	install -m 755 build/seif-server "$(bin)/seif-server"
	install -m 644 build/man/*.1 "$(man)"
	install -m 644 build/completions/bash "$(bash)/seif"
	install -m 644 build/completions/zsh "$(zsh)/_seif"
	install -m 644 build/completions/fish "$(fish)/seif.fish"
	if [ -f build/share/seif/self-opening.html ]; then \
	  install -d "$(share)/seif" && install -m 644 build/share/seif/self-opening.html "$(share)/seif"; fi
	@$(MAKE) install-documents

# What an earlier version installed and this one doesn't have goes.
install-documents:
	rm -rf "$(doc)"
	install -d "$(doc)"
	tar -cf - --exclude=__pycache__ $(documents) | tar -xf - -C "$(doc)" --no-same-owner
	chmod -R u=rwX,go=rX "$(doc)"
	install -d "$(units)"
	install -d "$(system_units)"
	sed -e 's|@bin@|$(PREFIX)/bin|' -e 's|@doc@|$(PREFIX)/share/doc/seif|' share/systemd/system/seif-server.service \
	  > "$(system_units)/seif-server.service" && chmod 644 "$(system_units)/seif-server.service"
	for unit in seif-agent.socket seif-agent.service; do \
	  sed -e 's|@bin@|$(PREFIX)/bin|' -e 's|@doc@|$(PREFIX)/share/doc/seif|' "share/systemd/user/$$unit" \
	    > "$(units)/$$unit" && chmod 644 "$(units)/$$unit" || exit 1; done

uninstall:
	rm -f "$(bin)/seif" "$(bin)/seif-net" "$(bin)/seif-server" "$(man)/seif.1" "$(man)"/seif-*.1 "$(bash)/seif" "$(zsh)/_seif" "$(fish)/seif.fish"
	rm -rf "$(doc)"
	rm -f "$(share)/seif/self-opening.html"
	[ ! -d "$(share)/seif" ] || rmdir --ignore-fail-on-non-empty "$(share)/seif"
	rm -f "$(units)/seif-agent.socket" "$(units)/seif-agent.service" "$(system_units)/seif-server.service"
	@scripts/say-vaults

clean:
	rm -rf .build build Benchmarks/.build
