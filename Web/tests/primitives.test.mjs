// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { decodeBase64, decodeSecret } from "../shared/encodings.mjs";
import { KeyURIError, readKeyURI } from "../shared/key-uri.mjs";
import { makeCode, makeHOTP } from "../shared/otp.mjs";
import { OtherNumber, parseJSON } from "../shared/strict-json.mjs";
import { argon2id, fromHex, loadVectors, toHex } from "./support.mjs";

const otp = loadVectors("otp");
/** @param {string} text */
const json = (text) => parseJSON(new TextEncoder().encode(text));

test("Argon2id in WebAssembly gives the published answers", async () => {
  const vectors = loadVectors("argon2id").filter((/** @type {any} */ vector) => !vector.heavy);
  assert.ok(vectors.length > 30);
  for (const vector of vectors) {
    const tag = await argon2id({
      password: fromHex(vector.password), salt: fromHex(vector.salt), secret: fromHex(vector.secret),
      associatedData: fromHex(vector.associatedData), memoryKiB: vector.memoryKiB, passes: vector.passes,
      lanes: vector.lanes, version: Number(vector.version), length: vector.tagLength,
    });
    assert.equal(toHex(tag), vector.tag, vector.name);
  }
});

test("HOTP, TOTP and Steam give the known codes", async () => {
  for (const vector of [...otp.rfc4226, ...otp.hotp]) {
    const { algorithm, digits } = vector;
    const code = await makeHOTP({ secret: fromHex(vector.key), algorithm, digits, counter: BigInt(vector.counter) });
    assert.equal(code, vector.code);
  }
  for (const vector of [...otp.rfc6238, ...otp.totp, ...otp.totpFractions]) {
    const { algorithm, digits, period, time } = vector;
    const parameters = { secret: fromHex(vector.key), algorithm, digits, period, counter: 0n };
    const { code, secondsLeft } = await makeCode({ type: "totp", ...parameters }, time);
    assert.equal(code, vector.code);
    if (vector.remaining !== undefined) assert.equal(secondsLeft, vector.remaining);
  }
  for (const vector of otp.steam.vectors) {
    const parameters = { secret: fromHex(vector.key), digits: 5, period: 30, counter: 0n };
    const { code } = await makeCode({ type: "steam", algorithm: "SHA1", ...parameters }, vector.time);
    assert.equal(code, vector.code);
  }
});

test("secrets are read as every Seif reads them", () => {
  for (const { text, hex, accepted } of otp.secrets) {
    const bytes = decodeSecret(text);
    assert.equal(bytes !== null && bytes.length > 0, accepted, text);
    if (accepted) assert.equal(toHex(/** @type {Uint8Array} */ (bytes)), hex, text);
  }
});

test("Key URIs are read as every Seif reads them", () => {
  for (const { uri, accepted, account } of otp.uris) {
    if (!accepted) {
      assert.throws(() => readKeyURI(uri), KeyURIError, uri);
      continue;
    }
    const read = readKeyURI(uri);
    assert.equal(read.type, account.type, uri);
    assert.equal(read.issuer, account.issuer, uri);
    assert.equal(read.account, account.account, uri);
    assert.equal(toHex(read.secret), account.secretHex, uri);
    assert.equal(read.algorithm, account.algorithm, uri);
    assert.equal(read.digits, account.digits, uri);
    if (account.period !== undefined) assert.equal(read.period, account.period, uri);
    if (account.counter !== undefined) assert.equal(String(read.counter), account.counter, uri);
  }
});

test("JSON has one reading or none", () => {
  const faults = [
    '{"a":1,"\\u0061":2}', "\ufeff{}", "{} {}", '"\\ud800"', '"\\udc00\\ud800"', "[1,]", "01", "+1", "nul", '"\n"',
    '{"a" 1}', "", " ", '"\\x"', "[".repeat(33) + "]".repeat(33), "{'a':1}", "\v1",
  ];
  for (const text of faults) assert.throws(() => json(text), { code: "unreadable" }, text);
  assert.throws(() => parseJSON(new Uint8Array([0x22, 0xc3, 0x28, 0x22])), { code: "unreadable" });
  assert.deepEqual(json("[".repeat(32) + "]".repeat(32)).length, 1);
  assert.equal(json('"\\ud83d\\ude00"'), "\u{1f600}");
  assert.equal(json("9223372036854775807"), 9223372036854775807n);
  for (const text of ["1.0", "6e5", "-0", "100000000000000000000"]) assert.ok(json(text) instanceof OtherNumber, text);
  assert.ok(json('{"__proto__":{"a":1}}') instanceof Map);
});

test("base64 has one text for one value", () => {
  for (const text of ["QQ", "QQ=", "QR==", "Q===", "QUI", "QUJ=", "QQ==\n", "Q Q=", "QQ-_", "====", "=", "QQ==QQ=="]) {
    assert.equal(decodeBase64(text), null, text);
  }
  assert.equal(decodeBase64("QQ==")?.length, 1);
  assert.equal(decodeBase64("")?.length, 0);
  assert.equal(decodeBase64("Q\r\nQ==\n", { lineBreaks: true })?.length, 1);
});
