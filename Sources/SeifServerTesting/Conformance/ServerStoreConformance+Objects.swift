internal import SeifBytes
internal import SeifServerStore

extension ServerStoreConformance {
  static let objects: [Check] = [
    Check("an object is there once it is kept, and not before") { store in
      let account = try account(store, 1)
      let reservation = try reserved(store, account, 5, 100)
      try equal(try store.object(account, id(5)), nil, "before it is kept")
      try equal(try store.status(account), VaultStatus(), "the status before it is kept")
      let outcome = try store.keep(reservation, blob: id(50), byteCount: 60, sha256: hash(5), at: at(1))
      try equal(outcome, .stored, "keeping")
      let row = ObjectRow(id: try id(5), blob: try id(50), byteCount: 60, sha256: hash(5), createdAt: at(1))
      try equal(try store.object(account, id(5)), row, "the object")
      try equal(try store.status(account), VaultStatus(objectCount: 1, byteCount: 60), "the status")
      try equal(
        try store.reserve(account, id(5), byteCount: 1, limits: plenty, at: at(2)), .present(row), "the same again")
      try equal(
        try store.keep(reservation, blob: id(51), byteCount: 60, sha256: hash(5), at: at(1)), .lost, "kept twice")
    },
    Check("of two that race for one identifier the first is kept") { store in
      let account = try account(store, 1)
      let (one, two) = (try reserved(store, account, 5, 10), try reserved(store, account, 5, 10))
      try equal(try store.keep(two, blob: id(52), byteCount: 10, sha256: hash(2), at: at(1)), .stored, "the faster")
      let row = try store.object(account, id(5))
      let late = try store.keep(one, blob: id(51), byteCount: 10, sha256: hash(1), at: at(2))
      try equal(late, row.map { .present($0) }, "the slower")
      try equal(try store.status(account), VaultStatus(objectCount: 1, byteCount: 10), "the status")
    },
    Check("room is taken before the body comes, and given back") { store in
      let account = try account(store, 1)
      let limits = VaultLimits(objectCount: 3, byteCount: 100)
      let one = try reserved(store, account, 1, 60, limits)
      func outcome(_ object: Int, _ byteCount: Int) throws -> ReserveOutcome {
        try store.reserve(account, id(object), byteCount: byteCount, limits: limits, at: at(0))
      }
      try equal(try outcome(2, 41), .overQuota, "more than is left beside a reservation")
      let two = try reserved(store, account, 2, 40, limits)
      try equal(try outcome(3, 1), .overQuota, "a byte more than the quota")
      _ = try reserved(store, account, 3, 0, limits)
      try equal(try outcome(4, 0), .tooManyObjects, "one more than the number")
      try store.drop(one)
      try store.drop(one)
      try equal(try store.keep(one, blob: id(9), byteCount: 1, sha256: hash(1), at: at(0)), .lost, "dropped")
      // What is kept takes the room that it needs, not what was reserved.
      try equal(try store.keep(two, blob: id(8), byteCount: 10, sha256: hash(1), at: at(0)), .stored, "kept")
      _ = try reserved(store, account, 6, 90, limits)
      try equal(try outcome(7, 0), .tooManyObjects, "one more than the number again")
    },
    Check("more than was reserved isn't kept") { store in
      let account = try account(store, 1)
      let reservation = try reserved(store, account, 1, 10)
      try equal(
        try store.keep(reservation, blob: id(9), byteCount: 11, sha256: hash(1), at: at(0)), .lost, "a byte more")
      try equal(try store.status(account), VaultStatus(), "the status")
    },
    Check("objects are listed by identifier in pages of at most 1000, each account's alone") { store in
      let (account, other) = (try account(store, 1), try account(store, 2))
      for number in (0..<1100).reversed() { try object(store, account, number, 1) }
      try object(store, other, 5000)
      let first = try store.objects(account, after: nil, limit: 5000)
      try equal(first.map(\.id), try (0..<1000).map(id), "the first page")
      let rest = try store.objects(account, after: first.last?.id, limit: 5000)
      try equal(rest.map(\.id), try (1000..<1100).map(id), "the second page")
      try equal(try store.objects(account, after: rest.last?.id, limit: 9), [], "after the last")
      try equal(try store.objects(account, after: id(3), limit: 2).map(\.id), [try id(4), try id(5)], "a short page")
      try equal(try store.status(account), VaultStatus(objectCount: 1100, byteCount: 1100), "the status")
    },
    Check("blobs that objects name are told apart and listed in order") { store in
      let account = try account(store, 1)
      for number in 1...5 { try object(store, account, number) }
      _ = try store.delete(account, id(2), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(1))
      let unnamed = try id(77)
      try equal(
        try store.named([id(1_000_001), id(1_000_002), unnamed]), [try id(1_000_001), try id(1_000_002)], "named")
      var found: [UUID] = []
      while true {
        let page = try store.blobs(after: found.last, limit: 2)
        if page.isEmpty { break }
        found += page.map(\.blob)
      }
      try equal(found, try (1...5).map { try id(1_000_000 + $0) }, "all blobs")
    },
  ]

  static let trash: [Check] = [
    Check("a deleted object is gone, takes no quota, and comes back") { store in
      let account = try account(store, 1)
      try object(store, account, 1, 60)
      _ = try store.delete(account, id(1), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(1))
      _ = try store.delete(account, id(1), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(2))
      _ = try store.delete(account, id(9), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(2))
      try equal(try store.object(account, id(1)), nil, "the object")
      try equal(try store.objects(account, after: nil, limit: 9), [], "the list")
      try equal(try store.status(account), VaultStatus(), "the status")
      try equal(try store.reserve(account, id(1), byteCount: 1, limits: plenty, at: at(3)), .gone, "its identifier")
      let tight = VaultLimits(objectCount: 2, byteCount: 100)
      let other = try reserved(store, account, 2, 50, tight)
      try equal(try store.restore(account, id(1), limits: tight), .overLimit, "restoring over the quota")
      try store.drop(other)
      try equal(try store.restore(account, id(1), limits: tight), .restored, "restoring")
      try equal(try store.restore(account, id(1), limits: tight), .present, "restoring again")
      try equal(try store.restore(account, id(9), limits: tight), .notFound, "restoring nothing")
      try equal(try store.status(account), VaultStatus(objectCount: 1, byteCount: 60), "the status afterwards")
    },
    Check("the trash holds so many bytes, and the oldest go first") { store in
      let account = try account(store, 1)
      for number in 1...4 {
        try object(store, account, number, 40)
        // The order of deletion isn't that of the identifiers.
        _ = try store.delete(
          account, id(number), trash: VaultLimits(objectCount: 9, byteCount: 100),
          at: at(number == 1 ? 3 : number == 3 ? 1 : 2))
      }
      let restored = try (1...4).map { try store.restore(account, id($0), limits: plenty) }
      try equal(restored, [.restored, .notFound, .notFound, .restored], "what came back")
    },
    Check("one that is larger than the whole trash is gone for good") { store in
      let account = try account(store, 1)
      try object(store, account, 1, 101)
      _ = try store.delete(account, id(1), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(1))
      try equal(try store.restore(account, id(1), limits: plenty), .notFound, "restoring it")
      try equal(try store.named([id(1_000_001)]), [], "its blob")
    },
    Check("the trash has as many objects as it may have, and the oldest go first") { store in
      let account = try account(store, 1)
      let limits = VaultLimits(objectCount: 2, byteCount: 1_000)
      for number in 1...3 { try object(store, account, number) }
      try equal(try store.delete(account, id(1), trash: limits, at: at(1)), [], "blobs that may go")
      try equal(try store.delete(account, id(2), trash: limits, at: at(2)), [], "blobs that may go")
      try equal(try store.delete(account, id(3), trash: limits, at: at(3)), [id(1_000_001)], "blobs that may go")
      let restored = try (1...3).map { try store.restore(account, id($0), limits: plenty) }
      try equal(restored, [.notFound, .restored, .restored], "what came back")
    },
    Check("the trash and reservations end at their times, and blobs that go are told") { store in
      let account = try account(store, 1)
      for number in 1...3 { try object(store, account, number) }
      _ = try store.delete(account, id(1), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(10))
      _ = try store.delete(account, id(2), trash: VaultLimits(objectCount: 9, byteCount: 100), at: at(20))
      let (old, new) = (try reserved(store, account, 5, 1, at: 10), try reserved(store, account, 6, 1, at: 20))
      let gone = try store.sweep(trash: at(20), reservations: at(20), limit: 100)
      try equal(gone, [try id(1_000_001)], "blobs that may go")
      try equal(try store.sweep(trash: at(20), reservations: at(20), limit: 100), [], "a second sweep")
      try equal(try store.keep(old, blob: id(8), byteCount: 1, sha256: hash(1), at: at(30)), .lost, "swept")
      try equal(try store.keep(new, blob: id(9), byteCount: 1, sha256: hash(1), at: at(30)), .stored, "not swept")
      try equal(try store.restore(account, id(1), limits: plenty), .notFound, "swept trash")
      try equal(try store.restore(account, id(2), limits: plenty), .restored, "trash that isn't over")
      try object(store, account, 1)
    },
  ]

  static let keyWraps: [Check] = [
    Check("a row of a way in is created once, and there are so many") { store in
      let account = try account(store, 1)
      try equal(try store.putKeyWrap(account, wrap(2), limit: 2), .stored, "the first")
      try equal(try store.putKeyWrap(account, wrap(2), limit: 2), .present, "the same again")
      try equal(try store.putKeyWrap(account, wrap(2, 6), limit: 2), .other, "another under its identifier")
      let passkey = KeyWrapRow(
        id: try id(1), kind: "passkey", credentialID: [1, 2], wrappedKey: [UInt8](repeating: 1, count: 60),
        createdAt: at(0))
      try equal(try store.putKeyWrap(account, passkey, limit: 2), .stored, "the second")
      try equal(try store.putKeyWrap(account, wrap(3), limit: 2), .tooMany, "one more than the number")
      try equal(try store.keyWraps(account), [passkey, try wrap(2)], "rows by identifier")
    },
    Check("the last way in stays, and a deleted one comes back") { store in
      let account = try account(store, 1)
      for number in 1...2 { _ = try store.putKeyWrap(account, wrap(number), limit: 2) }
      try equal(try store.deleteKeyWrap(account, id(1), at: at(1)), .done, "deleting")
      try equal(try store.deleteKeyWrap(account, id(1), at: at(1)), .done, "deleting again")
      try equal(try store.deleteKeyWrap(account, id(2), at: at(1)), .last, "deleting the last")
      try equal(try store.putKeyWrap(account, wrap(1), limit: 2), .other, "a deleted row's identifier")
      try equal(try store.restoreKeyWrap(account, id(1), limit: 1), .overLimit, "restoring over the number")
      try equal(try store.restoreKeyWrap(account, id(1), limit: 2), .restored, "restoring")
      try equal(try store.restoreKeyWrap(account, id(1), limit: 2), .present, "restoring again")
      try equal(try store.restoreKeyWrap(account, id(8), limit: 9), .notFound, "restoring nothing")
    },
    Check("a rotation replaces rows and manifest together or not at all, and the old rows are trash") { store in
      let account = try account(store, 1)
      let tag = try stored(store.replaceManifest(account, [1], expecting: nil, at: at(0)))
      for number in 1...2 { _ = try store.putKeyWrap(account, wrap(number), limit: 4) }
      let rotated = [try wrap(2, 6), try wrap(3, 6)]
      let wrong = ManifestTag(version: 1, blob: [8])
      try equal(
        try store.replaceKeyWraps(account, rotated, manifest: [2], expecting: wrong, at: at(1)), .conflict(tag),
        "another manifest named")
      try equal(try store.keyWraps(account), [try wrap(1), try wrap(2)], "rows after a conflict")
      let next = try stored(store.replaceKeyWraps(account, rotated, manifest: [2], expecting: tag, at: at(1)))
      try equal(try store.manifest(account)?.tag, next, "the manifest")
      try equal(try store.keyWraps(account), rotated, "rows")
      try equal(try store.restoreKeyWrap(account, id(1), limit: 4), .restored, "an old row from the trash")
      _ = try store.deleteKeyWrap(account, id(1), at: at(2))
      _ = try store.sweep(trash: at(3), reservations: at(3), limit: 9)
      try equal(try store.restoreKeyWrap(account, id(1), limit: 4), .notFound, "an old row after its time")
    },
  ]
}
