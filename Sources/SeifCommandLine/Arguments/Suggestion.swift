/// What somebody may have meant: the nearest word within two edits.
package enum Suggestion {
  /// The word with the fewest edits (inserted, left out, changed or swapped neighbouring letters), at most two, and at most
  /// half as many as the typed word has letters; the first of equals.
  package static func nearest(to typed: String, among words: [String]) -> String? {
    guard typed.utf8.count <= 64 else { return nil }
    let letters = Array(typed.lowercased())
    var best: (word: String, edits: Int)?
    for word in words {
      let edits = distance(letters, Array(word))
      if edits <= 2, 2 * edits <= letters.count, edits < (best?.edits ?? 3) { best = (word, edits) }
    }
    return best?.word
  }

  /// The optimal string alignment distance.
  package static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let same = left[row] == right[column]
        var edits = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, beforePrevious[column - 1] + 1)
        }
        current.append(edits)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
