import SeifBytes
import SeifFormats
import Synchronization

/// Vectors opened once for every test that wants what is inside: the derivations at full strength are what takes time.
enum OpenedVectors {
  private struct Key: Hashable {
    var file: SecretValue
    var passphrase: SecretValue
  }
  private static let opened = Mutex<[Key: Task<Outcome, Never>]>([:])

  /// What became of a vector's file, read as the format whose vectors these are.
  static func outcome(_ vector: FormatVector, of file: String) async -> Outcome {
    let key = Key(file: vector.file, passphrase: vector.passphrase)
    let task = opened.withLock { opened in
      if let task = opened[key] { return task }
      let task = Task {
        let format: any BackupFormat = file.hasPrefix("vault2fa") ? Vault2FAFormat() : AuthBackupFormat()
        return Outcome(format, file: vector.file, passphrase: vector.passphrase)
      }
      opened[key] = task
      return task
    }
    return await task.value
  }
}
