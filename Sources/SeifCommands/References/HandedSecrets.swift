internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes

/// A secret for a program over a descriptor: `--fd N=seif://ITEM/FIELD`.
struct DescriptorReference {
  let number: Int32
  let reference: Reference

  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(parts[0]),
      (3...255).contains(number)
    else { throw UsageError("--fd takes N=seif://ITEM/FIELD, with N from 3 to 255") }
    self.number = number
    do throws(Reference.Fault) {
      reference = try Reference(String(parts[1]))
    } catch {
      throw UsageError("--fd \(number): \(error)")
    }
  }
}

/// Pipes that hold a secret each and are closed at the writing end: read once, it is gone.
final class HandedSecrets {
  /// The number in the program, and the reading end here, above every number that a program can ask for.
  private(set) var ends: [(number: Int32, descriptor: Int32)] = []

  /// - Throws: exit 65 where a value is larger than a pipe.
  init(_ values: [(number: Int32, value: SecretValue)]) throws(CommandFailure) {
    for (number, value) in values {
      var pipe: [Int32] = [-1, -1]
      guard seif_pipe(&pipe) == 0 else { throw CommandFailure(.ioFailed, "no pipe can be made") }
      defer { for end in pipe { close(end) } }
      _ = seif_fcntl_setfl(pipe[1], O_NONBLOCK)
      let written = value.withBytes { bytes in
        bytes.withUnsafeBytes { write(pipe[1], $0.baseAddress, $0.count) }
      }
      guard written == value.byteCount else {
        throw CommandFailure(
          .badInput, "what --fd \(number) refers to is larger than a pipe holds", hint: "Nothing was started.")
      }
      let moved = seif_duplicate_from(pipe[0], 512)
      guard moved >= 0 else { throw CommandFailure(.ioFailed, "too many files are open") }
      ends.append((number, moved))
    }
  }

  deinit { closeAll() }

  func closeAll() {
    for end in ends { close(end.descriptor) }
    ends = []
  }
}
