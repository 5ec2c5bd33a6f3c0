internal import SeifBytes
internal import SeifCrypto
internal import SeifHTTPServer
internal import SeifServerStore
internal import Synchronization

/// A sealed document on its way in: its room is reserved before it comes, and it is durable before it is answered.
final class ObjectUpload: HTTPBodyReceiver {
  /// Who uploads, and whether that may be: asked before the body is read.
  typealias Admission = @Sendable () throws(VaultProblem) -> AccountCaller

  private enum Stage {
    case new
    case storing(reservation: UUID, any BlobWriter)
    /// An object of this name is there: only compared.
    case comparing(ObjectRow)
    case ended
  }

  /// Used under the lock alone.
  private struct State: ~Copyable, @unchecked Sendable {
    var stage = Stage.new
    var hash: SHA256Stream? = SHA256Stream()
    var base64: Base64Stream?
    var byteCount = 0
    var problem: VaultProblem?
  }

  private let state = Mutex(State())
  private let controller: VaultController
  private let id: UUID
  private let admit: Admission
  private let expected: Int
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - isText: whether it comes in base64.
  ///   - expected: most bytes that it has, sealed and decoded.
  init(
    _ controller: VaultController, _ id: UUID, isText: Bool, expected: Int, now: @escaping @Sendable () -> Timestamp,
    admit: @escaping Admission
  ) {
    (self.controller, self.id, self.expected, self.now, self.admit) = (controller, id, expected, now, admit)
    state.withLock { $0.base64 = isText ? Base64Stream() : nil }
  }

  func begin() -> HTTPAnswer? {
    do throws(VaultProblem) {
      let caller = try admit()
      let outcome = try kept { () throws(StoreFailure) in
        try controller.vaults.reserve(
          caller.account.id, id, byteCount: expected, limits: controller.limits(caller), at: now())
      }
      switch outcome {
      case .reserved(let reservation):
        do throws(StoreFailure) {
          let writer = try controller.stores.blobs.begin()
          state.withLock { $0.stage = .storing(reservation: reservation, writer) }
        } catch {
          try? controller.vaults.drop(reservation)
          throw VaultProblem(error)
        }
      case .present(let row): state.withLock { $0.stage = .comparing(row) }
      case .gone: throw .gone
      case .overQuota, .tooManyObjects: throw .quota
      }
      return nil
    } catch { return error.answer }
  }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.base64 != nil else { return Self.take(piece, &state, limit: expected) }
      guard let bytes = state.base64?.decode(piece) else {
        state.problem = .badRequest
        return false
      }
      return bytes.withUnsafeBytes { Self.take($0, &state, limit: expected) }
    }
  }

  private static func take(_ piece: UnsafeRawBufferPointer, _ state: inout State, limit: Int) -> Bool {
    guard piece.count <= limit - state.byteCount else {
      state.problem = .tooLarge
      return false
    }
    state.byteCount += piece.count
    if var hash = state.hash.take() {
      hash.update(piece.bytes)
      state.hash = consume hash
    }
    guard case .storing(_, let writer) = state.stage else { return true }
    do throws(StoreFailure) { try writer.write(piece) } catch {
      state.problem = VaultProblem(error)
      return false
    }
    return true
  }

  func finish() -> HTTPAnswer {
    typealias Ended = (stage: Stage, sha256: [UInt8], byteCount: Int, problem: VaultProblem?)
    let ended: Ended = state.withLock { state in
      if state.problem == nil, state.base64 != nil {
        if let last = state.base64?.finish() {
          _ = last.withUnsafeBytes { Self.take($0, &state, limit: expected) }
        } else {
          state.problem = .badRequest
        }
      }
      if state.problem == nil, state.byteCount < VaultBounds.sealedOverhead { state.problem = .tooShort }
      var sha256: [UInt8] = []
      if let hash = state.hash.take() { sha256 = hash.finish() }
      defer { state.stage = .ended }
      return (state.stage, sha256, state.byteCount, state.problem)
    }
    do throws(VaultProblem) {
      guard ended.problem == nil else {
        give(back: ended.stage)
        throw ended.problem ?? .badRequest
      }
      switch ended.stage {
      case .storing(let reservation, let writer):
        return try keep(reservation, writer, ended.sha256, ended.byteCount)
      case .comparing(let row): return try Self.compare(row, ended.sha256)
      case .new, .ended: throw .badRequest
      }
    } catch { return error.answer }
  }

  private func keep(
    _ reservation: UUID, _ writer: any BlobWriter, _ sha256: [UInt8], _ byteCount: Int
  ) throws(VaultProblem) -> HTTPAnswer {
    let blob: UUID
    do throws(StoreFailure) { blob = try writer.finish() } catch {
      give(back: .storing(reservation: reservation, writer))
      throw VaultProblem(error)
    }
    // A blob that no row comes to name is found by the sweep.
    let outcome: KeepOutcome
    do throws(StoreFailure) {
      outcome = try controller.vaults.keep(reservation, blob: blob, byteCount: byteCount, sha256: sha256, at: now())
    } catch {
      // The blob stays: its row may have been made all the same.
      try? controller.vaults.drop(reservation)
      throw VaultProblem(error)
    }
    switch outcome {
    case .stored: return HTTPAnswer(201, fields: WireAnswer.fields)
    case .present(let row):
      try? controller.stores.blobs.remove(blob)
      return try Self.compare(row, sha256)
    case .lost:
      try? controller.stores.blobs.remove(blob)
      throw .account(AccountProblem(.busy, retryAfter: 1))
    }
  }

  private static func compare(_ row: ObjectRow, _ sha256: [UInt8]) throws(VaultProblem) -> HTTPAnswer {
    guard row.sha256 == sha256 else { throw .conflict }
    return HTTPAnswer(200, fields: WireAnswer.fields)
  }

  func abandon() {
    give(
      back: state.withLock { state in
        defer { state.stage = .ended }
        return state.stage
      })
  }

  private func give(back stage: Stage) {
    guard case .storing(let reservation, let writer) = stage else { return }
    writer.abandon()
    try? controller.vaults.drop(reservation)
  }
}
