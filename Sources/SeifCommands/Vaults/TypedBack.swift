internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// A recovery code as a person typed it back from what is on their screen.
enum TypedBack {
  /// What is wrong with it, by places alone; nil: it is the code.
  static func fault(_ typed: borrowing SecretBytes, of code: borrowing RecoveryCode) -> String? {
    if let back = try? RecoveryCode.normalise(typed) {
      if back.matches(code) { return nil }
      let groups = wrongGroups(back, code)
      return groups.count == 1
        ? "Group \(groups.first ?? 0) isn't as shown." : "Groups \(joined(groups)) aren't as shown."
    }
    let alphabet = Set(RecoveryCode.alphabet.utf8)
    let (count, hasForbidden) = typed.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        let capitals = bytes.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        return (
          capitals.count { alphabet.contains($0) }, capitals.contains { "OI01".utf8.contains($0) }
        )
      }
    }
    let length = "That's \(count) of \(RecoveryCode.characterCount) characters."
    return hasForbidden ? "A recovery code never has O, I, 0 or 1: check those places. " + length : length
  }

  private static func wrongGroups(_ left: borrowing RecoveryCode, _ right: borrowing RecoveryCode) -> [Int] {
    left.withBytes { left in
      right.withBytes { right in
        left.withUnsafeBytes { left in
          right.withUnsafeBytes { right in
            let wrong = zip(left, right).enumerated().filter { $0.element.0 != $0.element.1 }
            return Set(wrong.map { $0.offset / 4 + 1 }).sorted()
          }
        }
      }
    }
  }

  private static func joined(_ numbers: [Int]) -> String {
    let words = numbers.map(String.init)
    return words.dropLast().joined(separator: ", ") + (words.last.map { " and \($0)" } ?? "")
  }
}
