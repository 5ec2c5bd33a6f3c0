internal import SeifBytes
internal import SeifServerStore

extension ServerStoreConformance {
  static let accounts: [Check] = [
    Check("an account's name is taken once, whatever its case") { store in
      try account(store, 1, name: "ada")
      let second = try store.makeAccount(
        AccountRow(id: id(2), name: "ADA", quota: 1, createdAt: at(0)),
        enrolment: EnrolmentRow(account: id(2), tokenHash: hash(2), endsAt: at(10)))
      try expect(!second, "a taken name was given twice")
      try equal(try store.account(named: "Ada")?.id, try id(1), "the account by its name")
      try equal(try store.account(id(2)), nil, "the account that wasn't made")
    },
    Check("accounts are listed by name in pages") { store in
      for number in [3, 1, 2, 5, 4] { try account(store, number) }
      var names: [String] = []
      while true {
        let page = try store.accounts(after: names.last, limit: 2)
        if page.isEmpty { break }
        names += page.map(\.name)
      }
      try equal(names, (1...5).map { "person\($0)" }, "names")
    },
    Check("an account is changed in all that it holds, and read as it was written") { store in
      let account = try account(store, 1)
      let changed = try store.updateAccount(account) { row in
        (row.password, row.totp, row.totpOffered) = (password, [1], [2])
        (row.isDisabled, row.quota, row.tellsUsage) = (true, 77, true)
      }
      try equal(changed?.quota, 77, "what the change gave")
      try equal(try store.account(account), changed, "what was stored")
      try equal(try store.updateAccount(id(9)) { $0.quota = 1 }, nil, "a change of no account")
    },
    Check("a link is good once and not after its end, and ends all sessions") { store in
      let account = try account(store, 1)
      try session(store, account, 1)
      try equal(try store.useEnrolment(tokenHash: hash(8), password: password, at: at(1)), nil, "an unknown link")
      try equal(try store.useEnrolment(tokenHash: hash(1), password: password, at: at(1000)), nil, "a link at its end")
      let used = try store.useEnrolment(tokenHash: hash(1), password: password, at: at(999))
      try equal(used?.password, password, "the password")
      try equal(try store.sessions(account), [], "sessions after a new password")
      try equal(try store.useEnrolment(tokenHash: hash(1), password: password, at: at(999)), nil, "a used link")
    },
    Check("a link can be looked at before it is used, and is none for a disabled account") { store in
      let account = try account(store, 1)
      for _ in 0..<2 { try equal(try store.enrolment(tokenHash: hash(1), at: at(999))?.id, account, "whose it is") }
      try equal(try store.enrolment(tokenHash: hash(1), at: at(1000)), nil, "a link at its end")
      _ = try store.updateAccount(account) { $0.isDisabled = true }
      try equal(try store.enrolment(tokenHash: hash(1), at: at(1)), nil, "of a disabled account")
      try equal(
        try store.useEnrolment(tokenHash: hash(1), password: password, at: at(1)), nil, "used by a disabled one")
    },
    Check("a new link takes the place of the earlier one") { store in
      let account = try account(store, 1)
      try store.putEnrolment(EnrolmentRow(account: account, tokenHash: hash(2), endsAt: at(2000)))
      try equal(try store.useEnrolment(tokenHash: hash(1), password: password, at: at(1)), nil, "the earlier link")
      try expect(
        try store.useEnrolment(tokenHash: hash(2), password: password, at: at(1)) != nil, "the new link wasn't good")
    },
    Check("with an account goes all that belongs to it, and nothing of another") { store in
      let (gone, other) = (try account(store, 1), try account(store, 2))
      for (number, account) in [gone, other].enumerated() {
        try session(store, account, number)
        try object(store, account, 10 + number)
        _ = try reserved(store, account, 20 + number, 5)
        _ = try stored(store.replaceManifest(account, [1], expecting: nil, at: at(0)))
        _ = try store.putKeyWrap(account, wrap(1), limit: 4)
        try store.setSignInCodes(account, hashes: [hash(number)])
        try store.setUsage(
          account, month: "2026-12", rows: [UsageRow(month: "2026-12", kind: "text", count: 1, byteCount: 2)])
      }
      try expect(try store.removeAccount(gone), "an account wasn't removed")
      try expect(try !store.removeAccount(gone), "an account was removed twice")
      try equal(try store.account(gone), nil, "the account")
      try equal(try store.session(idHash: hash(0)), nil, "its session")
      try equal(try store.status(gone), VaultStatus(), "its vault")
      try equal(try store.manifest(gone), nil, "its manifest")
      try equal(try store.keyWraps(gone), [], "its ways in")
      try equal(try store.usage(gone), [], "its totals")
      try equal(try store.blobs(after: nil, limit: 10).map(\.blob), [try id(1_000_011)], "blobs that are named")
      try equal(
        try store.status(other), VaultStatus(manifestVersion: 1, objectCount: 1, byteCount: 10, keyWrapCount: 1),
        "the other's vault")
      try equal(try store.signInCodeCount(other), 1, "the other's codes")
    },
  ]

  static let signIn: [Check] = [
    Check("a credential is known once, and an account has so many") { store in
      let (one, two) = (try account(store, 1), try account(store, 2))
      let first = passkey(one, 1, signCount: 0)
      try expect(try store.addPasskey(first, limit: 1), "a credential wasn't added")
      try expect(try !store.addPasskey(passkey(two, 1, signCount: 0), limit: 5), "a known credential was added")
      try expect(try !store.addPasskey(passkey(one, 2, signCount: 0), limit: 1), "more than the limit")
      try equal(try store.passkeys(one), [first], "credentials")
      try expect(try !store.removePasskey(two, credentialID: hash(1)), "somebody else removed a credential")
      try expect(try store.removePasskey(one, credentialID: hash(1)), "a credential wasn't removed")
    },
    Check("a credential's counter goes forward, or stays at nothing") { store in
      let account = try account(store, 1)
      _ = try store.addPasskey(passkey(account, 1, signCount: 0), limit: 5)
      try expect(try store.usePasskey(credentialID: hash(1), signCount: 0, at: at(1)), "nothing after nothing")
      try expect(try store.usePasskey(credentialID: hash(1), signCount: 5, at: at(2)), "a higher counter")
      try expect(try !store.usePasskey(credentialID: hash(1), signCount: 5, at: at(3)), "the same counter again")
      try expect(try !store.usePasskey(credentialID: hash(1), signCount: 4, at: at(3)), "a lower counter")
      try expect(try !store.usePasskey(credentialID: hash(2), signCount: 9, at: at(3)), "an unknown credential")
      let row = try store.passkey(credentialID: hash(1))
      try equal(row?.signCount, 5, "the counter")
      try equal(row?.usedAt, at(2), "the time of use")
    },
    Check("a period of a second factor is used once, in order, until the secret is another") { store in
      let account = try account(store, 1)
      _ = try store.updateAccount(account) { $0.totp = [1] }
      try expect(try store.useTOTPStep(account, step: 10), "the first use")
      try expect(try !store.useTOTPStep(account, step: 10), "the same again")
      try expect(try !store.useTOTPStep(account, step: 9), "an earlier one")
      _ = try store.updateAccount(account) { $0.quota = 5 }
      try expect(try !store.useTOTPStep(account, step: 10), "the same again after a change of something else")
      _ = try store.updateAccount(account) { $0.totp = [2] }
      try expect(try store.useTOTPStep(account, step: 10), "the first use of another secret")
    },
    Check("a code for signing in is good once and for its own account") { store in
      let (one, two) = (try account(store, 1), try account(store, 2))
      try store.setSignInCodes(one, hashes: [hash(1), hash(2)])
      try expect(try !store.useSignInCode(two, hash: hash(1)), "somebody else's code")
      try expect(try store.useSignInCode(one, hash: hash(1)), "a code")
      try expect(try !store.useSignInCode(one, hash: hash(1)), "a used code")
      try equal(try store.signInCodeCount(one), 1, "codes that are left")
      try store.setSignInCodes(one, hashes: [hash(3)])
      try expect(try !store.useSignInCode(one, hash: hash(2)), "a code that was replaced")
    },
    Check("sessions are touched, freshened and ended by themselves or all but one") { store in
      let (one, two) = (try account(store, 1), try account(store, 2))
      for number in 1...3 { try session(store, one, number) }
      try session(store, two, 4)
      try store.touchSession(idHash: hash(1), at: at(9))
      try store.touchSession(idHash: hash(1), at: at(3))
      try store.freshenSession(idHash: hash(1), at: at(8))
      let row = try store.session(idHash: hash(1))
      try equal(row?.usedAt, at(9), "the time of use, which doesn't go back")
      try equal(row?.freshAt, at(8), "the time of the last sign")
      try expect(try !store.endSession(two, handle: id(103)), "somebody else ended a session")
      try expect(try store.endSession(one, handle: id(103)), "a session wasn't ended")
      try store.endSessions(one, but: hash(2))
      try equal(try store.sessions(one).map(\.idHash), [hash(2)], "sessions")
      try store.endSessions(one, but: nil)
      try equal(try store.sessions(one), [], "sessions after the last")
      try equal(try store.sessions(two).count, 1, "the other's sessions")
    },
    Check("tokens are so many, and are read, used and removed") { store in
      let (one, two) = (try account(store, 1), try account(store, 2))
      var row = TokenRow(
        id: try id(5), hash: hash(5), account: one, label: "laptop", writes: true, createdAt: at(0), usedAt: at(0))
      try expect(try store.makeToken(row, limit: 1), "a token wasn't made")
      var more = row
      (more.id, more.hash) = (try id(6), hash(6))
      try expect(try !store.makeToken(more, limit: 1), "more than the limit")
      try store.touchToken(hash: hash(5), at: at(4))
      try store.freshenToken(hash: hash(5), at: at(3))
      (row.usedAt, row.freshAt) = (at(4), at(3))
      try equal(try store.token(hash: hash(5)), row, "the token")
      try expect(try !store.removeToken(two, id: id(5)), "somebody else removed a token")
      try expect(try store.removeToken(one, id: id(5)), "a token wasn't removed")
      try equal(try store.tokens(one), [], "tokens")
    },
  ]

  static let passwords: [Check] = [
    Check("another password ends all sessions but one, and a sign-in by the old one comes to nothing") { store in
      let account = try account(store, 1)
      let old = PasswordHash(memoryKiB: 8, passes: 1, lanes: 1, salt: [1], hash: [1])
      let new = PasswordHash(memoryKiB: 8, passes: 1, lanes: 1, salt: [2], hash: [2])
      try expect(try store.setPassword(account, old, keeping: nil), "the password wasn't set")
      for number in 1...3 { try session(store, account, number) }
      try expect(try store.setPassword(account, new, keeping: hash(2)), "the password wasn't changed")
      try equal(try store.sessions(account).map(\.idHash), [hash(2)], "sessions")
      let late = try SessionRow(
        idHash: hash(9), handle: id(109), account: account, createdAt: at(0), usedAt: at(0), freshAt: at(0), agent: "x")
      try expect(try !store.makeSession(late, password: old), "a sign-in by the old password was taken")
      try expect(try !store.makeSession(late, password: nil), "a sign-in by no password was taken")
      _ = try store.updateAccount(account) { $0.isDisabled = true }
      try expect(try !store.makeSession(late, password: new), "a disabled account was signed in")
      try expect(try !store.setPassword(id(77), new, keeping: nil), "nobody's password was set")
    }
  ]

  static func session(_ store: Store, _ account: UUID, _ number: Int) throws {
    let row = try SessionRow(
      idHash: hash(number), handle: id(100 + number), account: account, createdAt: at(0), usedAt: at(0),
      freshAt: at(0), agent: "browser")
    let password = try store.account(account)?.password
    try expect(try store.makeSession(row, password: password), "a session wasn't made")
  }

  private static func passkey(_ account: UUID, _ number: Int, signCount: UInt32) -> PasskeyRow {
    PasskeyRow(
      account: account, credentialID: hash(number), publicKey: [UInt8](repeating: 4, count: 65), signCount: signCount,
      label: "key", createdAt: at(0))
  }
}
