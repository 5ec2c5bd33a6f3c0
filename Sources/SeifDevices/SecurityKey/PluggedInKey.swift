internal import CFido2
internal import Glibc
package import SeifBytes
internal import SeifCrypto
package import SeifVault

/// The security keys that are plugged in, through libfido2, which is loaded when the first vault needs one.
package struct PluggedInKey: SecurityKey {
  private nonisolated(unsafe) static let table: UnsafePointer<seif_libfido2>? = {
    let table = seif_load_libfido2("libfido2.so.1")
    table?.pointee.fido_init(0)
    return table
  }()
  private static let mostDevices = 16

  package init() {}

  // MARK: - What a vault asks

  package func canVerifyUser() throws(VaultError) -> Bool {
    try withOne { (library, device) throws(VaultError) in
      library.pointee.fido_dev_has_pin(device) || library.pointee.fido_dev_has_uv(device)
    }
  }

  package func makeCredential(
    relyingParty: String, userID: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> [UInt8] {
    let pin = Self.ended(pin)
    return try withOne { (library, device) throws(VaultError) in
      var credential = library.pointee.fido_cred_new()
      defer { library.pointee.fido_cred_free(&credential) }
      let protects = library.pointee.fido_dev_supports_cred_prot(device)
      let extensions = FIDO_EXT_HMAC_SECRET | (protects ? FIDO_EXT_CRED_PROTECT : 0)
      let hash = RandomSource.system.makeBytes(32)
      var steps = [
        library.pointee.fido_cred_set_type(credential, Int32(SEIF_COSE_ES256)),
        library.pointee.fido_cred_set_clientdata_hash(credential, hash, hash.count),
        library.pointee.fido_cred_set_rp(credential, relyingParty, "Seif"),
        library.pointee.fido_cred_set_user(credential, userID, userID.count, "vault", "Seif vault", nil),
        library.pointee.fido_cred_set_extensions(credential, extensions),
        library.pointee.fido_cred_set_rk(credential, FIDO_OPT_FALSE),
      ]
      if protects { steps.append(library.pointee.fido_cred_set_prot(credential, FIDO_CRED_PROT_UV_REQUIRED)) }
      if verifiesUser, pin == nil { steps.append(library.pointee.fido_cred_set_uv(credential, FIDO_OPT_TRUE)) }
      guard steps.allSatisfy({ $0 == FIDO_OK }) else { throw VaultError(.internalFailure, "fido_cred_set") }
      try check(Self.withText(pin) { library.pointee.fido_dev_make_cred(device, credential, $0) }, library, device)
      guard let start = library.pointee.fido_cred_id_ptr(credential) else {
        throw VaultError(.deviceRefused, "it made no credential")
      }
      return Array(UnsafeBufferPointer(start: start, count: library.pointee.fido_cred_id_len(credential)))
    }
  }

  package func hmacSecret(
    relyingParty: String, credential: [UInt8], salt: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> SecretBytes {
    let pin = Self.ended(pin)
    var refusal = VaultError(.deviceMissing, "no security key is plugged in")
    // Which of several keys has the credential is known by asking.
    for path in try paths() {
      do throws(VaultError) {
        return try withDevice(path) { (library, device) throws(VaultError) in
          var assertion = library.pointee.fido_assert_new()
          defer { library.pointee.fido_assert_free(&assertion) }
          let hash = RandomSource.system.makeBytes(32)
          var steps = [
            library.pointee.fido_assert_set_clientdata_hash(assertion, hash, hash.count),
            library.pointee.fido_assert_set_rp(assertion, relyingParty),
            library.pointee.fido_assert_allow_cred(assertion, credential, credential.count),
            library.pointee.fido_assert_set_extensions(assertion, FIDO_EXT_HMAC_SECRET),
            library.pointee.fido_assert_set_hmac_salt(assertion, salt, salt.count),
          ]
          if verifiesUser, pin == nil { steps.append(library.pointee.fido_assert_set_uv(assertion, FIDO_OPT_TRUE)) }
          guard steps.allSatisfy({ $0 == FIDO_OK }) else { throw VaultError(.internalFailure, "fido_assert_set") }
          // A PIN would turn the key's other secret on.
          let code =
            verifiesUser
            ? Self.withText(pin) { library.pointee.fido_dev_get_assert(device, assertion, $0) }
            : library.pointee.fido_dev_get_assert(device, assertion, nil)
          try check(code, library, device)
          guard library.pointee.fido_assert_count(assertion) == 1,
            library.pointee.fido_assert_hmac_secret_len(assertion, 0) == 32,
            let start = library.pointee.fido_assert_hmac_secret_ptr(assertion, 0)
          else { throw VaultError(.deviceRefused, "it gave no secret") }
          return SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: 32).bytes)
        }
      } catch {
        refusal = error
        guard error.code == .otherDevice else { throw error }
      }
    }
    throw refusal
  }

  // MARK: - Devices

  private func loaded() throws(VaultError) -> UnsafePointer<seif_libfido2> {
    guard let table = Self.table else { throw VaultError(.deviceMissing, "the library libfido2 isn't installed") }
    return table
  }

  private func paths() throws(VaultError) -> [String] {
    let library = try loaded()
    var list = library.pointee.fido_dev_info_new(Self.mostDevices)
    guard list != nil else { throw VaultError(.outOfMemory) }
    defer { library.pointee.fido_dev_info_free(&list, Self.mostDevices) }
    var count = 0
    guard library.pointee.fido_dev_info_manifest(list, Self.mostDevices, &count) == FIDO_OK else {
      throw VaultError(.deviceMissing, "the devices can't be listed")
    }
    return (0..<count).compactMap { index in
      library.pointee.fido_dev_info_path(library.pointee.fido_dev_info_ptr(list, index)).map { String(cString: $0) }
    }
  }

  private func withOne<Result: ~Copyable>(
    _ body: (UnsafePointer<seif_libfido2>, OpaquePointer) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let found = try paths()
    guard let path = found.first else { throw VaultError(.deviceMissing, "no security key is plugged in") }
    guard found.count == 1 else {
      throw VaultError(.deviceRefused, "\(found.count) security keys are plugged in: leave one")
    }
    return try withDevice(path, body)
  }

  private func withDevice<Result: ~Copyable>(
    _ path: String, _ body: (UnsafePointer<seif_libfido2>, OpaquePointer) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let library = try loaded()
    var device = library.pointee.fido_dev_new()
    guard let opened = device else { throw VaultError(.outOfMemory) }
    defer { library.pointee.fido_dev_free(&device) }
    guard library.pointee.fido_dev_open(opened, path) == FIDO_OK else {
      throw VaultError(.deviceMissing, "the security key can't be opened: you may lack the right to use it")
    }
    defer { _ = library.pointee.fido_dev_close(opened) }
    guard library.pointee.fido_dev_is_fido2(opened) else {
      throw VaultError(.deviceRefused, "it is a key of the older kind, without hmac-secret")
    }
    return try body(library, opened)
  }

  private func check(
    _ code: Int32, _ library: UnsafePointer<seif_libfido2>, _ device: OpaquePointer
  ) throws(VaultError) {
    switch code {
    case FIDO_OK: return
    case FIDO_ERR_PIN_INVALID:
      var tries: Int32 = 0
      let isKnown = library.pointee.fido_dev_get_retry_count(device, &tries) == FIDO_OK
      throw VaultError(.deviceRefused, "the PIN is wrong" + (isKnown ? "; \(tries) tries are left" : ""))
    case FIDO_ERR_PIN_REQUIRED, FIDO_ERR_PIN_NOT_SET: throw VaultError(.deviceRefused, "it wants its PIN")
    case FIDO_ERR_PIN_BLOCKED, FIDO_ERR_UV_BLOCKED:
      throw VaultError(.deviceLocked, "the key is blocked for good until it is reset")
    case FIDO_ERR_PIN_AUTH_BLOCKED: throw VaultError(.deviceLocked, "pull the key out and plug it in again")
    case FIDO_ERR_NO_CREDENTIALS, FIDO_ERR_INVALID_CREDENTIAL: throw VaultError(.otherDevice, "another security key")
    case FIDO_ERR_ACTION_TIMEOUT, FIDO_ERR_USER_ACTION_TIMEOUT, FIDO_ERR_OPERATION_DENIED:
      throw VaultError(.deviceRefused, "it wasn't touched in time")
    case FIDO_ERR_UNSUPPORTED_EXTENSION, FIDO_ERR_UNSUPPORTED_OPTION:
      throw VaultError(.deviceRefused, "it doesn't have hmac-secret")
    default: throw VaultError(.deviceRefused, "code \(code)")
    }
  }

  // MARK: - PIN

  /// The PIN in locked memory once more, ended by a zero as C wants it.
  private static func ended(_ pin: borrowing SecretBytes?) -> SecretBytes? {
    guard let copy = pin?.duplicate() else { return nil }
    return SecretBytes(byteCount: copy.byteCount + 1) { buffer in
      copy.withBytes { bytes in bytes.withUnsafeBytes { buffer.copyMemory(from: $0) } }
      return copy.byteCount + 1
    }
  }

  private static func withText(_ pin: borrowing SecretBytes?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
    guard let copy = pin?.duplicate() else { return body(nil) }
    return copy.withBytes { bytes in
      bytes.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }
  }
}
