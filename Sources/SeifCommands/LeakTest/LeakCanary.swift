internal import SeifCommandLine
internal import SeifBytes

/// A secret that stands for one of its kind and is looked for everywhere.
struct LeakCanary: Sendable {
  /// What it is, for the report: `the password of a login`. Its value is never told.
  let name: String
  /// The entry that it belongs to, by name; showing the entry shows it. Empty: nothing ever shows it.
  let entry: String
  /// Its bytes; a code has two spellings, each of which is looked for.
  let spellings: [[UInt8]]
  /// Not a secret from the person's own screen, but from files and from memory after the lock.
  let isName: Bool

  init(_ name: String, of entry: String = "", _ spellings: [UInt8]..., isName: Bool = false) {
    self.name = name
    self.entry = entry
    self.spellings = spellings
    self.isName = isName
  }

  init(_ name: String, of entry: String = "", text: String, isName: Bool = false) {
    self.init(name, of: entry, Array(text.utf8), isName: isName)
  }
}

/// The secrets of one run, made up by chance, so that what an earlier run left isn't found.
struct LeakCanaries: Sendable {
  // What opens things.
  let passphrase = Self.phrase()
  let secondPassphrase = Self.phrase()
  let filePassphrase = Self.phrase()
  let devicePIN = Self.digits(9)
  // By kind of entry. Seeds are base32; their bytes are looked for, and so every spelling of them.
  let timedSeed = Self.seed()
  let countedSeed = Self.seed()
  let steamSeed = Self.seed()
  let motpSecret = Self.seed()
  let motpPIN = Self.digits(9)
  let otherSeed = Self.seed()
  let otherPIN = Self.digits(9)
  let accountNotes = Self.text()
  let accountField = Self.text()
  let password = Self.text()
  let oldPassword = Self.text()
  let loginSeed = Self.seed()
  let loginNotes = Self.text()
  let loginField = Self.text()
  let cardNumber = Self.digits(16)
  let cardCVC = Self.digits(9)
  let cardNotes = Self.text()
  let cardField = Self.text()
  let note = Self.text()
  let noteField = Self.text()
  let masterKey = Self.bytes(32)
  let wraps = Self.text()
  let unknownMember = Self.text()
  let unusable = Self.text()
  // What is added and changed by commands.
  let addedSeed = Self.seed()
  let addedPassword = Self.text()
  let changedPassword = Self.text()
  let addedNumber = Self.digits(16)
  let addedNote = Self.text()
  let userName = Self.text()
  /// No secret: put everywhere that is searched, where it has to be found.
  let plant = Self.text()

  /// All that are looked for; the recovery codes come with the sheets that they stand on.
  var all: [LeakCanary] {
    [
      LeakCanary("the vault's passphrase", text: passphrase),
      LeakCanary("the vault's second passphrase", text: secondPassphrase),
      LeakCanary("the passphrase of a file", text: filePassphrase),
      LeakCanary("the PIN of the TPM", text: devicePIN),
      LeakCanary("the seed of an account (totp)", of: "Timed", timedSeed),
      LeakCanary("the seed of an account (hotp)", of: "Counted", countedSeed),
      LeakCanary("the seed of an account (steam)", of: "Steam", steamSeed),
      LeakCanary("the secret of an account (motp)", of: "Motp", motpSecret),
      LeakCanary("the PIN of an account (motp)", of: "Motp", text: motpPIN),
      LeakCanary("the secret of an account (yandex)", of: "Yandex", otherSeed),
      LeakCanary("the PIN of an account (yandex)", of: "Yandex", text: otherPIN),
      LeakCanary("the notes of an account", of: "Timed", text: accountNotes),
      LeakCanary("a secret field of an account", of: "Timed", text: accountField),
      LeakCanary("a member that isn't understood", of: "Timed", text: unknownMember),
      LeakCanary("an entry that can't be used", of: "everything", text: unusable),
      LeakCanary("the password of a login", of: "Login", text: password),
      LeakCanary("an old password of a login", of: "Login", text: oldPassword),
      LeakCanary("the seed of a login", of: "Login", loginSeed),
      LeakCanary("the notes of a login", of: "Login", text: loginNotes),
      LeakCanary("a secret field of a login", of: "Login", text: loginField),
      LeakCanary("the number of a card", of: "Card", text: cardNumber),
      LeakCanary("the CVC of a card", of: "Card", text: cardCVC),
      LeakCanary("the notes of a card", of: "Card", text: cardNotes),
      LeakCanary("a secret field of a card", of: "Card", text: cardField),
      LeakCanary("the text of a note", of: "Note", text: note),
      LeakCanary("a secret field of a note", of: "Note", text: noteField),
      LeakCanary("the key of a document vault", of: "document", masterKey),
      LeakCanary("the wraps of a document vault", of: "document", text: wraps),
      LeakCanary("the seed that is added", of: "Added code", addedSeed),
      LeakCanary("the password that is added", of: "Added login", text: addedPassword),
      LeakCanary("the password that is changed to", of: "Added login", text: changedPassword),
      LeakCanary("the card number that is added", of: "Added card", text: addedNumber),
      LeakCanary("the note that is added", of: "Added note", text: addedNote),
      LeakCanary("a user name", text: userName, isName: true),
    ]
  }

  /// Neutral records with one entry of each kind and a canary in each secret of it.
  var records: String {
    func field(_ value: String) -> String {
      "\"customFields\":[{\"name\":\"extra\",\"value\":\"\(value)\",\"isSecret\":true}]"
    }
    let key = SecretValue(masterKey).withBytes { Base64.encode($0) }.exposedText() ?? ""
    return """
      {"schema":"seif-records","version":1,"source":{"format":"leak-test"},"accounts":[
      {"type":"totp","issuer":"Timed","account":"a","secret":"\(Self.base32(timedSeed))","digits":6,"period":30,
       "notes":"\(accountNotes)",\(field(accountField)),"leak":"\(unknownMember)"},
      {"type":"hotp","issuer":"Counted","account":"a","secret":"\(Self.base32(countedSeed))","digits":6,"counter":0},
      {"type":"steam","issuer":"Steam","account":"a","secret":"\(Self.base32(steamSeed))"},
      {"type":"motp","issuer":"Motp","account":"a","secret":"\(Self.base32(motpSecret))","pin":"\(motpPIN)"},
      {"type":"yandex","issuer":"Yandex","account":"a","secret":"\(Self.base32(otherSeed))","pin":"\(otherPIN)"},
      {"type":"totp","issuer":"Unusable","secret":"!","leak":"\(unusable)"}],
      "passwords":[{"title":"Login","username":"\(userName)","password":"\(password)",
       "urls":["https://leak.example"],"notes":"\(loginNotes)",\(field(loginField)),
       "totp":"otpauth://totp/Login:a?secret=\(Self.base32(loginSeed))",
       "history":[{"password":"\(oldPassword)","changedAt":"2025-01-01T00:00:00Z"}]}],
      "cards":[{"name":"Card","holder":"A B","number":"\(cardNumber)","expiry":"2031-12","cvc":"\(cardCVC)",
       "notes":"\(cardNotes)",\(field(cardField))}],
      "notes":[{"title":"Note","text":"\(note)",\(field(noteField))}],
      "documents":[{"id":"\(Self.documentID)","kind":"server","server":"https://docs.example","account":"a",
       "masterKey":"\(key)","wraps":[{"id":"0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b","kind":"\(wraps)"}]}],
      "problems":[],"lost":[]}
      """
  }

  static let documentID = "6f1c2b7e-5a0d-4a8e-9b1f-2d3c4e5f6a7b"

  static func base32(_ bytes: [UInt8]) -> String {
    // EXPOSE: made up, and worth nothing.
    Base32.encode(SecretValue(bytes)).exposedText() ?? ""
  }

  // MARK: - Chance

  private static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private static func seed() -> [UInt8] { bytes(20) }

  // Capitals and digits: nothing of it is escaped in JSON, a URI or a shell.
  private static func text() -> String { "Leak" + base32(bytes(15)) }

  // In groups that no rule finds weak.
  private static func phrase() -> String { (0..<5).map { _ in text().dropFirst(4).prefix(6) }.joined(separator: " ") }

  private static func digits(_ count: Int) -> String {
    (0..<count).map { place in String(Int.random(in: place == 0 ? 1...9 : 0...9)) }.joined()
  }
}
