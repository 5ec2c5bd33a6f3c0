// @ts-check

/**
 * What makes the codes of an account.
 * @typedef {object} CodeParameters
 * @property {"totp" | "hotp" | "steam"} type
 * @property {Uint8Array<ArrayBuffer>} secret
 * @property {"SHA1" | "SHA256" | "SHA512"} algorithm
 * @property {number} digits
 * @property {number} period seconds
 * @property {bigint} counter of HOTP: the next one to use
 */

/** The characters of Steam's codes. */
const steamAlphabet = "23456789BCDFGHJKMNPQRTVWXY";

/**
 * The 31 bits that HOTP makes of a counter (RFC 4226 §5.3).
 * @param {Uint8Array<ArrayBuffer>} secret
 * @param {bigint} counter 0 to 2^64 - 1
 * @param {CodeParameters["algorithm"]} algorithm
 */
async function truncatedMAC(secret, counter, algorithm) {
  const hash = { SHA1: "SHA-1", SHA256: "SHA-256", SHA512: "SHA-512" }[algorithm];
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash }, false, ["sign"]);
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, counter);
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, message));
  return mac.getUint32(mac.getUint8(mac.byteLength - 1) & 15) & 0x7fff_ffff;
}

/**
 * A code of RFC 4226.
 * @param {Pick<CodeParameters, "secret" | "algorithm" | "digits" | "counter">} parameters
 */
export async function makeHOTP({ secret, algorithm, digits, counter }) {
  const value = await truncatedMAC(secret, counter, algorithm);
  return String(value % 10 ** digits).padStart(digits, "0");
}

/**
 * The code of an account at a time, and for how many seconds it is still good; a counter's is good until it is used.
 * @param {CodeParameters} parameters
 * @param {number} time seconds since 1970; fractions are cut
 * @returns {Promise<{ code: string, secondsLeft: number | null }>}
 */
export async function makeCode(parameters, time) {
  const { type, secret, period } = parameters;
  if (type === "hotp") return { code: await makeHOTP(parameters), secondsLeft: null };
  if (!(time >= 0)) throw new RangeError("a time before 1970");
  const seconds = Math.floor(time);
  const counter = BigInt(Math.floor(seconds / period));
  const secondsLeft = period - (seconds % period);
  if (type === "totp") return { code: await makeHOTP({ ...parameters, counter }), secondsLeft };
  let value = await truncatedMAC(secret, counter, "SHA1");
  let code = "";
  for (let place = 0; place < 5; place++) {
    code += steamAlphabet[value % 26];
    value = Math.floor(value / 26);
  }
  return { code, secondsLeft };
}
