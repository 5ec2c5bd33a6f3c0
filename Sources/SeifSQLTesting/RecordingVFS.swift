import CSQLite
import Glibc
import Synchronization

/// An SQLite VFS that stands before the usual one, writes down what is asked of the disk, and fails where told.
///
/// Registered under its name for as long as the process lives, since SQLite may hold on to it.
package final class RecordingVFS: Sendable {
  struct State {
    var events: [StorageEvent] = []
    var isRecording = true
    var known: Set<String> = []
    var calls: [StorageOperation: Int] = [:]
    var fault: StorageFault?
    var faultsFired = 0
  }

  package let name: String
  let state = Mutex(State())

  /// - Parameter name: unique within the process.
  package init(name: String) {
    self.name = name
    guard let real = sqlite3_vfs_find(nil), let copy = strdup(name) else {
      preconditionFailure("internal error: SQLite has no VFS")
    }
    var vfs = real.pointee
    vfs.pNext = nil
    vfs.zName = UnsafePointer(copy)
    vfs.szOsFile = Int32(ShimFile.headerSize) + real.pointee.szOsFile
    vfs.pAppData = Unmanaged.passRetained(self).toOpaque()
    vfs.xOpen = shimOpen
    vfs.xDelete = shimDelete
    vfs.xAccess = shimAccess
    // The rest doesn't look at its own VFS, so the usual one's functions serve as they are.
    let registered = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    registered.initialize(to: vfs)
    sqlite3_vfs_register(registered, 0)
  }

  /// All that was recorded.
  package var events: [StorageEvent] { state.withLock { $0.events } }

  /// Calls of each operation since the last `inject` or `resetCounts`.
  package var calls: [StorageOperation: Int] { state.withLock { $0.calls } }

  /// How many calls have failed by the fault set last.
  package var faultsFired: Int { state.withLock { $0.faultsFired } }

  /// Forgets the recording. Files opened from now on are taken down anew.
  package func forget() {
    state.withLock {
      $0.events = []
      $0.known = []
    }
  }

  /// Stops or goes on writing down; a fault sweep needs no bytes.
  package func setRecording(_ on: Bool) { state.withLock { $0.isRecording = on } }

  /// Notes that everything so far was confirmed.
  package func mark(_ number: Int) { record(.mark(number)) }

  /// Sets the next fault, or none, and starts counting calls from 0.
  package func inject(_ fault: StorageFault?) {
    state.withLock {
      $0.fault = fault
      $0.calls = [:]
      $0.faultsFired = 0
    }
  }

  func record(_ event: StorageEvent) {
    state.withLock { if $0.isRecording { $0.events.append(event) } }
  }

  /// Counts a call and gives the code that it must fail with, or `SQLITE_OK`.
  func count(_ operation: StorageOperation) -> Int32 {
    state.withLock { state in
      let call = (state.calls[operation] ?? 0) + 1
      state.calls[operation] = call
      guard let fault = state.fault, fault.operation == operation else { return SQLITE_OK }
      guard fault.lasting ? call >= fault.call : call == fault.call else { return SQLITE_OK }
      state.faultsFired += 1
      return fault.code
    }
  }

  /// Whether the file is new to the recording; it isn't from then on.
  func meets(_ file: String) -> Bool { state.withLock { $0.isRecording && $0.known.insert(file).inserted } }
}
