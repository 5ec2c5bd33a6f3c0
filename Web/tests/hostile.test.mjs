// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { readBody } from "../shared/body.mjs";
import { BackupError } from "../shared/errors.mjs";
import { deriveKey, openSealed, readHeader } from "../shared/open.mjs";
import { argon2id, fileBytes, fromHex, loadVectors, places, toHex } from "./support.mjs";

/** @import { Sealed } from "../shared/header.mjs" */

/** @type {Map<string, Uint8Array<ArrayBuffer>>} */
const keys = new Map();

/**
 * Most of these files differ in something else than what makes the key.
 * @param {Sealed} sealed
 * @param {string} passphraseHex
 */
async function derivedOnce(sealed, passphraseHex) {
  const name = JSON.stringify([sealed.cost, toHex(sealed.salt), passphraseHex]);
  const key = keys.get(name) ?? await deriveKey(sealed, fromHex(passphraseHex), argon2id);
  keys.set(name, key);
  return key;
}

for (const name of ["authbackup-hostile", "vault2fa-hostile"]) {
  test(`${name}: each file is refused for the reason stated, or opens with what is stated`, async () => {
    const { vectors } = loadVectors(name);
    let judged = 0;
    for (const vector of vectors) {
      const file = vector.heavy ? null : fileBytes(vector);
      if (!file) continue;
      const { outcome, problems } = await open(file, vector);
      const acceptable = vector.expect.acceptable ?? [vector.expect.class];
      assert.ok(acceptable.includes(outcome), `${vector.name}: ${outcome}, not ${acceptable}`);
      if (outcome === "open-with-problems" && Array.isArray(vector.expect.problems)) {
        assert.deepEqual(places(problems), places(vector.expect.problems), vector.name);
      }
      judged++;
    }
    assert.ok(judged > 250);
  });
}

/**
 * @param {Uint8Array} file
 * @param {any} vector
 * @returns {Promise<{ outcome: string, problems: any[] }>}
 */
async function open(file, vector) {
  try {
    const sealed = readHeader(file, vector.base.startsWith("vault2fa") ? "vault2fa-backup" : "authbackup");
    const key = await derivedOnce(sealed, vector.passphraseHex);
    const { problems } = readBody(await openSealed(sealed, key.slice()), sealed.format);
    return { outcome: problems.length > 0 ? "open-with-problems" : "open", problems };
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    return { outcome: error.code, problems: [] };
  }
}

test("a cost out of range is refused before anything is derived", () => {
  const refused = [...loadVectors("authbackup-hostile").vectors, ...loadVectors("vault2fa-hostile").vectors]
    .filter((vector) => vector.expect.class === "cost-refused");
  assert.ok(refused.length > 30);
  for (const vector of refused) {
    assert.throws(() => readHeader(/** @type {Uint8Array} */ (fileBytes(vector))), BackupError, vector.name);
  }
});
