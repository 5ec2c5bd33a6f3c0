/// The time that a code has left.
struct TimeBar {
  let left: Int
  let period: Int
  /// Said from here on, by a word and not only a hue.
  static let soonSeconds = 5

  /// The time at a moment, counted in periods since 1970.
  init(period: Int, at unix: Int64) {
    self.period = max(1, period)
    let rest = unix % Int64(self.period)
    left = self.period - Int(rest < 0 ? rest + Int64(self.period) : rest)
  }

  var isSoon: Bool { left <= Self.soonSeconds }

  /// One cell, for lists.
  func cell(_ glyphs: Glyphs) -> String {
    let signs = glyphs.isUTF8 ? ["▁", "▃", "▆"] : ["-", "=", "#"]
    let third = min(2, left * 3 / (period + 1))
    return isSoon ? signs[0] : signs[max(0, third)]
  }

  /// Six cells and the number: `▆▆▆▃▁▁  17 s`, `[###---] 17s`.
  func text(_ glyphs: Glyphs) -> String {
    let twelfths = min(12, max(0, left * 12 / period))
    let full = twelfths / 2
    guard glyphs.isUTF8 else {
      return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: 6 - full) + "] \(left)s"
    }
    let half = full < 6 ? (twelfths % 2 == 1 ? "▃" : "▁") : ""
    let rest = String(repeating: "▁", count: max(0, 5 - full))
    return String(repeating: "▆", count: full) + half + rest + "  \(left) s"
  }
}
