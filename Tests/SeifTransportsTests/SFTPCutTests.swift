import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

/// The real sftp-server behind a connection that is cut after a number of bytes, in either direction.
@Suite struct SFTPCutTests {
  enum Direction: String, CaseIterable { case there, back }

  private let programs = ProgramFolder()
  private let content = TransportConformance.bytes(100_000)

  /// A connection that carries so many bytes in a direction; of a file beside it, how many went.
  private static let proxy = """
    #!/usr/bin/env python3
    import os, sys, threading
    subprocess = __import__("subprocess")
    direction, limit = open(sys.argv[0] + ".cut").read().split()
    server = subprocess.Popen(["/usr/lib/openssh/sftp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def carry(source, target, name):
        left = int(limit) if name == direction else 1 << 40
        went = 0
        while went < left:
            some = os.read(source, min(65536, left - went))
            if not some: break
            went += len(some)
            open(sys.argv[0] + "." + name, "w").write(str(went))
            while some: some = some[os.write(target, some):]
        else:
            server.kill()
            os._exit(1)
        if name == "there": server.stdin.close()
    back = threading.Thread(target=carry, args=(server.stdout.fileno(), 1, "back"))
    back.start()
    carry(0, server.stdin.fileno(), "there")
    back.join()
    """

  private func transport() throws -> SFTPTransport {
    if access(programs.path + "/ssh", F_OK) != 0 { _ = try programs.add("ssh", Self.proxy) }
    return try SFTPTransport(
      SSHCommand(host: "host", searchPath: programs.path), folder: programs.folder("backups"),
      createsConditionally: true)
  }

  private func cut(_ direction: Direction, after byteCount: Int) throws {
    try Data("\(direction.rawValue) \(byteCount)".utf8).write(to: URL(filePath: programs.path + "/ssh.cut"))
  }

  private func left() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: programs.folder("backups"))
  }

  /// Points within so many bytes: close to each other at both ends, where the small packets go.
  private func points(_ total: Int) -> [Int] {
    let ends = stride(from: 0, to: 700, by: 89)
    let middle = stride(from: 700, to: max(700, total - 700), by: 40_000)
    return Set(Array(ends) + ends.map { total - 1 - $0 } + Array(middle)).filter { (0..<total).contains($0) }.sorted()
  }

  private func uncut(_ direction: Direction, _ body: (SFTPTransport) throws -> Void) throws -> Int {
    try cut(direction, after: 1 << 40)
    try body(transport())
    return try #require(Int(programs.read("ssh.\(direction.rawValue)")))
  }

  @Test(arguments: Direction.allCases)
  func aStoreThatIsCutAnywhereLeavesTheWholeFileOrNone(direction: Direction) throws {
    let whole = try uncut(direction) { _ = try $0.upload(content, name: "whole") }
    let points = points(whole)
    #expect(points.count > 12)
    var refusals = 0
    for point in points {
      try cut(direction, after: point)
      let refused = refusal { () throws(TransportError) in
        _ = try (try? transport())?.upload(content, name: "b-\(point)")
      }
      #expect(refused == nil || refused?.code == .incomplete || refused?.code == .unavailable, "after \(point) bytes")
      if refused != nil { refusals += 1 }
      let names = try left().filter { !TemporaryName.matches($0) }
      #expect(names.contains("b-\(point)") || refused != nil, "after \(point) bytes")
      if names.contains("b-\(point)") {
        let stored = try FolderTransport(path: programs.folder("backups")).download(id: "b-\(point)", limit: 1 << 20)
        #expect(stored == content, "after \(point) bytes")
      }
    }
    #expect(refusals > points.count / 2)
    #expect(try left().allSatisfy { TemporaryName.matches($0) || $0 == "whole" || $0.hasPrefix("b-") })
  }

  @Test(arguments: Direction.allCases)
  func aFetchThatIsCutAnywhereGivesTheWholeFileOrNone(direction: Direction) throws {
    _ = try FolderTransport(path: programs.folder("backups")).upload(content, name: "b")
    let whole = try uncut(direction) { transport in
      let fetched = try transport.download(id: "b", limit: 1 << 20)
      #expect(fetched == content)
    }
    for point in points(whole) {
      try cut(direction, after: point)
      var fetched: SecretValue?
      let refused = refusal { () throws(TransportError) in
        fetched = try (try? transport())?.download(id: "b", limit: 1 << 20)
      }
      #expect(
        fetched == content || refused?.code == .incomplete || refused?.code == .unavailable, "after \(point) bytes")
    }
  }

  @Test func aListingThatIsCutIsNone() throws {
    for index in 0..<150 {
      _ = try FolderTransport(path: programs.folder("backups")).upload(SecretValue(utf8: "x"), name: "b-\(index)")
    }
    let whole = try uncut(.back) { transport in
      let listed = try transport.listBackups()
      #expect(listed.count == 150)
    }
    for point in points(whole) {
      try cut(.back, after: point)
      var listed = 150
      let refused = refusal { () throws(TransportError) in listed = try (try? transport())?.listBackups().count ?? 0 }
      // After the end of the list only the answer to CLOSE is missing.
      #expect((listed == 150 && refused == nil) || refused?.code == .unavailable, "after \(point) bytes")
    }
  }
}
