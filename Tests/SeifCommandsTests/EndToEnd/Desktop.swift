import SeifCommandLine
import CSeif
import FoundationEssentials
import Glibc
import SeifProcesses
import SeifTestSupport
import Testing

@testable import SeifCommands

/// A program that runs beside a test until the test, or its whole process, is gone.
final class Helper {
  private let process: ChildProcess

  /// - Parameter environment: in addition to this process's own.
  init(_ words: [String], environment: [String: String] = [:]) throws {
    // The shell's standard input ends with us, however we end.
    let script = "exec 3<&0; \"$@\" <&3 2>/dev/null & child=$!; cat >/dev/null; kill $child 2>/dev/null; wait $child"
    let pairs = environment.map { "\($0)=\($1)" }
    guard let process = ChildProcess("/usr/bin/env", pairs + ["sh", "-c", script, "sh"] + words) else {
      throw Terminal.Failure(what: "\(words) doesn't start")
    }
    self.process = process
  }

  /// The first line that it prints.
  func line() throws -> String {
    var bytes: [UInt8] = []
    var poller = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    while poll(&poller, 1, Int32(Terminal.secondsToWait * 1000)) > 0, read(process.output, &byte, 1) == 1, byte != 10 {
      bytes.append(byte)
    }
    if bytes.isEmpty { throw Terminal.Failure(what: "a helper says nothing") }
    return String(decoding: bytes, as: UTF8.self)
  }

  func stop() { process.wait() }
}

/// An X server without a screen, for tests of the clipboard.
final class XServer {
  let display: String
  private let helper: Helper

  /// - Parameters:
  ///   - depth: bits of a pixel.
  ///   - folder: where the screen's pixels stand in a file.
  init(depth: Int = 8, folder: String? = nil) throws {
    helper = try Helper(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x\(depth)", "-nolisten", "tcp", "-noreset"]
        + (folder.map { ["-fbdir", $0] } ?? []))
    display = ":" + (try helper.line())
  }

  var environment: [String: String] { ["DISPLAY": display] }
}

/// A Wayland desktop without a screen. Sway refuses to be root's, so there it runs as nobody.
final class WaylandDesktop {
  let folder: String
  private let helper: Helper
  static let isInstalled = ["sway", "wl-paste", "setpriv"].allSatisfy { name in
    ChildProcess.find(name, path: Environment.current()["PATH"]) != nil
  }

  init() throws {
    folder = try TemporaryFolder.make("wayland")
    var words = ["sway", "-c", "/dev/null"]
    if getuid() == 0 {
      chown(folder, 65534, 65534)
      words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
    }
    helper = try Helper(
      words,
      environment: [
        "XDG_RUNTIME_DIR": folder, "HOME": folder, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
        "WLR_RENDERER": "pixman", "WAYLAND_DISPLAY": "", "DISPLAY": "",
      ])
    for _ in 0..<(Terminal.secondsToWait * 20) where !FileManager.default.fileExists(atPath: folder + "/wayland-1") {
      usleep(50_000)
    }
  }

  deinit {
    helper.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var environment: [String: String] { ["XDG_RUNTIME_DIR": folder, "WAYLAND_DISPLAY": "wayland-1"] }
}

/// Files that tests of the clipboard run.
enum ClipboardTools {
  static let folder = TestData.packageRoot.path + "/Tests/Clipboard"
}

/// Waits until something is so, and gives whether it came to be.
func becomes(_ isSo: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<(Terminal.secondsToWait * 20) {
    if try isSo() { return true }
    usleep(50_000)
  }
  return false
}
