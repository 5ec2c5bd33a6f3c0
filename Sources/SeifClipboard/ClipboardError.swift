/// Why nothing was put on the clipboard. Holds no value and no length of one.
package enum ClipboardError: UInt8, Error, Sendable, CaseIterable {
  /// There is nothing to copy.
  case empty = 32
  /// Over ``Clipboard/byteLimit``.
  case tooLarge
  /// Neither `WAYLAND_DISPLAY` nor `DISPLAY` names a display.
  case noDisplay
  /// `DISPLAY` names another machine: what is copied would go over a network.
  case displayElsewhere
  /// `libxcb.so.1` isn't installed.
  case libraryMissing
  /// The display refuses the connection, or isn't there.
  case displayRefused
  /// A Wayland desktop without the data-control protocol, and no X display beside it.
  case noDataControl
  /// `wl-copy` was asked for and isn't installed, or doesn't work here.
  case wlCopyFailed
  /// Another program took the clipboard at that moment.
  case takenAtOnce
  /// The owner's process can't be started, or ends without an answer.
  case noOwner
  /// Nobody has copied anything, or nothing that is text or a picture.
  case nothingCopied
  /// The program that copied doesn't give what it offers.
  case silent
  /// What was copied is larger than is read.
  case copiedTooLarge
  /// A Wayland desktop shows its screen to no program by itself.
  case noScreen
  /// The screen's pixels aren't colours, or it is larger than is read.
  case strangeScreen
}
