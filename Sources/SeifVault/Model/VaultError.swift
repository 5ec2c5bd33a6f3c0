package import SeifSQL

/// Why the vault could not do what was asked.
///
/// Holds a code and the names of fields, tables or files; never a value, a name of an entry or a passphrase. Two errors
/// are equal when their codes are.
public struct VaultError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A kind of failure.
  public enum Code: String, Sendable, Equatable, CaseIterable {
    /// There is no vault in the folder.
    case missing
    /// There is a vault in the folder already.
    case alreadyExists
    /// The file was made by a newer version; nothing was changed.
    case newerVersion
    /// The file has an older schema and was opened for reading only.
    case olderVersion
    /// The file is no vault.
    case notAVault
    /// The vault can't be written to, or was opened for reading only.
    case readOnly
    /// Another program is writing, and the wait for it ended; nothing was changed.
    case busy
    /// The disk is full; nothing was changed.
    case full
    /// Reading or writing failed.
    case io
    /// The file can't be opened: its path or its permissions.
    case cantOpen
    /// The file, or a value in it, is damaged or was altered.
    case damaged
    /// Bringing an older file up to date failed; it is as the last finished step left it.
    case migrationFailed
    /// None of the ways in opens with this passphrase or code, or they were altered: the two can't be told apart.
    case wrongPassphrase
    /// The vault has no way in of this kind.
    case noSuchWayIn
    /// No way in would be left that holds the vault when a machine is lost.
    case lastStrongWayIn
    /// A way in was neither presented nor given up.
    case wayInNotPresented
    /// There is no room for another way in.
    case tooManyWaysIn
    /// A device that is needed isn't there.
    case deviceMissing
    /// A device is there, and isn't the one that this way in was made with.
    case otherDevice
    /// A device refuses: a wrong PIN, mostly.
    case deviceRefused
    /// The machine didn't start as it did when this way in was made.
    case deviceChanged
    /// A device takes no more tries for now.
    case deviceLocked
    /// A recovery code isn't 24 characters of its alphabet.
    case malformedRecoveryCode
    /// A cost of a way in is out of range; no memory was taken.
    case costRefused
    /// There isn't enough memory.
    case outOfMemory
    /// A library that derives keys isn't installed.
    case libraryMissing
    /// The vault was locked meanwhile.
    case locked
    /// There is no such entry.
    case noSuchEntry
    /// An entry holds what can't be stored.
    case invalidEntry
    /// The entry has no counter.
    case noCounter
    /// The counter of the entry has reached its end.
    case counterExhausted
    /// There is nothing to undo.
    case nothingToUndo
    /// Contents don't match what the vault last wrote, so nothing is deleted for good.
    case unverified
    /// Another writer changed the vault after the change was planned.
    case changedMeanwhile
    /// A mistake in this program.
    case internalFailure
  }

  /// What kind of failure it was.
  public let code: Code
  /// Which field, table, file or step; empty where there is none.
  public let detail: String

  /// A failure.
  public init(_ code: Code, _ detail: String = "") {
    self.code = code
    self.detail = detail
  }

  public static func == (left: VaultError, right: VaultError) -> Bool { left.code == right.code }

  public var description: String {
    let text =
      switch code {
      case .missing: "there is no vault here; make one with init, or check the path"
      case .changedMeanwhile: "the vault was changed meanwhile; nothing was written, try again"
      case .alreadyExists: "there is a vault here already; nothing was changed"
      case .newerVersion: "this vault was made by a newer version; nothing was changed, update this program"
      case .olderVersion: "this vault is of an older version; open it once for writing to bring it up to date"
      case .notAVault: "this file is no vault; nothing was changed, check the path"
      case .readOnly: "the vault can't be written to; check the permissions of its folder"
      case .busy: "another program is writing to this vault; nothing was changed, try again in a moment"
      case .full: "the disk is full; the vault is as it was before, free some space and try again"
      case .io: "reading or writing the vault failed; nothing was changed, check the disk"
      case .cantOpen: "the vault can't be opened; check its path and permissions"
      case .damaged: "the vault is damaged or was altered; keep the file and restore a backup into a new vault"
      case .migrationFailed: "bringing the vault up to date failed; it is as the last finished step left it"
      case .wrongPassphrase: "this doesn't open the vault: it is not the right one, or the way in is damaged"
      case .noSuchWayIn: "this vault has no way in of this kind"
      case .lastStrongWayIn:
        "this is your last way in; add another before removing it, or the vault could never be opened again"
      case .wayInNotPresented: "a way in was neither presented nor given up; nothing was changed"
      case .tooManyWaysIn: "this vault has as many ways in as it can have; remove one first"
      case .deviceMissing: "a device that is needed isn't there"
      case .otherDevice: "this is another device than the one that this way in was made with"
      case .deviceRefused: "the device refuses"
      case .deviceChanged:
        "this machine didn't start as it did when this way in was made; open the vault by another one, and if you know "
          + "why, remove this one and add it again"
      case .deviceLocked: "the device takes no more tries for now"
      case .malformedRecoveryCode: "a recovery code has 24 letters and digits, without I, O, 0 and 1"
      case .costRefused: "a way in asks for more work than is allowed; nothing was derived"
      case .outOfMemory: "there isn't enough memory; close other programs and try again"
      case .libraryMissing: "this machine lacks what derives the vault's keys"
      case .locked: "the vault is locked; unlock it first"
      case .noSuchEntry: "there is no such entry"
      case .invalidEntry: "an entry holds what can't be stored; nothing was changed"
      case .noCounter: "this entry's codes don't go by a counter"
      case .counterExhausted: "this entry's counter has reached its end"
      case .nothingToUndo: "there is nothing to undo"
      case .unverified: "the contents don't match what was last written; nothing is deleted until they do"
      case .internalFailure: "this is a mistake in the program, please report it"
      }
    return detail.isEmpty ? text : text + " (\(detail))"
  }
}

extension VaultError: SQLErrorConvertible {
  package init(_ error: SQLError) {
    let code: Code =
      switch error.code {
      case .busy, .interrupted: .busy
      case .full: .full
      case .ioError, .unknown: .io
      case .corrupt, .wrongType, .invalidText: .damaged
      case .notADatabase, .foreignSchema: .notAVault
      case .readOnly: .readOnly
      case .cantOpen, .walUnavailable: .cantOpen
      case .alreadyExists: .alreadyExists
      case .tooBig: .invalidEntry
      case .outOfMemory: .outOfMemory
      case .newerSchema: .newerVersion
      case .migrationFailed:
        // A disk that is full or fails is that, whatever was being done.
        switch error.cause {
        case .readOnly: .olderVersion
        case .full: .full
        case .ioError: .io
        case .cantOpen: .cantOpen
        case .busy: .busy
        default: .migrationFailed
        }
      case .constraint: .damaged
      default: .internalFailure
      }
    var detail = error.message
    if let step = error.migration { detail = "step \(step): " + (error.cause?.name ?? "") + " " + detail }
    if error.extendedCode != 0 { detail += " [SQLite \(error.extendedCode)]" }
    self.init(code, detail)
  }
}
