internal import SeifCrypto
internal import SeifSQL

/// Lets a migration step keep the accumulator right. A step changes rows' digests (a new column is a part of them), so
/// the difference is applied to the state: what didn't match before doesn't match after.
///
/// Unchecked because a step must be `Sendable`; it is made, run and dropped within one call of one task.
final class MigrationKeys: @unchecked Sendable {
  private let keys: VaultKeys
  private let random: RandomSource

  init(keys: VaultKeys, random: RandomSource) {
    self.keys = keys
    self.random = random
  }

  func sum(of tables: [VaultTable], in connection: Connection) throws(SQLError) -> RowSum {
    do throws(VaultError) {
      return try keys.accumulator.sum(of: tables, in: connection) ?? RowSum()
    } catch {
      throw SQLError(.corrupt, message: error.detail)
    }
  }

  func adjust(from old: RowSum, to new: RowSum, in connection: Connection) throws(SQLError) {
    do throws(VaultError) {
      var state = try keys.accumulator.read(from: connection)
      state.sum.toggle(old.digest)
      state.sum.toggle(new.digest)
      state.sum.rows = state.sum.rows &- old.rows &+ new.rows
      state.counter &+= 1
      try keys.accumulator.write(
        state, vaultID: keys.vaultID, nonce: random.makeBytes(AES256GCM.nonceByteCount), to: connection)
    } catch {
      throw SQLError(.corrupt, message: error.detail)
    }
  }
}
