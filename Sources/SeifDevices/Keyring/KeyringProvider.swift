internal import Glibc
package import SeifBytes
package import SeifCrypto
internal import SeifProcesses
package import SeifVault

/// The keyring of a desktop session as a way in: a random key in the Secret Service, stored and fetched by `secret-tool`.
///
/// Weaker than the others, and never the default: whatever runs in the unlocked session can fetch the key.
package final class KeyringProvider: WayInProvider {
  package let kind = WayIn.Kind.keyring
  private let program: String

  /// - Parameter program: where `secret-tool` is.
  package init(program: String = "/usr/bin/secret-tool") { self.program = program }

  package func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    let key = random.makeSecret(byteCount: 32)
    // An item of its own for each key: while a vault is rotated the old one has to stay.
    let item = random.makeUUID()
    let text = SecretBytes(copying: key.withBytes { Base64.encode($0) })
    guard
      let done = HelperProgram.run(
        program, ["store", "--label=Seif vault \(vaultID)"] + Self.attributes(vaultID, item), input: text)
    else { throw Self.notThere }
    guard done.status == 0 else { throw VaultError(.deviceMissing, "the desktop's keyring doesn't answer") }
    return NewWrappingKey(key: key.duplicate(), parameters: ["item": .text(item.description)])
  }

  package func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard let item = way.text("item").flatMap({ UUID($0) }) else { return nil }
    let none = SecretBytes(copying: SecretValue.empty)
    guard let done = HelperProgram.run(program, ["lookup"] + Self.attributes(vaultID, item), input: none) else {
      throw Self.notThere
    }
    guard done.status == 0, done.output.bytes.byteCount > 0 else {
      throw VaultError(.deviceMissing, "the desktop's keyring isn't there, is locked, or doesn't have this key")
    }
    // secret-tool ends a line on a terminal alone; other programs of the name may not know.
    let text = done.output.bytes.withBytes { bytes in
      let isEnded = bytes.withUnsafeBytes { $0.last == 0x0A }
      return SecretValue(copying: bytes.extracting(first: bytes.byteCount - (isEnded ? 1 : 0)))
    }
    guard let key = text.withBytes({ try? Base64.decode($0) }), key.byteCount == 32 else {
      throw VaultError(.otherDevice, "what the keyring has isn't a key of this vault")
    }
    return body(SecretBytes(copying: key))
  }

  /// Takes the key out of the keyring.
  package func erase(_ way: WayIn, vaultID: UUID) throws(VaultError) {
    guard let item = way.text("item").flatMap({ UUID($0) }) else { return }
    let none = SecretBytes(copying: SecretValue.empty)
    guard let done = HelperProgram.run(program, ["clear"] + Self.attributes(vaultID, item), input: none) else {
      throw Self.notThere
    }
    guard done.status == 0 else { throw VaultError(.deviceMissing, "the desktop's keyring doesn't answer") }
  }

  // Not secret: they stand in the program's arguments, and the vault's file has them in clear.
  private static func attributes(_ vaultID: UUID, _ item: UUID) -> [String] {
    ["seif-vault", vaultID.description, "seif-item", item.description]
  }

  private static let notThere = VaultError(.deviceMissing, "the program secret-tool isn't installed")
}
