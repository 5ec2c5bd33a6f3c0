private import CSeif
private import Glibc
internal import SeifBytes

/// When each way in last opened its vault on this machine, in a file of the state folder: a line with the identifier and
/// the moment for each.
///
/// Nothing depends on it but what a person is told, so nothing is synced, and what can't be read doesn't count.
struct WayInUses {
  let folder: String
  let vaultID: UUID

  private var path: String { folder + "/" + vaultID.description + ".ways" }
  /// Identifier, blank, 20 digits, line feed.
  private static let lineByteCount = 58

  /// The moments that are known.
  func read() -> [UUID: Timestamp] {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    return Self.uses(in: descriptor)
  }

  /// Notes that a way in opened the vault; those that aren't among `present` are forgotten.
  func note(_ id: UUID, at moment: Timestamp, present: [UUID]) {
    Folders.make(folder)
    let descriptor = seif_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else { return }
    var uses = Self.uses(in: descriptor)
    // A clock that went back isn't a reason to show a later use than there was.
    uses[id] = moment
    var text: [UInt8] = []
    for id in present {
      guard let moment = uses[id] else { continue }
      let digits = String(max(0, moment.milliseconds))
      text += Array("\(id) \(String(repeating: "0", count: 20 - digits.utf8.count))\(digits)\n".utf8)
    }
    guard pwrite(descriptor, text, text.count, 0) == text.count else { return }
    ftruncate(descriptor, off_t(text.count))
  }

  /// Takes the file away, with a vault that is destroyed.
  func forget() { unlink(path) }

  private static func uses(in descriptor: Int32) -> [UUID: Timestamp] {
    var bytes = [UInt8](repeating: 0, count: lineByteCount * KeyWrap.maximumCount)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    var uses: [UUID: Timestamp] = [:]
    for start in stride(from: 0, to: max(0, count) / lineByteCount * lineByteCount, by: lineByteCount) {
      let line = String(decoding: bytes[start..<start + lineByteCount - 1], as: UTF8.self)
      guard let id = UUID(String(line.prefix(36))), let moment = Int64(line.dropFirst(37)) else { continue }
      uses[id] = Timestamp(milliseconds: moment)
    }
    return uses
  }
}
