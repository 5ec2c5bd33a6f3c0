package import SeifBytes

/// A passphrase that was typed, on its way to be tried.
package struct PassphraseAttempt: ~Copyable, Sendable {
  package let bytes: SecretBytes
  package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
