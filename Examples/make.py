#!/usr/bin/env python3
"""Makes the sample files beside it. Everything in them is invented, and every run gives the same bytes.

    python3 Examples/make.py             writes them
    python3 Examples/make.py --check     compares instead; exit 1 if one differs

Needs the packages `cryptography` and `argon2-cffi`. Salts and nonces are digests of fixed words: that is for samples
only. A file that protects something takes them from the system's random source.
"""
import base64
import hashlib
import sys
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Openers"))
import writers  # noqa: E402  (found by the line before)

PASSPHRASE = "sample only - not a secret"
EXPORTED = "2026-09-17T08:15:30Z"


def fixed(word, count):
    return hashlib.shake_256(b"Seif examples, 1: " + word.encode()).digest(count)


def entry(index, word, **fields):
    created = f"2026-0{index + 1}-1{index}T07:30:00Z"
    identifier = str(uuid.UUID(bytes=fixed("id " + word, 16), version=4))
    return {"id": identifier, "createdAt": created, "isFavorite": index == 0, "notes": "", "sortIndex": index, **fields}


def account(index, issuer, name, kind="totp", size=20, algorithm="SHA1", digits=6, **more):
    secret = base64.b32encode(fixed("secret " + issuer + name, size)).decode().rstrip("=")
    row = entry(index, "account " + issuer, account=name, algorithm=algorithm, digits=digits, issuer=issuer,
                secret=secret, type=kind)
    row.update({"counter": 7} if kind == "hotp" else {"period": 30})
    row.update(more)
    return row


ACCOUNTS = [
    account(0, "Example Mail", "ana@example.com", notes="Recovery codes are in the drawer."),
    account(1, "Example Forge", "ana", size=32, algorithm="SHA256", digits=8),
    account(2, "Banca Exemplu", "ana.șerban@example.ro", period=60),
    account(3, "Example Bank", "card 4111", kind="hotp"),
    account(4, "Steam", "ana_plays", kind="steam", digits=5),
    account(5, "", "an account without an issuer"),
]
PASSWORDS = [
    entry(0, "password mail", title="Example Mail", username="ana@example.com", password="correct-horse-sample-7",
          urls=["https://mail.example.com/login"], updatedAt="2026-05-01T06:00:00Z"),
    entry(1, "password shop", title="Example Shop", username="ana", password="șapte \"coline\" \\ 42",
          updatedAt=EXPORTED, urls=["https://shop.example.net", "https://shop.example.org:8443/"],
          notes="two lines,\nas notes may have"),
]
CARDS = [entry(0, "card", name="Everyday card", number="4111111111111111", expiry="2029-04", holder="ANA EXAMPLE",
               cvc="123")]


def body(version):
    top = {"accounts": ACCOUNTS, "exportedAt": EXPORTED, "passwords": PASSWORDS, "version": version}
    return {**top, "cards": CARDS} if version == 2 else top


def build():
    secret = PASSPHRASE.encode("utf-8")
    salt_and_nonce = lambda word: (fixed("salt " + word, 16), fixed("nonce " + word, 12))
    rows = [{"uri": writers.key_uri(a), "isFavorite": a["isFavorite"], "notes": a["notes"], "sortIndex": a["sortIndex"],
             "createdAt": a["createdAt"]} for a in ACCOUNTS[:4]]
    vault2fa = {"app": "Vault2FA", "exported": "2026-09-10T11:00:58Z", "accounts": rows}
    twofac = [a for a in ACCOUNTS if a["type"] in ("totp", "hotp") and a["issuer"]]
    sealed = [writers.twofac_entry(writers.twofac_uri(a), f"{a['issuer']}:{a['account']}", secret,
                                   *salt_and_nonce("twofac " + a["issuer"])) for a in twofac]
    return {
        "phone.authbackup": writers.authbackup_v2(body(2), secret, *salt_and_nonce("phone")),
        "phone.passphrase.txt": secret + b"\n",
        "old-phone.authbackup": writers.authbackup_v1(body(1), secret, *salt_and_nonce("old phone")),
        "vault2fa-backup-2026-09-10.json":
            writers.vault2fa_v1(vault2fa, secret, *salt_and_nonce("vault2fa"), "2026-09-10T11:00:58Z"),
        "twofac-backup-1773457862-0.json": writers.twofac(2, 1773457862, entries=sealed),
        "codes.txt": "".join(writers.key_uri(a) + "\n" for a in ACCOUNTS).encode("utf-8"),
    }


def main():
    different = 0
    for name, data in build().items():
        path = HERE / name
        if "--check" not in sys.argv[1:]:
            path.write_bytes(data)
        same = path.is_file() and path.read_bytes() == data
        different += not same
        print(f"{len(data):6d} {'' if same else 'DIFFERS '}{name}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
