internal import CTSS2
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifVault

/// A sealed object as it stands in a row: its two parts in the TPM's own encoding.
struct SealedObject {
  var publicPart: [UInt8]
  var privatePart: [UInt8]
}

extension TPM {
  /// Seals 32 bytes to this TPM, its present state of some PCRs and, if there is one, a PIN.
  func seal(_ key: borrowing SecretBytes, pcrs: UInt32, pin: borrowing SecretBytes?) throws(VaultError) -> SealedObject
  {
    let hasPIN = pin != nil
    let trial = try session(SEIF_SE_TRIAL)
    defer { flush(trial) }
    var policy = try applyPolicy(to: trial, pcrs: pcrs, hasPIN: hasPIN)
    var template = TPM2B_PUBLIC()
    seif_tpm_sealed_template(&template, &policy, hasPIN ? 1 : 0)
    var sensitive = TPM2B_SENSITIVE_CREATE()
    defer { wipe(&sensitive) }
    key.withBytes { copy($0, to: &sensitive.sensitive.data.buffer) }
    sensitive.sensitive.data.size = UInt16(key.byteCount)
    if var auth = Self.authorisation(pin) {
      sensitive.sensitive.userAuth = auth
      wipe(&auth)
    }
    let session = try session(SEIF_SE_HMAC)
    defer { flush(session) }
    var outside = TPM2B_DATA()
    var none = TPML_PCR_SELECTION()
    var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
    var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
    try check(
      library.pointee.Esys_Create(
        context, primary, session, .none, .none, &sensitive, &template, &outside, &none, &privatePart, &publicPart,
        nil, nil, nil), "Create")
    defer {
      library.pointee.Esys_Free(privatePart)
      library.pointee.Esys_Free(publicPart)
    }
    guard let privatePart, let publicPart else { throw VaultError(.internalFailure, "Create") }
    return SealedObject(
      publicPart: try marshalled(MemoryLayout<TPM2B_PUBLIC>.size) {
        library.pointee.Tss2_MU_TPM2B_PUBLIC_Marshal(publicPart, $0, $1, &$2)
      },
      privatePart: try marshalled(MemoryLayout<TPM2B_PRIVATE>.size) {
        library.pointee.Tss2_MU_TPM2B_PRIVATE_Marshal(privatePart, $0, $1, &$2)
      })
  }

  /// The 32 bytes of a sealed object.
  ///
  /// - Throws: `deviceChanged` if the machine isn't in the state it was sealed to; `deviceRefused` for a wrong PIN, with
  ///   the tries left; `deviceLocked`; `otherDevice` for an object of another TPM.
  func unseal(
    _ object: SealedObject, pcrs: UInt32, hasPIN: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> SecretBytes {
    var publicPart = TPM2B_PUBLIC()
    var privatePart = TPM2B_PRIVATE()
    var offset = 0
    guard
      library.pointee.Tss2_MU_TPM2B_PUBLIC_Unmarshal(object.publicPart, object.publicPart.count, &offset, &publicPart)
        == 0, offset == object.publicPart.count, seif_tpm_is_sealed(&publicPart) != 0
    else { throw VaultError(.damaged, "public") }
    offset = 0
    guard
      library.pointee.Tss2_MU_TPM2B_PRIVATE_Unmarshal(
        object.privatePart, object.privatePart.count, &offset, &privatePart) == 0, offset == object.privatePart.count
    else { throw VaultError(.damaged, "private") }
    let session = try session(SEIF_SE_POLICY)
    defer { flush(session) }
    let policy = try applyPolicy(to: session, pcrs: pcrs, hasPIN: hasPIN)
    let wanted = publicPart.publicArea.authPolicy
    // Known before a try is spent.
    guard
      bytes(of: policy.buffer, count: Int(policy.size)) == bytes(of: wanted.buffer, count: Int(wanted.size))
    else { throw VaultError(.deviceChanged) }
    if hasPIN, lockout()?.triesLeft == 0 { throw VaultError(.deviceLocked, lockoutWords()) }
    var handle = ESYS_TR()
    let loaded = library.pointee.Esys_Load(
      context, primary, ESYS_TR(SEIF_ESYS_PASSWORD), .none, .none, &privatePart, &publicPart, &handle)
    guard loaded == 0 else { throw VaultError(.otherDevice, "\(TPMCode(loaded))") }
    defer { flush(handle) }
    if hasPIN, var auth = Self.authorisation(pin) {
      let set = library.pointee.Esys_TR_SetAuth(context, handle, &auth)
      wipe(&auth)
      try check(set, "SetAuth")
    }
    var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
    let opened = library.pointee.Esys_Unseal(context, handle, session, .none, .none, &data)
    guard opened == 0, let data else {
      let code = TPMCode(opened)
      if code.isWrongAuth { throw VaultError(.deviceRefused, "the PIN is wrong; \(lockoutWords())") }
      if code.isChangedState { throw VaultError(.deviceChanged) }
      try check(opened, "Unseal")
      throw VaultError(.internalFailure, "Unseal")
    }
    defer {
      explicit_bzero(data, MemoryLayout<TPM2B_SENSITIVE_DATA>.size)
      library.pointee.Esys_Free(data)
    }
    guard data.pointee.size == 32 else { throw VaultError(.damaged, "sealed key") }
    return withUnsafeBytes(of: &data.pointee.buffer) { source in
      SecretBytes(byteCount: 32) { target in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(32)))
        return 32
      }
    }
  }

  /// What the TPM knows of a PIN: its SHA-256.
  private static func authorisation(_ pin: borrowing SecretBytes?) -> TPM2B_AUTH? {
    guard let copy = pin?.duplicate() else { return nil }
    var digest = copy.withBytes { Digest.sha256($0) }
    defer { digest.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
    var auth = TPM2B_AUTH()
    auth.size = UInt16(digest.count)
    withUnsafeMutableBytes(of: &auth.buffer) { $0.copyBytes(from: digest) }
    return auth
  }

  private func marshalled(
    _ capacity: Int, _ body: (UnsafeMutablePointer<UInt8>?, Int, inout Int) -> TSS2_RC
  ) throws(VaultError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: capacity)
    var count = 0
    let code = buffer.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count, &count) }
    guard code == 0 else { throw VaultError(.internalFailure, "\(TPMCode(code))") }
    return Array(buffer.prefix(count))
  }
}

private func copy<Array>(_ bytes: RawSpan, to array: inout Array) {
  withUnsafeMutableBytes(of: &array) { target in
    bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(target.count))) }
  }
}

private func wipe<Value>(_ value: inout Value) {
  withUnsafeMutableBytes(of: &value) { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
}
