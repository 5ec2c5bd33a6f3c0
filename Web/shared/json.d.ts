import type { OtherNumber } from "./strict-json.mjs";

/** A JSON object, read into a map, so that no key means anything to JavaScript. */
export type JSONObject = Map<string, JSONValue>;

/** A JSON value as docs/formats/README.md reads it: an integer token is a bigint. */
export type JSONValue = null | boolean | string | bigint | OtherNumber | JSONValue[] | Map<string, JSONValue>;
