// swift-tools-version: 6.2
import PackageDescription

// Targets use only what stands below them (docs/architecture.md holds the table, a test compares it with
// `swift package describe`). The core, down to the rule, does no I/O and is built with strict memory safety.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let core: [SwiftSetting] = strict + [.strictMemorySafety()]

func target(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["SeifTestSupport"], swiftSettings: strict)
}

let package = Package(
  name: "seif",
  products: [
    .executable(name: "seif", targets: ["seif"]),
    // The same commands, and those that need the network.
    .executable(name: "seif-net", targets: ["seif-net"]),
    // The server of document vaults: it can read none of them.
    .executable(name: "seif-server", targets: ["seif-server"]),
    .library(
      name: "Seif",
      targets: [
        "SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords", "SeifFormats", "SeifBackups", "SeifDocumentFormat",
      ]),
    // For the fuzzers, which are a package of their own.
    .library(name: "SeifAgentTesting", targets: ["SeifAgentTesting"]),
    .library(name: "SeifVaultTesting", targets: ["SeifVaultTesting"]),
  ],
  targets: [
    .systemLibrary(name: "CSeif"),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "CTSS2", providers: [.apt(["libtss2-dev"])]),
    .systemLibrary(name: "CFido2", providers: [.apt(["libfido2-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CImages", providers: [.apt(["libpng-dev", "libturbojpeg0-dev", "libzbar-dev", "libqrencode-dev"])]),
    .systemLibrary(name: "CClipboard", providers: [.apt(["libxcb1-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),

    target("SeifBytes", [], core),
    target("SeifCrypto", ["SeifBytes", "COpenSSL", "CSodium", "CArgon2"], core),
    target("SeifOTP", ["SeifBytes", "SeifCrypto"], core),
    target("SeifRecords", ["SeifBytes", "SeifCrypto", "SeifOTP"], core),
    target("SeifFormats", ["SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords"], core),
    target("SeifBackups", ["SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords", "SeifFormats"], core),
    target("SeifDocumentFormat", ["SeifBytes", "SeifCrypto"], core),
    target("SeifTUI", ["SeifBytes"], core),
    target("SeifHTTPFields", [], core),
    // ---- everything above does no I/O ----
    target("SeifSQL", ["CSQLite"], strict),
    .target(
      name: "SeifSQLTesting", dependencies: ["CSQLite"], swiftSettings: strict,
      linkerSettings: [.linkedLibrary("sqlite3")]),
    target(
      "SeifVault", ["SeifSQL", "SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords", "SeifFormats", "CSeif"], strict),
    target("SeifProcesses", ["SeifBytes", "CSeif"], strict),
    target(
      "SeifDevices",
      ["SeifProcesses", "SeifVault", "SeifCrypto", "SeifBytes", "CTSS2", "CFido2", "CSystemd", "CSeif"], strict),
    target("SeifImages", ["SeifBytes", "CImages", "CSeif"], strict),
    target("SeifTransports", ["SeifProcesses", "SeifBytes", "SeifBackups", "CSeif"], strict),
    target("SeifHTTP", ["SeifHTTPFields", "SeifBytes", "CCurl", "CSeif"], strict),
    target(
      "SeifNetworkTransports", ["SeifHTTP", "SeifHTTPFields", "SeifBackups", "SeifCrypto", "SeifBytes", "CExpat"],
      strict),
    target("SeifDocuments", ["SeifDocumentFormat", "SeifBytes", "SeifCrypto", "CSeif"], strict),
    target(
      "SeifNetworkDocuments", ["SeifHTTP", "SeifHTTPFields", "SeifDocuments", "SeifDocumentFormat", "SeifBytes"], strict
    ),
    target("SeifHTTPServer", ["SeifHTTPFields", "SeifBytes", "CMicroHTTPD", "CSeif"], strict),
    target("SeifServerStore", ["SeifSQL", "SeifBytes", "SeifCrypto", "CSeif"], strict),
    target(
      "SeifServer",
      ["SeifHTTPServer", "SeifServerStore", "SeifHTTPFields", "SeifOTP", "SeifCrypto", "SeifBytes", "CSeif"], strict),
    target("SeifClipboard", ["SeifProcesses", "SeifBytes", "CClipboard", "CSeif"], strict),
    target(
      "SeifAgent", ["SeifProcesses", "SeifBytes", "SeifOTP", "SeifRecords", "SeifVault", "CSystemd", "CSeif"], strict),
    target("SeifCommandLine", ["SeifBytes", "CSeif"], strict),
    target("SeifServerCommands", ["SeifCommandLine"], strict),
    target(
      "SeifCommands",
      [
        "SeifCommandLine", "SeifServerCommands",
        "SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords", "SeifFormats", "SeifBackups", "SeifVault",
        "SeifTransports", "SeifProcesses", "SeifDevices", "SeifImages", "SeifClipboard", "SeifAgent", "SeifTUI",
        "SeifDocumentFormat", "SeifDocuments",
        "CSeif",
      ], strict),
    .executableTarget(name: "seif", dependencies: ["SeifCommands"], swiftSettings: strict),
    .executableTarget(
      name: "seif-net", dependencies: ["SeifCommands", "SeifNetworkTransports", "SeifNetworkDocuments"],
      swiftSettings: strict),
    .executableTarget(
      name: "seif-server",
      dependencies: [
        "SeifServer", "SeifHTTPServer", "SeifServerStore", "SeifServerCommands", "SeifCommandLine", "SeifCrypto",
        "SeifBytes", "CSeif",
      ],
      swiftSettings: strict),

    // Only for tests: commands that do nothing but ask, write and wait, run in a process and a terminal of their own.
    .executableTarget(
      name: "seif-probe", dependencies: ["SeifCommands", "SeifCommandLine", "SeifBytes"], path: "Tests/CommandProbe",
      swiftSettings: strict),
    // Only for `make bench`: work inside one process beside the bare libraries.
    .executableTarget(
      name: "seif-bench",
      dependencies: [
        "SeifBytes", "SeifCrypto", "SeifRecords", "SeifFormats", "SeifVault", "SeifBackups", "SeifTransports",
        "SeifNetworkTransports", "CSQLite", "COpenSSL", "CSodium",
      ], path: "Tests/Benchmarks", swiftSettings: strict, linkerSettings: [.linkedLibrary("sqlite3")]),
    // Only for tests: work on a vault and a folder of backups that is killed, cut short and refused (Tests/Crash).
    .executableTarget(
      name: "seif-crash",
      dependencies: [
        "SeifCommands", "SeifCommandLine", "SeifVault", "SeifSQL", "SeifTransports", "SeifBackups", "SeifFormats",
        "SeifRecords",
        "SeifOTP", "SeifCrypto", "SeifBytes", "SeifDocuments", "SeifDocumentFormat", "CSeif",
      ], path: "Tests/CrashDriver", swiftSettings: strict),
    target("SeifTestSupport", ["SeifBytes"], strict),
    // Only for tests: what every transport must do, and real servers to do it with.
    target("SeifTransportTesting", ["SeifBackups", "SeifRecords", "SeifBytes", "SeifTestSupport", "CSeif"], strict),
    // Only for tests: what every store of documents must do.
    target(
      "SeifDocumentTesting", ["SeifDocuments", "SeifDocumentFormat", "SeifBytes", "SeifTestSupport", "CSeif"], strict),
    // Only for tests: stores of a server in memory, what every one must do, and requests without a network.
    target(
      "SeifServerTesting",
      [
        "SeifServer", "SeifServerStore", "SeifHTTPServer", "SeifHTTPFields", "SeifCrypto", "SeifBytes",
        "SeifTestSupport", "CSeif",
      ], strict),
    // Only for tests and fuzzers: changed snapshots of a vault.
    target(
      "SeifVaultTesting", ["SeifVault", "SeifFormats", "SeifRecords", "SeifCrypto", "SeifBytes", "CSeif"], strict),
    // Only for tests and fuzzers: the agent's wire, both sides.
    target("SeifAgentTesting", ["SeifAgent", "SeifVault", "SeifOTP", "SeifBytes", "CSeif"], strict),
    tests("SeifBytesTests", ["SeifBytes"]),
    tests("SeifCryptoTests", ["SeifCrypto"]),
    tests("SeifOTPTests", ["SeifOTP", "SeifCrypto"]),
    tests("SeifRecordsTests", ["SeifRecords", "SeifOTP", "SeifCrypto"]),
    tests("SeifFormatsTests", ["SeifFormats", "SeifRecords", "SeifOTP", "SeifCrypto"]),
    tests(
      "SeifBackupsTests",
      ["SeifBackups", "SeifTransportTesting", "SeifFormats", "SeifRecords", "SeifOTP", "SeifCrypto"]),
    tests("SeifSQLTests", ["SeifSQL", "SeifSQLTesting", "CSQLite"]),
    tests("SeifVaultTests", ["SeifVault", "SeifVaultTesting", "SeifSQL", "SeifRecords"]),
    tests("SeifProcessesTests", ["SeifProcesses", "SeifBytes"]),
    tests("SeifDevicesTests", ["SeifDevices", "SeifProcesses", "SeifVault", "SeifCrypto"]),
    tests("SeifTransportsTests", ["SeifTransports", "SeifBackups", "SeifTransportTesting"]),
    tests("SeifHTTPTests", ["SeifHTTP", "SeifHTTPFields", "SeifTransportTesting", "SeifBytes"]),
    tests(
      "SeifNetworkTransportsTests",
      [
        "SeifNetworkTransports", "SeifHTTP", "SeifHTTPFields", "SeifTransports", "SeifBackups", "SeifTransportTesting",
        "SeifCrypto",
        "SeifBytes",
      ]),
    tests(
      "SeifAgentTests", ["SeifAgent", "SeifAgentTesting", "SeifVault", "SeifRecords", "SeifOTP", "SeifCrypto", "CSeif"]),
    tests("SeifDocumentFormatTests", ["SeifDocumentFormat", "SeifCrypto", "SeifBytes"]),
    tests(
      "SeifDocumentsTests",
      ["SeifDocuments", "SeifDocumentFormat", "SeifDocumentTesting", "SeifCrypto", "SeifBytes", "CSeif"]),
    tests("SeifHTTPServerTests", ["SeifHTTPServer", "SeifHTTPFields", "SeifBytes", "CSeif"]),
    tests(
      "SeifServerStoreTests", ["SeifServerStore", "SeifServerTesting", "SeifSQL", "SeifCrypto", "SeifBytes", "CSeif"]),
    tests(
      "SeifServerTests",
      [
        "SeifServer", "SeifServerTesting", "SeifServerStore", "SeifHTTPServer", "SeifHTTPFields", "SeifOTP",
        "SeifCrypto",
        "SeifBytes", "CSeif",
      ]),
    tests(
      "SeifNetworkDocumentsTests",
      [
        "SeifNetworkDocuments", "SeifHTTP", "SeifHTTPFields", "SeifDocuments", "SeifDocumentFormat",
        "SeifDocumentTesting", "SeifServer",
        "SeifServerTesting", "SeifServerStore", "SeifHTTPServer", "SeifCrypto", "SeifBytes", "CSeif",
      ]),
    tests("SeifTUITests", ["SeifTUI", "SeifBytes"]),
    tests(
      "SeifCommandsTests",
      [
        "SeifCommands", "SeifCommandLine", "SeifProcesses", "SeifDevices", "SeifClipboard", "SeifTransports",
        "SeifBackups",
        "SeifTransportTesting", "SeifNetworkTransports", "seif",
        "seif-net",
        "seif-probe", "CSeif",
      ]),
    tests("SeifPackageTests", []),
  ]
)
