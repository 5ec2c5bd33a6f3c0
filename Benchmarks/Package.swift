// swift-tools-version: 6.2
import PackageDescription

// What Seif is measured against. A package of its own, so that nothing here is built with Seif.
let package = Package(
  name: "benchmarks",
  targets: [.executableTarget(name: "empty", swiftSettings: [.swiftLanguageMode(.v6)])]
)
