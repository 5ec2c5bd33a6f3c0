// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { readBody } from "../shared/body.mjs";
import { deriveKey, openBackup, openSealed, readHeader } from "../shared/open.mjs";
import { makeCode } from "../shared/otp.mjs";
import { argon2id, fileBytes, fromHex, loadVectors, places, toHex } from "./support.mjs";

const good = ["authbackup-v1", "authbackup-v1-android", "authbackup-v2", "authbackup-v2-whole", "vault2fa-v1"];

for (const name of good) {
  test(`${name}: each file opens with every value on the way as stated`, async () => {
    const vectors = loadVectors(name);
    assert.ok(vectors.length > 5);
    for (const vector of vectors) {
      const sealed = readHeader(/** @type {Uint8Array} */ (fileBytes(vector)));
      assert.equal(toHex(sealed.salt), vector.salt, vector.name);
      assert.equal(toHex(sealed.additionalData), vector.aad, vector.name);
      assert.equal(toHex(sealed.ciphertext), vector.ciphertext + vector.tag, vector.name);
      const key = await deriveKey(sealed, fromHex(vector.passphraseHex), argon2id);
      assert.equal(toHex(key), vector.key, vector.name);
      const plaintext = await openSealed(sealed, key);
      assert.equal(toHex(plaintext), vector.plaintextHex, vector.name);
      const contents = readBody(plaintext, sealed.format);
      const counts = { ...vector.expect.counts };
      for (const list of Object.keys(counts)) assert.equal(contents.counts[list] ?? 0, counts[list], vector.name);
      assert.deepEqual(places(contents.problems), places(vector.expect.problems ?? []), vector.name);
      for (const expected of vector.expect.codes ?? []) {
        const account = contents.accounts[expected.account];
        const codes = { ...account.codes };
        if (expected.counter !== undefined) codes.counter = BigInt(expected.counter);
        assert.equal((await makeCode(codes, expected.time ?? 0)).code, expected.code, vector.name);
      }
      for (const wrong of vector.wrongPassphrases ?? []) {
        const wrongKey = await deriveKey(sealed, fromHex(wrong.hex), argon2id);
        await assert.rejects(openSealed(sealed, wrongKey), { code: "cannot-open" }, vector.name);
      }
    }
  });
}

test("a passphrase opens in the normal form that it wasn't typed in", async () => {
  const vector = loadVectors("authbackup-v1").find((/** @type {any} */ v) =>
    v.passphrase !== v.passphrase.normalize("NFD") && v.passphrase === v.passphrase.normalize("NFC"));
  const sealed = readHeader(/** @type {Uint8Array} */ (fileBytes(vector)));
  await openBackup(sealed, vector.passphrase.normalize("NFD"), argon2id);
});
