/// Why a store or the client of a document vault didn't do what it was asked. Holds places and codes; never a key, and
/// never a document's name or contents.
package struct DocumentError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    case notFound, exists, noPermission, notAFolder, full, readOnly, tooLarge, failed
    /// The manifest isn't the one that was expected: `current` is the one that is there.
    case conflict
    /// A copy that was changed where it lies: bringing it up to date would take that away.
    case otherCopy
    /// It was deleted less than 30 days ago, and its identifier isn't given again.
    case gone
    /// The last way in can't be removed.
    case lastKeyWrap
    /// There are as many ways in as a vault may have.
    case tooManyKeyWraps
    /// Another program writes there at the moment.
    case locked
    /// What is there isn't what a store of this kind writes.
    case damaged
    /// A source gave other bytes, or fewer or more, than it had announced.
    case sourceChanged
    /// It is no regular file.
    case notAFile
    /// The place shows an older or another state than this client has seen: nothing is written.
    case rollback
    /// The person ended it.
    case cancelled
    /// The key doesn't open it, or it was altered.
    case cannotOpen
    /// It was written by a later version, or isn't understood: it is not overwritten.
    case notUnderstood
    /// What was asked for can't be done to this document or folder.
    case notPossible
    /// The kind of file isn't one that a vault takes.
    case notAllowed
    /// No vault is there yet.
    case noVault
    /// The server wants a sign-in, or a newer one.
    case notSignedIn, notFresh
  }
  /// What failed.
  package var code: Code
  /// The folder, file or server, as the person knows it.
  package var place: String
  /// What the system said, or which part is meant; never contents.
  package var reason: String
  /// Of a `conflict`: the manifest that is there, nil for none.
  package var current: ManifestTag?

  package init(_ code: Code, place: String, reason: String = "", current: ManifestTag? = nil) {
    self.code = code
    self.place = place
    self.reason = reason
    self.current = current
  }

  package static func == (left: DocumentError, right: DocumentError) -> Bool { left.code == right.code }

  package var description: String {
    let what = code.words(for: place)
    return reason.isEmpty ? what : "\(what) (\(reason))"
  }
}

extension DocumentError.Code {
  fileprivate func words(for place: String) -> String {
    switch self {
    case .notFound: "\(place) isn't there"
    case .exists: "\(place) exists already"
    case .noPermission: "there is no permission for \(place)"
    case .notAFolder: "\(place) isn't a folder"
    case .full: "there is no space left for \(place)"
    case .readOnly: "\(place) can't be written to: the file system is read-only"
    case .tooLarge: "\(place) is larger than the limit"
    case .failed: "\(place) couldn't be read or written"
    case .conflict: "\(place) was changed by somebody else meanwhile"
    case .otherCopy: "\(place) was changed where it lies, and this vault hasn't those changes"
    case .gone: "\(place) was deleted, and its identifier isn't given again"
    case .lastKeyWrap: "the last way into \(place) can't be removed"
    case .tooManyKeyWraps: "\(place) has as many ways in as a vault may have"
    case .locked: "another program writes to \(place)"
    case .damaged: "\(place) is damaged"
    case .sourceChanged: "\(place): the file changed while it was read"
    case .notAFile: "\(place) isn't a regular file"
    case .rollback: "\(place) shows an older or another state than was seen before: nothing was written"
    case .cancelled: "\(place): ended before it was done"
    case .cannotOpen: "\(place) can't be opened with this key, or was altered"
    case .notUnderstood: "\(place) isn't understood, so nothing was written"
    case .notPossible: "\(place): that can't be done"
    case .notAllowed: "\(place): a document vault doesn't take files of this kind"
    case .noVault: "there is no document vault at \(place)"
    case .notSignedIn: "\(place) doesn't know this machine, or no longer"
    case .notFresh: "\(place) wants to see again who you are"
    }
  }
}
