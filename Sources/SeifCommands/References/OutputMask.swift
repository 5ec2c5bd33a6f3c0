internal import SeifCommandLine
internal import SeifBytes

/// Replaces exact byte sequences in a stream by four asterisks, wherever it is cut into pieces.
///
/// Each run of bytes that belong to a needle becomes one mask. No more is held back than the longest needle: of what came
/// only the end that may be the beginning of one. One automaton (Knuth, Morris, Pratt) a needle, so that a byte is looked
/// at a bounded number of times.
struct OutputMask: ~Copyable {
  /// Shorter ones aren't masked: they would be found everywhere.
  static let shortestNeedle = 4
  private static let mask = Array("****".utf8)

  private struct Automaton {
    let offset: Int
    let count: Int
    /// For each length of a beginning that fits, the next shorter one.
    let shorter: [Int32]
    var matched = 0
  }

  private let needles: SecretBytes
  private var automata: [Automaton] = []
  private var begins = [Bool](repeating: false, count: 256)
  private var held: [UInt8] = []
  private var isMasked: [Bool] = []
  private var endedInMask = false
  /// The longest beginning of a needle that what came so far ends in.
  private(set) var longestBeginning = 0

  /// - Parameter needles: what is masked; shorter ones than ``shortestNeedle`` and repeated ones are passed over.
  init(_ needles: [SecretValue]) {
    var seen: Set<SecretValue> = []
    let used = needles.filter { $0.byteCount >= Self.shortestNeedle && seen.insert($0).inserted }
    let total = used.reduce(0) { $0 + $1.byteCount }
    var automata: [Automaton] = []
    var begins = self.begins
    self.needles = SecretBytes(byteCount: total) { buffer in
      var offset = 0
      for needle in used {
        let count = needle.byteCount
        needle.withBytes { bytes in
          bytes.withUnsafeBytes { source in
            buffer[offset..<offset + count].copyBytes(from: source)
            begins[Int(source[0])] = true
            automata.append(Automaton(offset: offset, count: count, shorter: Self.table(source)))
          }
        }
        offset += count
      }
      return total
    }
    self.automata = automata
    self.begins = begins
  }

  /// Whether there is nothing to mask.
  var isEmpty: Bool { automata.isEmpty }
  /// How many bytes are held back.
  var heldCount: Int { held.count }

  /// Takes bytes and appends what can leave to `output`.
  mutating func pass(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    advance(bytes)
    release(held.count - min(longestBeginning, held.count), into: &output)
  }

  /// Lets go of what is held back, though a needle may go on after it: then the rest of it is masked.
  mutating func releaseAll(into output: inout [UInt8]) { release(held.count, into: &output) }

  private mutating func advance(_ bytes: UnsafeRawBufferPointer) {
    let count = automata.count
    needles.withBytes { span in
      span.withUnsafeBytes { needles in
        for byte in bytes {
          held.append(byte)
          isMasked.append(false)
          if longestBeginning == 0, !begins[Int(byte)] { continue }
          var longest = 0
          for index in 0..<count {
            let (offset, needleCount) = (automata[index].offset, automata[index].count)
            var matched = automata[index].matched
            while matched > 0, needles[offset + matched] != byte { matched = Int(automata[index].shorter[matched - 1]) }
            if needles[offset + matched] == byte { matched += 1 }
            if matched == needleCount {
              for place in held.count - min(needleCount, held.count)..<held.count { isMasked[place] = true }
              matched = Int(automata[index].shorter[matched - 1])
            }
            automata[index].matched = matched
            longest = max(longest, matched)
          }
          longestBeginning = longest
        }
      }
    }
  }

  private mutating func release(_ count: Int, into output: inout [UInt8]) {
    for index in 0..<count {
      if !isMasked[index] {
        output.append(held[index])
      } else if !endedInMask {
        output.append(contentsOf: Self.mask)
      }
      endedInMask = isMasked[index]
      held[index] = 0
    }
    held.removeFirst(count)
    isMasked.removeFirst(count)
  }

  private static func table(_ needle: UnsafeRawBufferPointer) -> [Int32] {
    var shorter = [Int32](repeating: 0, count: needle.count)
    var matched = 0
    for index in 1..<needle.count {
      while matched > 0, needle[index] != needle[matched] { matched = Int(shorter[matched - 1]) }
      if needle[index] == needle[matched] { matched += 1 }
      shorter[index] = Int32(matched)
    }
    return shorter
  }
}

extension UnsafeMutableRawBufferPointer.SubSequence {
  fileprivate func copyBytes(from source: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: source)
  }
}
