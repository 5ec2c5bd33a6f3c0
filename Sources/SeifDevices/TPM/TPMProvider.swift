package import SeifBytes
package import SeifCrypto
package import SeifVault

/// The TPM of a machine as a way in: a random key sealed to it, to how the machine started and, if wanted, to a PIN.
package final class TPMProvider: WayInProvider {
  package let kind = WayIn.Kind.tpm2
  private let address: String?
  private let pin: SecretBytes?
  private let pcrs: String
  private let isQuiet: Bool

  /// PCR 7: whether Secure Boot is on, and whose keys it takes.
  package static let usualPCRs = "7"

  /// - Parameters:
  ///   - address: of the TPM as tpm2-tss takes it; nil: this machine's own.
  ///   - pin: nil for none.
  ///   - pcrs: of new ways in: `7`, `0,7`; empty: none, which takes a PIN.
  ///   - isQuiet: the TPM's libraries are kept from writing to standard error; for programs in which no other thread writes
  ///     there.
  package init(
    address: String? = nil, pin: consuming SecretBytes? = nil, pcrs: String = usualPCRs, isQuiet: Bool = false
  ) {
    self.address = address
    self.pin = pin
    self.pcrs = pcrs
    self.isQuiet = isQuiet
  }

  /// Returns if there is a TPM that answers.
  ///
  /// - Throws: `deviceMissing`, `deviceRefused`.
  package func look() throws(VaultError) {
    try QuietErrors.run(isQuiet) { () throws(VaultError) in _ = try TPM(address) }
  }

  package func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    try make(pcrs, random)
  }

  package func renewKey(of way: WayIn, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    try make(way.text("pcrs") ?? pcrs, random)
  }

  private func make(_ pcrs: String, _ random: RandomSource) throws(VaultError) -> NewWrappingKey {
    guard let mask = Self.mask(pcrs) else { throw VaultError(.internalFailure, "pcrs") }
    guard mask != 0 || pin != nil else {
      throw VaultError(.deviceRefused, "without a PIN it must be bound to how the machine starts")
    }
    let key = random.makeSecret(byteCount: 32)
    return try QuietErrors.run(isQuiet) { () throws(VaultError) in
      let tpm = try TPM(address)
      let object = try tpm.seal(key, pcrs: mask, pin: pin)
      return NewWrappingKey(
        key: key.duplicate(),
        parameters: [
          "pcrs": .text(pcrs), "pin": .flag(pin != nil), "primaryName": .bytes(tpm.name),
          "private": .bytes(object.privatePart), "public": .bytes(object.publicPart),
        ])
    }
  }

  package func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard let name = way.bytes("primaryName"), let publicPart = way.bytes("public"),
      let privatePart = way.bytes("private"), let mask = way.text("pcrs").flatMap(Self.mask),
      let hasPIN = way.flag("pin")
    else { return nil }
    guard !hasPIN || pin != nil else { throw VaultError(.deviceRefused, "it wants its PIN") }
    let key = try QuietErrors.run(isQuiet) { () throws(VaultError) in
      let tpm = try TPM(address)
      guard tpm.name == name else { throw VaultError(.otherDevice, "another machine, or its TPM was cleared") }
      let object = SealedObject(publicPart: publicPart, privatePart: privatePart)
      return try tpm.unseal(object, pcrs: mask, hasPIN: hasPIN, pin: pin)
    }
    return body(key)
  }

  /// A bit for each PCR; nil for what isn't a list of numbers from 0 to 23.
  private static func mask(_ pcrs: String) -> UInt32? {
    var mask: UInt32 = 0
    for text in pcrs.split(separator: ",", omittingEmptySubsequences: !pcrs.utf8.contains(0x2C)) {
      guard let number = UInt32(text), number < 24 else { return nil }
      mask |= 1 << number
    }
    return mask
  }
}
