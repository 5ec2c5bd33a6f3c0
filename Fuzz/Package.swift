// swift-tools-version: 6.2
import PackageDescription

// A package of its own: a libFuzzer program has no `main` and would break `swift build` of the product.
// scripts/fuzz builds and runs it.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]

func fuzzer(_ name: String, _ library: String = "Seif") -> Target {
  .executableTarget(
    name: name, dependencies: [.product(name: library, package: "seif")], swiftSettings: settings,
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
}

let package = Package(
  name: "seif-fuzz",
  dependencies: [.package(name: "seif", path: "..")],
  targets: ["FuzzJSON", "FuzzKeyURI", "FuzzFiles", "FuzzEntries", "FuzzManifest"].map { fuzzer($0) }
    + [fuzzer("FuzzWire", "SeifAgentTesting"), fuzzer("FuzzSnapshot", "SeifVaultTesting")]
)
