internal import SeifBytes

/// Passwords from before for which a login's history has no room: they become fields of the person's own, since only what
/// the vault itself puts into a history may push others out.
enum HistoryOverflow {
  private static let fieldName = "previous password"

  /// The field that a row becomes, with its date and whatever isn't understood of it.
  static func field(_ row: PreviousPassword) -> CustomField {
    var opaque = row.opaque
    if let changedAt = row.changedAt {
      var writer = JSONWriter()
      writer.string(changedAt.rfc3339)
      opaque += OpaqueMerge.gained([OpaqueMember(key: "changedAt", value: writer.finish())], beside: opaque)
    }
    return CustomField(
      name: fieldName, value: row.password, isSecret: true, opaque: opaque.sorted { utf8Precedes($0.key, $1.key) })
  }

  /// The fields of a login that were rows.
  static func fields(of login: Password) -> [CustomField] {
    login.info.customFields.filter { $0.isSecret && utf8Equal($0.name, fieldName) }
  }

  /// The login with at most so many rows.
  static func fit(_ login: Password, _ count: Int) -> Password {
    guard login.history.count > count else { return login }
    var login = login
    var known = Set(fields(of: login).map { FieldKey($0) })
    for row in login.history[count...] {
      let field = field(row)
      if known.insert(FieldKey(field)).inserted { login.info.customFields.append(field) }
    }
    login.history.removeLast(login.history.count - count)
    return login
  }
}
