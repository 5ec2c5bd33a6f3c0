public import SeifBackups
public import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

extension WebDAVTransport {
  /// Sends a file under a temporary name, asks whether all of it is there, and moves it to its name, which the server
  /// refuses where that is taken. Of several writers of one name one has its turn.
  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard Self.isName(name) else {
      throw TransportError(.notFound, place: displayName, reason: "not a name of a file")
    }
    try removeLeftovers()
    let target = try file(name)
    let temporary = try file(TemporaryDAVName.make())
    if !createsConditionally { try refuseTaken(target, name) }
    do throws(TransportError) {
      try put(content, to: temporary, place: place(name))
      try checkSize(of: temporary, content.byteCount, name)
      let turn = try takeTurn(name)
      defer { if let turn { discard(turn) } }
      guard try move(temporary, to: target, content.byteCount, name) else {
        discard(temporary)
        return try uploadWithoutMove(content, target, name)
      }
    } catch {
      discard(temporary)
      throw error
    }
    // Where the server refuses nothing, another writer may have come between.
    if !createsConditionally { try checkSize(of: target, content.byteCount, name) }
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }

  /// Sends a file, whatever is at its address.
  func put(_ content: SecretValue, to address: HTTPAddress, place: String) throws(TransportError) {
    try put(content, to: address, [], place)
  }

  /// Removes a file that isn't a backup, without waiting and without asking whether it is gone.
  func discard(_ address: HTTPAddress) {
    _ = try? ask(HTTPRequest("DELETE", address.description), place: displayName, by: quickClient)
  }

  private func put(
    _ content: SecretValue, to address: HTTPAddress, _ fields: [HTTPField], _ place: String
  ) throws(TransportError) {
    let request = HTTPRequest(
      "PUT", address.description, fields: [HTTPField("Content-Type", "application/octet-stream")] + fields,
      body: content)
    let answer = try ask(request, place: place, by: client)
    guard (200..<300).contains(answer.status) else { throw DAVFault.error(status: answer.status, place: place) }
  }

  private func refuseTaken(_ target: HTTPAddress, _ name: String) throws(TransportError) {
    guard try byteCount(of: target, place: place(name)) == nil else {
      throw TransportError(.exists, place: place(name))
    }
  }

  // A server that says 201 may have stored the beginning alone.
  private func checkSize(of address: HTTPAddress, _ expected: Int, _ name: String) throws(TransportError) {
    guard let stored = try byteCount(of: address, place: place(name)) else {
      throw TransportError(.incomplete, place: place(name), reason: "the server said that it is stored, and it isn't")
    }
    // Some servers leave out a size of zero.
    guard stored == expected || (stored < 0 && expected == 0) else {
      throw TransportError(
        .incomplete, place: place(name),
        reason: stored < 0
          ? "the server doesn't say how much of it is stored" : "\(stored) of \(expected) bytes are stored")
    }
  }

  // Servers look whether a name is taken and rename then, so that two writers at once are both told "done" (of 300 pairs at
  // Apache 35 were). Making a folder is one step with them: who makes the one of this name has the turn. Nil: no turn is
  // needed, or this server makes no folders.
  private func takeTurn(_ name: String) throws(TransportError) -> HTTPAddress? {
    guard createsConditionally else { return nil }
    let turn = try folder(TemporaryDAVName.turn(for: name))
    let answer = try ask(
      HTTPRequest("MKCOL", turn.description, isIdempotent: false), place: place(name), by: client)
    if answer.status == 201 { return turn }
    guard try byteCount(of: turn, place: place(name)) == nil else {
      throw TransportError(.exists, place: place(name), reason: "another writer is storing it")
    }
    return nil
  }

  // Gives a file its name; false: the server can't do that.
  private func move(
    _ temporary: HTTPAddress, to target: HTTPAddress, _ byteCount: Int, _ name: String
  ) throws(TransportError) -> Bool {
    let request = HTTPRequest(
      "MOVE", temporary.description,
      fields: [HTTPField("Destination", target.description), HTTPField("Overwrite", "F")], isIdempotent: false)
    let refusal: TransportError
    do throws(TransportError) {
      let answer = try ask(request, place: place(name), by: client)
      switch answer.status {
      case 200, 201, 204: return true
      case 405, 501: return false
      default: refusal = DAVFault.error(status: answer.status, place: place(name))
      }
    } catch {
      refusal = error
    }
    // It may have been done although nobody said so, and a second try may then have found nothing to move. The temporary
    // name is nobody else's: if it is gone, this file has been moved.
    guard try self.byteCount(of: temporary, place: place(name)) == nil,
      try self.byteCount(of: target, place: place(name)) == byteCount
    else { throw refusal }
    return true
  }

  // Directly to its name, for servers without MOVE; what came in part is removed again.
  private func uploadWithoutMove(
    _ content: SecretValue, _ target: HTTPAddress, _ name: String
  ) throws(TransportError) -> BackupDescriptor {
    try refuseTaken(target, name)
    do throws(TransportError) {
      try put(content, to: target, [HTTPField("If-None-Match", "*")], place(name))
      try checkSize(of: target, content.byteCount, name)
    } catch {
      // Where it was refused, what lies there is another writer's; and where nobody said so, it may be.
      guard [.incomplete, .unavailable, .timedOut].contains(error.code),
        let there = try? download(id: name, limit: content.byteCount), Self.isBeginning(there, of: content)
      else { throw error }
      guard there == content else {
        discard(target)
        throw error
      }
    }
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }

  private static func isBeginning(_ part: SecretValue, of whole: SecretValue) -> Bool {
    part.byteCount <= whole.byteCount
      && whole.withBytes { all in part.withBytes { constantTimeEqual($0, all.extracting(0..<part.byteCount)) } }
  }
}
