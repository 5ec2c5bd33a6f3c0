// @ts-check
import { BackupError } from "./errors.mjs";

/** The largest file that is read, in bytes. */
export const maximumFileByteCount = 64 * 1024 * 1024;

/**
 * Rounds of PBKDF2, if they are allowed: until the tag is checked the header is whatever somebody wrote.
 * @param {bigint} rounds
 * @param {string} field
 * @throws {BackupError} `cost-refused`
 */
export function checkedRounds(rounds, field) {
  if (rounds < 1n || rounds > 10_000_000n) throw new BackupError("cost-refused", field);
  return Number(rounds);
}

/**
 * The cost of Argon2id, if it is allowed, before any memory is taken.
 * @param {{ memoryKiB: bigint, passes: bigint, lanes: bigint }} cost
 * @throws {BackupError} `cost-refused`
 */
export function checkedArgon2id({ memoryKiB, passes, lanes }) {
  if (lanes < 1n || lanes > 16n) throw new BackupError("cost-refused", "lanes");
  if (passes < 1n || passes > 64n) throw new BackupError("cost-refused", "passes");
  if (memoryKiB < 8n * lanes || memoryKiB > 1_048_576n) throw new BackupError("cost-refused", "memoryKiB");
  if (memoryKiB * passes > 4_194_304n) throw new BackupError("cost-refused", "memoryKiB × passes");
  return { memoryKiB: Number(memoryKiB), passes: Number(passes), lanes: Number(lanes) };
}
