internal import SeifBytes
internal import SeifServerStore

extension ServerStoreConformance {
  static let shortLived: [Check] = [
    Check("a device waits under a code of its own until one decision, in time") { store in
      let account = try account(store, 1)
      try expect(try store.makeDeviceGrant(grant(1, "BCDFGHJK"), limit: 2), "a grant wasn't made")
      try expect(try !store.makeDeviceGrant(grant(2, "BCDFGHJK"), limit: 2), "a code was given twice")
      try expect(try store.makeDeviceGrant(grant(3, "LMNPQRST"), limit: 2), "a second grant wasn't made")
      try expect(try !store.makeDeviceGrant(grant(4, "VWXZBCDF"), limit: 2), "more than the limit")
      try expect(
        try !store.decideDeviceGrant(userCode: "BCDFGHJK", .granted(account), at: at(600)), "granted at its end")
      try expect(
        try store.decideDeviceGrant(userCode: "BCDFGHJK", .granted(account), at: at(5)), "it wasn't granted")
      try expect(try !store.decideDeviceGrant(userCode: "BCDFGHJK", .denied, at: at(6)), "decided twice")
      try equal(try store.deviceGrant(deviceHash: hash(1))?.decision, .granted(account), "the decision")
      try expect(try store.decideDeviceGrant(userCode: "LMNPQRST", .denied, at: at(5)), "it wasn't denied")
      try equal(try store.deviceGrant(userCode: "LMNPQRST")?.decision, .denied, "the denial")
    },
    Check("a device's questions are noted, and its grant is taken by one") { store in
      try expect(try store.makeDeviceGrant(grant(1, "BCDFGHJK"), limit: 2), "a grant wasn't made")
      try equal(try store.pollDeviceGrant(deviceHash: hash(1), at: at(1)), nil, "the first question")
      try equal(try store.pollDeviceGrant(deviceHash: hash(1), at: at(4)), at(1), "the question before")
      try expect(try store.removeDeviceGrant(deviceHash: hash(1)), "the grant wasn't taken")
      try expect(try !store.removeDeviceGrant(deviceHash: hash(1)), "the grant was taken twice")
    },
    Check("a challenge is used once") { store in
      let account = try account(store, 1)
      let row = ChallengeRow(hash: hash(1), purpose: .freshen, account: account, endsAt: at(60))
      try expect(try store.makeChallenge(row, limit: 1), "a challenge wasn't made")
      try expect(
        try !store.makeChallenge(
          ChallengeRow(hash: hash(2), purpose: .signIn, account: nil, endsAt: at(60)), limit: 1), "more than the limit")
      try equal(try store.useChallenge(hash: hash(1)), row, "the challenge")
      try equal(try store.useChallenge(hash: hash(1)), nil, "a used challenge")
    },
    Check("attempts are counted by key in windows, and forgotten by key") { store in
      func count(_ keys: [Int], _ time: Int) throws -> [String] {
        try store.count(attempts: keys.map(hash), seconds: 60, at: at(time)).map { found in
          "\(found.count) \(found.before.map { "\($0.milliseconds - at(0).milliseconds)" } ?? "-")"
        }
      }
      try equal(try count([1, 2], 0), ["1 -", "1 -"], "the first")
      try equal(try count([1], 20), ["2 0"], "the second")
      try equal(try count([1, 2], 59), ["3 20000", "2 0"], "the last of the window")
      try equal(try count([1], 60), ["1 -"], "the first of the next window")
      try store.forget(attempts: hash(2))
      try equal(try count([2], 59), ["1 -"], "after they were forgotten")
    },
  ]

  static let manifests: [Check] = [
    Check("a manifest takes the place of exactly the one that is named") { store in
      let account = try account(store, 1)
      try equal(try store.manifest(account), nil, "before the first")
      let none = ManifestTag(version: 1, blob: [9])
      try equal(
        try store.replaceManifest(account, [1], expecting: none, at: at(0)), .conflict(nil), "one named where none is")
      let first = try stored(store.replaceManifest(account, [1], expecting: nil, at: at(0)))
      try equal(first, ManifestTag(version: 1, blob: [1]), "the first tag")
      try equal(
        try store.replaceManifest(account, [2], expecting: nil, at: at(0)), .conflict(first), "none named where one is")
      let second = try stored(store.replaceManifest(account, [2], expecting: first, at: at(0)))
      try equal(second.version, 2, "the second version")
      try equal(
        try store.replaceManifest(account, [3], expecting: first, at: at(0)), .conflict(second), "an old one named")
      try equal(try store.manifest(account), StoredManifest(version: 2, blob: [2]), "the newest")
      try equal(try store.status(account).manifestVersion, 2, "the version in the status")
    },
    Check("a manifest of 16 MiB is given back as it came") { store in
      let account = try account(store, 1)
      let blob = (0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      _ = try stored(store.replaceManifest(account, blob, expecting: nil, at: at(0)))
      try expect(try store.manifest(account)?.blob == blob, "other bytes came back")
    },
  ]

  static let sweeps: [Check] = [
    Check("what is over ends, and what isn't stays") { store in
      let account = try account(store, 1)
      try session(store, account, 1)
      try session(store, account, 2)
      try store.touchSession(idHash: hash(2), at: at(500))
      _ = try store.makeDeviceGrant(grant(1, "BCDFGHJK"), limit: 9)
      _ = try store.makeChallenge(
        ChallengeRow(hash: hash(1), purpose: .signIn, account: nil, endsAt: at(60)), limit: 9)
      let long = AccountSweep(sessionUse: at(400), sessionMade: at(0), tokenUse: at(0), now: at(599))
      try store.sweepAccounts(long)
      try equal(try store.sessions(account).map(\.idHash), [hash(2)], "sessions")
      try equal(try store.useChallenge(hash: hash(1)), nil, "the challenge")
      try expect(try store.deviceGrant(deviceHash: hash(1)) != nil, "a grant ended early")
      try store.sweepAccounts(AccountSweep(sessionUse: at(0), sessionMade: at(1), tokenUse: at(0), now: at(1000)))
      try equal(try store.sessions(account), [], "sessions that were made too long ago")
      try equal(try store.deviceGrant(deviceHash: hash(1)), nil, "the grant")
      try equal(
        try store.useEnrolment(tokenHash: hash(1), password: password, at: at(1)), nil, "a link that was swept")
    },
    Check("one month's totals take the place of what was told of it") { store in
      let account = try account(store, 1)
      let (text, image) = (
        UsageRow(month: "2026-12", kind: "text", count: 1, byteCount: 2),
        UsageRow(month: "2026-11", kind: "image", count: 3, byteCount: 4)
      )
      try store.setUsage(account, month: "2026-12", rows: [text])
      try store.setUsage(account, month: "2026-11", rows: [image])
      try equal(try store.usage(account), [image, text], "totals by month")
      try store.setUsage(account, month: "2026-12", rows: [])
      try equal(try store.usage(account), [image], "totals that are left")
    },
  ]

  private static func grant(_ number: Int, _ code: String) -> DeviceGrantRow {
    DeviceGrantRow(deviceHash: hash(number), userCode: code, label: "laptop", writes: true, endsAt: at(600))
  }
}
