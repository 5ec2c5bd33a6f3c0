internal import CTSS2
internal import Glibc
internal import SeifBytes
internal import SeifVault

/// A connection to a TPM 2.0, and the primary key under which objects are sealed on it.
///
/// The primary is made anew from its template each time: a TPM gives the same key for the same template for as long as its
/// owner's seed stays, and nothing of ours stands in the TPM.
struct TPM: ~Copyable {
  let library: UnsafePointer<seif_tss2>
  private let tcti: OpaquePointer
  let context: OpaquePointer
  let primary: ESYS_TR
  /// The primary's name: what this TPM is known by.
  let name: [UInt8]

  /// Where the kernel offers the TPM to programs.
  static let device = "/dev/tpmrm0"

  /// - Parameter address: as tpm2-tss takes it, `swtpm:port=2321`; nil: this machine's own.
  /// - Throws: `deviceMissing`, `deviceRefused`.
  init(_ address: String?) throws(VaultError) {
    let library = try LibTSS2.loaded()
    if address == nil, access(Self.device, R_OK | W_OK) != 0 {
      let why = errno == ENOENT ? "this machine has no TPM 2.0" : "you may not use it: its group is usually tss"
      throw VaultError(.deviceMissing, "\(Self.device): \(why)")
    }
    var tcti: OpaquePointer?
    let found = library.pointee.Tss2_TctiLdr_Initialize(address ?? "device:\(Self.device)", &tcti)
    guard found == 0, let tcti else { throw VaultError(.deviceMissing, "the TPM doesn't answer, \(TPMCode(found))") }
    var context: OpaquePointer?
    let started = library.pointee.Esys_Initialize(&context, tcti, nil)
    guard started == 0, let context else {
      var gone: OpaquePointer? = tcti
      library.pointee.Tss2_TctiLdr_Finalize(&gone)
      throw VaultError(.deviceMissing, "the TPM doesn't answer, \(TPMCode(started))")
    }
    do throws(VaultError) {
      (primary, name) = try Self.makePrimary(library, context)
    } catch {
      Self.end(library, context, tcti)
      throw error
    }
    self.library = library
    self.tcti = tcti
    self.context = context
  }

  deinit {
    _ = library.pointee.Esys_FlushContext(context, primary)
    Self.end(library, context, tcti)
  }

  private static func end(_ library: UnsafePointer<seif_tss2>, _ context: OpaquePointer, _ tcti: OpaquePointer) {
    var (context, tcti) = (Optional(context), Optional(tcti))
    library.pointee.Esys_Finalize(&context)
    library.pointee.Tss2_TctiLdr_Finalize(&tcti)
  }

  private static func makePrimary(
    _ library: UnsafePointer<seif_tss2>, _ context: OpaquePointer
  ) throws(VaultError) -> (ESYS_TR, [UInt8]) {
    var template = TPM2B_PUBLIC()
    seif_tpm_primary_template(&template)
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var outside = TPM2B_DATA()
    var none = TPML_PCR_SELECTION()
    var handle = ESYS_TR()
    let made = library.pointee.Esys_CreatePrimary(
      context, ESYS_TR(SEIF_ESYS_OWNER), ESYS_TR(SEIF_ESYS_PASSWORD), .none, .none, &sensitive,
      &template, &outside, &none, &handle, nil, nil, nil, nil)
    let code = TPMCode(made)
    guard made == 0 else {
      throw code.isWrongAuth
        ? VaultError(.deviceRefused, "the TPM's owner has set a password for it")
        : VaultError(.deviceMissing, "the TPM makes no key, \(code)")
    }
    var name: UnsafeMutablePointer<TPM2B_NAME>?
    let named = library.pointee.Esys_TR_GetName(context, handle, &name)
    guard named == 0, let name else { throw VaultError(.deviceMissing, "the TPM gives no name, \(TPMCode(named))") }
    defer { library.pointee.Esys_Free(name) }
    return (handle, bytes(of: name.pointee.name, count: Int(name.pointee.size)))
  }

  // MARK: - Sessions

  /// A session whose parameters are encrypted under a secret that only the TPM with this primary can read.
  func session(_ kind: Int) throws(VaultError) -> ESYS_TR {
    var cipher = TPMT_SYM_DEF()
    seif_tpm_session_cipher(&cipher)
    var session = ESYS_TR()
    try check(
      library.pointee.Esys_StartAuthSession(
        context, primary, .none, .none, .none, .none, nil, TPM2_SE(kind), &cipher,
        TPMI_ALG_HASH(SEIF_ALG_SHA256), &session), "session")
    let flags = TPMA_SESSION(
      SEIF_SESSION_CONTINUE | SEIF_SESSION_DECRYPT | SEIF_SESSION_ENCRYPT)
    let isTrial = kind == SEIF_SE_TRIAL
    if !isTrial { try check(library.pointee.Esys_TRSess_SetAttributes(context, session, flags, 0xFF), "session") }
    return session
  }

  func flush(_ handle: ESYS_TR) { _ = library.pointee.Esys_FlushContext(context, handle) }

  /// Has a session's policy ask for the machine's present state and, with a PIN, for the object's authorisation.
  ///
  /// - Returns: the policy's digest.
  func applyPolicy(to session: ESYS_TR, pcrs: UInt32, hasPIN: Bool) throws(VaultError) -> TPM2B_DIGEST {
    if pcrs != 0 {
      var selection = TPML_PCR_SELECTION()
      seif_tpm_selection(&selection, pcrs)
      var present = TPM2B_DIGEST()
      try check(
        library.pointee.Esys_PolicyPCR(context, session, .none, .none, .none, &present, &selection), "PolicyPCR")
    }
    if hasPIN {
      try check(library.pointee.Esys_PolicyAuthValue(context, session, .none, .none, .none), "PolicyAuthValue")
    }
    var digest: UnsafeMutablePointer<TPM2B_DIGEST>?
    try check(
      library.pointee.Esys_PolicyGetDigest(context, session, .none, .none, .none, &digest), "PolicyGetDigest")
    guard let digest else { throw VaultError(.internalFailure, "PolicyGetDigest") }
    defer { library.pointee.Esys_Free(digest) }
    return digest.pointee
  }

  func check(_ code: TSS2_RC, _ step: String) throws(VaultError) {
    guard code != 0 else { return }
    let code = TPMCode(code)
    if code.isLockout { throw VaultError(.deviceLocked, lockoutWords()) }
    throw VaultError(.deviceRefused, "\(step): \(code)")
  }

  // MARK: - Tries

  /// How far wrong PINs have come; nil where the TPM doesn't say.
  func lockout() -> TPMState.Lockout? {
    var more: TPMI_YES_NO = 0
    var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
    let asked = library.pointee.Esys_GetCapability(
      context, .none, .none, .none, TPM2_CAP(SEIF_CAP_PROPERTIES),
      UInt32(SEIF_PT_LOCKOUT_COUNTER), 8, &more, &data)
    guard asked == 0, let data else { return nil }
    defer { library.pointee.Esys_Free(data) }
    let counter = seif_tpm_property(data, UInt32(SEIF_PT_LOCKOUT_COUNTER))
    let limit = seif_tpm_property(data, UInt32(SEIF_PT_MAX_AUTH_FAIL))
    let interval = seif_tpm_property(data, UInt32(SEIF_PT_LOCKOUT_INTERVAL))
    guard counter >= 0, limit >= 0 else { return nil }
    return .init(failures: counter, limit: limit, interval: max(0, interval))
  }

  /// What a person needs to know who typed a wrong PIN.
  func lockoutWords() -> String {
    guard let lockout = lockout() else { return "the TPM doesn't say how many tries are left" }
    return "\(lockout.triesLeft) tries are left; each \(lockout.wait) without a wrong one give one back"
  }
}

extension TPMState.Lockout {
  /// The time that gives a try back, in words: `2 minutes`.
  package var wait: String { interval >= 120 ? "\(interval / 60) minutes" : "\(interval) seconds" }
}

/// An answer of the TPM or of its libraries.
struct TPMCode: CustomStringConvertible {
  let code: TSS2_RC

  init(_ code: TSS2_RC) { self.code = code }

  // Part 2 of the TPM's specification, 6.6: in codes of format one, bits tell which parameter or session it is about.
  private var isOfTPM: Bool { code & 0xFFFF_0000 == 0 }
  private var formatOne: TSS2_RC? { isOfTPM && code & 0x80 != 0 ? code & 0xBF : nil }

  /// TPM_RC_AUTH_FAIL, TPM_RC_BAD_AUTH.
  var isWrongAuth: Bool { formatOne == 0x8E || formatOne == 0xA2 }
  /// TPM_RC_POLICY_FAIL, TPM_RC_PCR_CHANGED.
  var isChangedState: Bool { formatOne == 0x9D || code == 0x128 }
  /// TPM_RC_LOCKOUT.
  var isLockout: Bool { code == 0x921 }

  var description: String { "code 0x" + String(code, radix: 16) }
}

extension ESYS_TR {
  static var none: ESYS_TR { ESYS_TR(SEIF_ESYS_NONE) }
}

/// The first bytes of a C array.
func bytes<Array>(of array: Array, count: Int) -> [UInt8] {
  withUnsafeBytes(of: array) { [UInt8]($0.prefix(max(0, count))) }
}
