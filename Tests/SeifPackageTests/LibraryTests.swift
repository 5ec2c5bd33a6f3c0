import FoundationEssentials
import Glibc
import Testing

/// A library at start-up is time, memory and code to trust: what `seif` loads is a closed list. The other libraries are
/// loaded by what needs them.
@Suite("The program seif loads at start-up")
struct LibraryTests {
  static let allowed = ["linux-vdso", "ld-linux", "libc", "libm"]
  // What the Swift runtime needs, shared in a debug build and inside of what is shipped.
  static let ofTheRuntime = ["libgcc_s", "libstdc++"]

  /// The names without version and architecture of all that `ldd` lists: `libc` for `libc.so.6 => /lib/…`.
  private func libraries(of binary: String) throws -> [String] {
    let listed = try run(["ldd", binary])
    try #require(listed.status == 0, "ldd \(binary)")
    let names = Self.names(inListing: listed.output)
    try #require(names.contains("libc"))
    return names
  }

  static func names(inListing text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      guard let path = line.split(whereSeparator: \.isWhitespace).first,
        let file = path.split(separator: "/").last
      else { return nil }
      let name = file.firstRange(of: ".so").map { file[..<$0.lowerBound] } ?? file
      return name.hasPrefix("ld-linux") ? "ld-linux" : String(name)
    }
  }

  @Test func inADebugBuildNothingBeyondTheListAndTheSwiftRuntime() throws {
    // `swift test` puts the program beside the bundle of the tests.
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = bundle.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
    for name in try libraries(of: folder + "/seif") where !Self.isOfSwift(name) {
      #expect((Self.allowed + Self.ofTheRuntime).contains(name))
    }
  }

  @Test(.enabled(if: releaseBinary != nil, "SEIF_RELEASE_BINARY names no release build"))
  func inAReleaseBuildNothingBeyondTheList() throws {
    for name in try libraries(of: try #require(releaseBinary)) {
      #expect(Self.allowed.contains(name))
    }
  }

  /// With a run path, a file put beside the program or into a build's folder would be taken for a library.
  @Test(.enabled(if: releaseBinary != nil, "SEIF_RELEASE_BINARY names no release build"))
  func aReleaseBuildLooksForThemWhereTheSystemDoes() throws {
    let dynamic = try run(["readelf", "--dynamic", try #require(releaseBinary)])
    try #require(dynamic.status == 0)
    #expect(dynamic.output.contains("(NEEDED)"))
    #expect(!dynamic.output.contains("(RUNPATH)") && !dynamic.output.contains("(RPATH)"))
  }

  @Test func listingsAreReadByName() {
    let listing = """
      \tlinux-vdso.so.1 (0x00007f89c8c1b000)
      \tlibcrypto.so.3 => /lib/x86_64-linux-gnu/libcrypto.so.3 (0x00007f89c804f000)
      \tlibodd.so => not found
      \t/lib64/ld-linux-x86-64.so.2 (0x00007f89c8c1d000)
      """
    #expect(Self.names(inListing: listing) == ["linux-vdso", "libcrypto", "libodd", "ld-linux"])
  }

  private static func isOfSwift(_ name: String) -> Bool {
    // Essentials and its ICU are in; all of Foundation isn't.
    name.hasPrefix("libswift")
      || [
        "libdispatch", "libBlocksRuntime", "libFoundationEssentials",
        "lib_FoundationICU", "lib_FoundationCShims", "lib_FoundationCollections",
      ].contains(name)
  }
}

/// What `make test` has built as it is shipped; a plain `swift test` has none.
private let releaseBinary = getenv("SEIF_RELEASE_BINARY").map { String(cString: $0) }
