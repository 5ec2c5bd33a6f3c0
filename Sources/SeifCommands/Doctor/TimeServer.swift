internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifCrypto

/// A server that is asked for the time by SNTP (RFC 4330): one datagram, and one back.
struct TimeServer: Equatable, Sendable {
  let host: String
  let port: UInt16

  enum Failure: Error, Equatable { case noSuchHost, noAnswer, notTime }

  /// `HOST`, `HOST:PORT`, `[ADDRESS]:PORT`; an address of IPv6 may stand alone.
  init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= 255, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    var (host, port): (Substring, Substring?) = (text[...], nil)
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      if !rest.isEmpty { port = rest.dropFirst() }
    } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
      (host, port) = (text[..<colon], text[text.index(after: colon)...])
    }
    guard !host.isEmpty, host.first != "-" else { return nil }
    self.host = String(host)
    guard let port else {
      self.port = 123
      return
    }
    guard let number = UInt16(port), number > 0, port.first != "+" else { return nil }
    self.port = number
  }

  /// The seconds that the server's clock is ahead of this one; negative: behind.
  func offset(milliseconds: Int32 = 2_000) -> Result<Double, Failure> {
    let question = SNTPQuestion(cookie: RandomSource.system.makeBytes(8))
    var answer = [UInt8](repeating: 0, count: 512)
    var (sent, received) = (timespec(), timespec())
    let count = seif_ask_by_datagram(
      host, String(port), question.bytes, question.bytes.count, &answer, answer.count, milliseconds, &sent, &received)
    if count == Int(seif_no_such_host) { return .failure(.noSuchHost) }
    guard count >= 0 else { return .failure(.noAnswer) }
    let offset = question.offset(
      Array(answer.prefix(Int(count))), sentAt: (Int64(sent.tv_sec), Int64(sent.tv_nsec)),
      receivedAt: (Int64(received.tv_sec), Int64(received.tv_nsec)))
    return offset.map(Result.success) ?? .failure(.notTime)
  }
}

/// The bytes of SNTP, version 4.
struct SNTPQuestion {
  /// What the server has to give back, so that nobody else can answer. It stands where our time would: that is nobody's
  /// business.
  let cookie: [UInt8]

  /// Leap 0, version 4, mode 3 (client); all else zero but for the cookie.
  var bytes: [UInt8] { [0x23] + [UInt8](repeating: 0, count: 39) + cookie }

  /// What an answer says of our clock; nil for one that isn't to this question or gives no time.
  func offset(
    _ answer: [UInt8], sentAt: (seconds: Int64, nanoseconds: Int64), receivedAt: (seconds: Int64, nanoseconds: Int64)
  ) -> Double? {
    guard answer.count >= 48, answer[0] & 0x07 == 4, (3...4).contains(answer[0] >> 3 & 0x07) else { return nil }
    // Leap 3: its own clock isn't right. Stratum 0: a refusal; 16 and more: unsynchronised.
    guard answer[0] >> 6 != 3, (1...15).contains(answer[1]), Array(answer[24..<32]) == cookie else { return nil }
    let (arrived, left) = (Self.number(answer[32..<40]), Self.number(answer[40..<48]))
    guard arrived != 0, left != 0 else { return nil }
    // As differences modulo 2^64, which hold over the end of the era in 2036 as long as the clocks are 68 years near.
    let there = Int64(bitPattern: arrived &- Self.stamp(sentAt))
    let back = Int64(bitPattern: left &- Self.stamp(receivedAt))
    return (Double(there) + Double(back)) / 2 / 4_294_967_296
  }

  /// A moment as NTP counts: 32 bits of seconds since 1900, and 32 of their fraction.
  static func stamp(_ moment: (seconds: Int64, nanoseconds: Int64)) -> UInt64 {
    let seconds = UInt64(bitPattern: moment.seconds &+ 2_208_988_800) << 32
    return seconds | UInt64(clamping: moment.nanoseconds) << 32 / 1_000_000_000
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
