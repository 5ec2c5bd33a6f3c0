#!/usr/bin/env python3
"""Writes way-in-fido2.json: a vault's row for a security key, made with the secrets of an authenticator that doesn't exist.
Nothing of Seif's: hmac, hashlib and the package cryptography. See docs/formats/vault.md."""
import base64
import hashlib
import hmac
import json
import pathlib
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VAULT, WAY = uuid.UUID("6f1c0f5e-52a4-4c3e-9d1b-6a2f0e7b8c90"), uuid.UUID("b7a1d2c3-4e5f-4a6b-8c7d-9e0f1a2b3c4d")
GENERATION = 3


def fixed(label, count=32):
    """Bytes that anyone can make again."""
    return hashlib.sha256(f"seif vector {label}".encode()).digest()[:count]


def row(verifies_user):
    name = "with" if verifies_user else "without"
    cred_random = fixed(f"CredRandom {name} user verification")
    data_key, nonce, credential, input_ = (fixed(f"{what} {name}", count) for what, count in
                                           (("data key", 32), ("nonce", 12), ("credential", 32), ("input", 32)))
    salt = hashlib.sha256(b"WebAuthn PRF\x00" + input_).digest()
    # CTAP 2.1, 12.5: what a key computes for one salt.
    secret = hmac.new(cred_random, salt, hashlib.sha256).digest()
    wrapping_key = HKDF(hashes.SHA256(), 32, None, b"seif-vault-v1/fido2").derive(secret)
    parameters = json.dumps({
        "createdAt": "2026-11-30T10:00:00Z", "credentialId": base64.b64encode(credential).decode(),
        "input": base64.b64encode(input_).decode(), "rpId": "seif.invalid", "uv": verifies_user,
    }, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(parameters.encode()).hexdigest()
    aad = f"seif-vault:1:{VAULT}:{WAY}:fido2:{GENERATION}:{digest}".encode()
    wrapped = nonce + AESGCM(wrapping_key).encrypt(nonce, data_key, aad)
    return {"uv": verifies_user, "credRandom": cred_random.hex(), "salt": salt.hex(), "hmacSecret": secret.hex(),
            "wrappingKey": wrapping_key.hex(), "dataKey": data_key.hex(), "parameters": parameters,
            "wrappedKey": wrapped.hex()}


if __name__ == "__main__":
    vector = {"about": "A row of table way_in for a security key. credRandom: what the authenticator keeps.",
              "vault": str(VAULT), "way": str(WAY), "kind": "fido2", "generation": GENERATION,
              "rows": [row(False), row(True)]}
    path = pathlib.Path(__file__).with_name("way-in-fido2.json")
    path.write_text(json.dumps(vector, indent=1) + "\n")
