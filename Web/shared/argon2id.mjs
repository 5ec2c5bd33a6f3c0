// @ts-check
import { BackupError } from "./errors.mjs";

/**
 * What Argon2id is computed from (RFC 9106).
 * @typedef {object} Argon2idInput
 * @property {Uint8Array} password
 * @property {Uint8Array} salt
 * @property {number} memoryKiB
 * @property {number} passes
 * @property {number} lanes
 * @property {number} [length] of the result, 32 if it isn't given
 * @property {number} [version]
 * @property {Uint8Array} [secret]
 * @property {Uint8Array} [associatedData]
 */

const memoryAllocationError = -22;

/**
 * Argon2id by the reference implementation as WebAssembly (Web/argon2/argon2id.c). Each call has a memory of its own,
 * which goes when it is done.
 * @param {WebAssembly.Module} module
 * @returns {(input: Argon2idInput) => Promise<Uint8Array<ArrayBuffer>>}
 */
export function makeArgon2id(module) {
  return async (input) => {
    const { exports } = await WebAssembly.instantiate(module, {});
    const { memory, allocate, argon2id } = /** @type {any} */ (exports);
    const none = new Uint8Array();
    const { password, salt, memoryKiB, passes, lanes, length = 32, version = 0x13 } = input;
    /** @param {Uint8Array} bytes */
    const placed = (bytes) => {
      const address = allocate(bytes.length + 1);
      if (address === 0) throw new BackupError("no-memory");
      new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
      return [address, bytes.length];
    };
    const [output] = placed(new Uint8Array(length));
    const parts = [password, salt, input.secret ?? none, input.associatedData ?? none].flatMap(placed);
    const failure = argon2id(...parts, memoryKiB, passes, lanes, version, output, length);
    if (failure === memoryAllocationError) throw new BackupError("no-memory");
    if (failure !== 0) throw new BackupError("cost-refused", "Argon2id");
    const result = new Uint8Array(memory.buffer, output, length).slice();
    // Password, secret and blocks are wiped by the C code.
    new Uint8Array(memory.buffer, output, length).fill(0);
    return result;
  };
}
