internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// Whether what is swapped out lies on a disk in clear.
struct SwapCheck: DoctorCheck {
  static let id = "swap"
  /// Devices below a device that are followed: a swap on LVM on RAID on dm-crypt is four.
  private static let depth = 8

  func findings(on machine: Machine) -> [DoctorFinding] {
    guard let table = Machine.head(of: machine.processes + "/swaps") else {
      return [warn("nobody says whether there is any", cure: "Look at the output of swapon --show.")]
    }
    let areas = Self.areas(table)
    let clear = areas.filter { !isSafe($0, machine) }
    guard let first = clear.first else {
      return [ok(areas.isEmpty ? "none" : "encrypted, or in memory only")]
    }
    let others = clear.count > 1 ? " and \(clear.count - 1) more" : ""
    return [
      warn(
        "\(first.path)\(others) isn't encrypted, as far as can be told: pieces of what was shown may lie on the disk",
        cure: "Encrypt it (crypttab, cryptsetup), use zram instead, or swapoff.")
    ]
  }

  struct Area: Equatable {
    let path: String
    let isFile: Bool
  }

  /// The areas of /proc/swaps, whose paths have spaces written as `\040`.
  static func areas(_ table: String) -> [Area] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard fields.count >= 2 else { return nil }
      return Area(path: unescaped(fields[0]), isFile: fields[1] == "file")
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    let source = Array(text.utf8)
    var (bytes, index): ([UInt8], Int) = ([], 0)
    while index < source.count {
      if source[index] == UInt8(ascii: "\\"), index + 3 < source.count,
        let code = UInt8(String(decoding: source[index + 1...index + 3], as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        index += 4
      } else {
        bytes.append(source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func isSafe(_ area: Area, _ machine: Machine) -> Bool {
    if area.isFile {
      guard let status = Machine.status(area.path) else { return false }
      let device = "\(seif_device_major(UInt64(status.st_dev))):\(seif_device_minor(UInt64(status.st_dev)))"
      return isEncrypted(machine.devices + "/dev/block/" + device, 0)
    }
    let name = String(AbsolutePath.of(area.path).split(separator: "/").last ?? "")
    guard !name.isEmpty else { return false }
    if name.hasPrefix("zram") {
      // With a disk behind it, what doesn't compress goes there.
      let backing = Machine.head(of: machine.devices + "/block/\(name)/backing_dev", byteCount: 4096)
      return backing.map { $0.hasPrefix("none") } ?? true
    }
    return isEncrypted(machine.devices + "/class/block/" + name, 0)
      || isEncrypted(machine.devices + "/block/" + name, 0)
  }

  /// Whether a device is dm-crypt's, or all that it stands on is.
  private func isEncrypted(_ device: String, _ depth: Int) -> Bool {
    guard depth < Self.depth else { return false }
    if let id = Machine.head(of: device + "/dm/uuid", byteCount: 4096), id.hasPrefix("CRYPT-") { return true }
    let below = Machine.names(in: device + "/slaves", limit: 64)
    return !below.isEmpty && below.allSatisfy { isEncrypted(device + "/slaves/" + $0, depth + 1) }
  }
}
