#!/usr/bin/env python3
"""Opens a Seif vault, version 1, and prints its entries as the JSON of an .authbackup body, seeds included.
python3 vault.py VAULT.DB [--recovery]   (needs: pip install cryptography argon2-cffi; see docs/formats/vault.md)"""
import base64, contextlib, getpass, hashlib, json, pathlib, re, sqlite3, sys, unicodedata, uuid
from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

text = lambda id: str(uuid.UUID(bytes=id))
def unseal(key, sealed, aad):
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], aad.encode())

def data_key(db, secret, kind):  # the vault's id is the one that the key is bound to, whatever else stands there
    for vault, id, generation, parameters, wrapped in db.execute(
            "SELECT v.id, w.id, w.generation, parameters, wrapped_key FROM way_in w, vault v WHERE kind = ?", (kind,)):
        salt = base64.b64decode((p := json.loads(parameters))["salt"])
        if kind == "passphrase":
            m, t, lanes = p["memoryKiB"], p["passes"], p["lanes"]
            assert lanes == 1 and 1 <= t <= 64 and 8192 <= m <= 1 << 20 and m * t <= 3 << 20, "cost"
            key = hash_secret_raw(secret, salt, t, m, lanes, 32, Type.ID, 0x13)
        else:
            key = hashlib.pbkdf2_hmac("sha256", secret, salt, 600_000)
        place = f"{text(id)}:{kind}:{generation}:{hashlib.sha256(parameters.encode()).hexdigest()}"
        with contextlib.suppress(InvalidTag):
            return vault, unseal(key, wrapped, f"seif-vault:1:{text(vault)}:{place}")
    raise InvalidTag

def open_vault(path, secret, kind="passphrase"):
    """File, passphrase or normalised code as bytes -> lists of entries by name. InvalidTag: doesn't open."""
    uri = pathlib.Path(path).resolve().as_uri()
    db = sqlite3.connect(uri + ("?mode=ro" if pathlib.Path(path + "-wal").exists() else "?immutable=1"), uri=True)
    vault, key = data_key(db, secret, kind)
    def opened(table, id, revision, column, sealed):
        sub = HKDF(hashes.SHA256(), 32, vault, f"seif-vault-v1/{table}".encode()).derive(key)
        return unseal(sub, sealed, f"seif-row:1:{table}:{text(id)}:{column}:{revision}")
    seeds = {text(id): opened("secret", id, revision, "value", value).decode()
             for id, revision, value in db.execute("SELECT id, revision, value FROM secret")}
    lists = {}
    for id, revision, detail in db.execute("SELECT id, revision, detail FROM item ORDER BY position"):
        body = json.loads(opened("item", id, revision, "detail", detail))
        (kind, (entry,)), = ((k, v) for k, v in body.items() if isinstance(v, list))
        if "secretRef" in body:
            entry["totp" if kind == "passwords" else "secret"] = seeds[body["secretRef"]]
        if "sortIndexUnset" in body:
            del entry["sortIndex"]
        lists.setdefault(kind, []).append(entry)
    return lists

if __name__ == "__main__":
    typed = getpass.getpass("Secret: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    kind, forms = "passphrase", dict.fromkeys([typed] + [unicodedata.normalize(f, typed) for f in ("NFC", "NFD")])
    if "--recovery" in sys.argv:  # ASCII letters in upper case, all that isn't in the alphabet dropped
        kind, forms = "recovery", [re.sub("[^2-9A-HJ-NP-Z]", "", re.sub("[a-z]", lambda c: c[0].upper(), typed))]
    for form in forms:
        with contextlib.suppress(InvalidTag):
            sys.exit(print(json.dumps(open_vault(sys.argv[1], form.encode(), kind), ensure_ascii=False)))
    sys.exit("this doesn't open the vault, or it was damaged or altered")
