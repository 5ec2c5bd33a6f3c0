// @ts-check

/**
 * Why a file can't be opened. `code` is one of the classes of Tests/Vectors (`unreadable`, `other-format`,
 * `unsupported-version`, `unknown-algorithm`, `bad-header`, `cost-refused`, `cannot-open`, `bad-body`) or `no-memory`;
 * `field` names the part of the header at fault. Neither holds anything of the file's values.
 */
export class BackupError extends Error {
  /**
   * @param {string} code
   * @param {string} [field]
   */
  constructor(code, field = "") {
    super(field ? `${code}: ${field}` : code);
    this.name = "BackupError";
    this.code = code;
    this.field = field;
  }
}
