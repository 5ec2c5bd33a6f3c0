// @ts-check
import fs from "node:fs";
import { webcrypto } from "node:crypto";
import { makeArgon2id } from "../shared/argon2id.mjs";

// A browser has it without asking; Node before 19 hasn't.
globalThis.crypto ??= /** @type {Crypto} */ (webcrypto);

const root = new URL("../../", import.meta.url);

/**
 * A file of Tests/Vectors.
 * @param {string} name
 */
export function loadVectors(name) {
  return JSON.parse(fs.readFileSync(new URL(`Tests/Vectors/${name}.json`, root), "utf8"));
}

/** @param {string} path */
export function readProjectFile(path) {
  return fs.readFileSync(new URL(path, root));
}

/** @param {string} hex */
export function fromHex(hex) {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  return Buffer.from(bytes).toString("hex");
}

/**
 * The bytes of a vector's file; null for one that is made by a recipe.
 * @param {any} vector
 */
export function fileBytes(vector) {
  if (vector.file !== undefined) return new Uint8Array(Buffer.from(vector.file, "utf8"));
  if (vector.fileBase64 !== undefined) return new Uint8Array(Buffer.from(vector.fileBase64, "base64"));
  if (!vector.fileParts) return null;
  const parts = vector.fileParts.map((/** @type {any} */ part) => part.text.repeat(part.count));
  return new Uint8Array(Buffer.from(parts.join(""), "utf8"));
}

/** Argon2id as the page has it; scripts/build-page makes it. */
export const argon2id = makeArgon2id(await WebAssembly.compile(readProjectFile("build/page/argon2id.wasm")));

/**
 * Where something can't be used, in an order of their own.
 * @param {{ list: string, index?: number, field?: string }[]} problems
 */
export function places(problems) {
  return problems.map(({ list, index, field }) => [list, index, field].join("/")).sort();
}
