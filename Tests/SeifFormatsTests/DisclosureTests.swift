import SeifBytes
import Testing

@testable import SeifFormats

/// What is shown of addresses and of a person's own fields without `--reveal`.
@Suite struct DisclosureTests {
  @Test(arguments: [
    ("https://ana:hunter2@example.com/path", "https://ana:******@example.com/path"),
    ("https://ana:a@b:c@example.com", "https://ana:******@example.com"),
    ("HTTPS:\\\\ana:hunter2@example.com", "HTTPS:\\\\ana:******@example.com"),
    ("//ana:hunter2@example.com", "//ana:******@example.com"),
    ("ana:hunter2@example.com/x", "ana:******@example.com/x"),
    ("https://:hunter2@example.com", "https://:******@example.com"),
    ("https://ghp_16C7e42F292c6912E7@example.com", "https://******@example.com"),
    ("ftp://ana@example.com", "ftp://ana@example.com"), ("https://ana:@example.com", "https://ana:@example.com"),
    ("postgres://ana:hun/ter2@db.example.com/x", "postgres://ana:******@db.example.com/x"),
    ("https://ana:h#t?r2@example.com?token=abc", "https://ana:******@example.com?token=******"),
    ("https://example.com:8080/@ana/x:y@z", "https://example.com:8080/@ana/x:y@z"),
    ("http://[::1]:80/@a:b@c", "http://[::1]:80/@a:b@c"),
    ("https://example.com/@ana:b", "https://example.com/@ana:b"),
    ("mailto:ana@example.com", "mailto:ana@example.com"), ("", ""), ("?", "?"), ("https://", "https://"),
    ("https://example.com/?q=1&token=abc&x=2", "https://example.com/?q=1&token=******&x=2"),
    ("https://example.com/?apiKey=abc;API_KEY=d", "https://example.com/?apiKey=******;API_KEY=******"),
    ("https://example.com/?k%65y=abc", "https://example.com/?k%65y=******"),
    ("https://example.com/?monkey=abc&keyboard=x&key", "https://example.com/?monkey=abc&keyboard=x&key"),
    ("https://example.com/#access_token=abc&state=1", "https://example.com/#access_token=******&state=1"),
    ("https://example.com/#/r?password=a?b", "https://example.com/#/r?password=******?b"),
    ("https://example.com/?next=https%3A%2F%2Fa%3Ab%40c.org", "https://example.com/?next=******"),
    ("otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQ", "otpauth://totp/A:b?secret=******"),
  ])
  func passwordsAndTokensInAddressesAreMasked(url: String, shown: String) {
    #expect(Disclosure.masked(url: url) == shown)
  }

  @Test(arguments: [
    ("Branch", "Cluj", true), ("Phone", "+40 721 000 000", true), ("Mail", "ana.serban@mail.example.com", true),
    ("Site", "https://example.com/a/long/way/2026", true), ("Colour", "blue", true), ("Turnkey", "yes", true),
    ("PIN", "1234", false), ("pin-code", "1", false), ("API token", "x", false), ("apiKey", "x", false),
    ("Parola", "x", false), ("Recovery codes", "x", false), ("Security answer", "Rex", false),
    ("Extra", "-----BEGIN OPENSSH PRIVATE KEY-----", false), ("Extra", "AKIA2E0A8F3B244C9986", false),
    ("Extra", "see 9f86d081884c7d659a2feaa0c55ad015 there", false), ("Extra", "https://a:b@c.example.com", false),
  ])
  func aFieldIsOpenUnlessItLooksLikeASecret(name: String, value: String, isOpen: Bool) {
    let secret = SecretValue(utf8: value)
    #expect(Disclosure.isOpen(name: name, value: secret, isSecret: false) == isOpen)
    #expect(!Disclosure.isOpen(name: name, value: secret, isSecret: true))
  }

  /// With a step for each pair it would take hours.
  @Test(.timeLimit(.minutes(15))) func longAddressesCostInProportion() {
    let url = "https://a/?" + String(repeating: "x=%25&", count: 200_000)
    #expect(Disclosure.masked(url: url) == url)
    let nested = "https://a/?x=" + String(repeating: "?x=", count: 100_000) + "1"
    #expect(Disclosure.masked(url: nested).hasPrefix("https://a/?x="))
  }
}
