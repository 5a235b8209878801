// swift-tools-version: 6.3
import PackageDescription

// The house, floor by floor (ARCHITECTURE.md draws it). A module imports only modules on lower floors; `script/lint`
// checks every `import` against `script/floors`. Each row: name, what it depends on.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A module of the house.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of one module; `TestSupport` is always there.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies,
    swiftSettings: settings)
}

/// A C library from Debian, found through pkg-config.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "postrider",
  products: [
    .executable(name: "postrider", targets: ["postrider"]),
    .library(name: "WireJSON", targets: ["WireJSON"]),
    .library(name: "PushPayload", targets: ["PushPayload"]),
    .library(name: "PushRules", targets: ["PushRules"]),
    .library(name: "PushContracts", targets: ["PushContracts"]),
    .library(name: "Signing", targets: ["Signing"]),
    .library(name: "HTTP2", targets: ["HTTP2"]),
    .library(name: "ProviderEmulator", targets: ["ProviderEmulator"]),
    .library(name: "PushStore", targets: ["PushStore"]),
  ],
  targets: [
    // C: Debian's libraries
    library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    library("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    .systemLibrary(name: "CLinux"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),

    // Floor 0: pure
    module("WireJSON"),
    tests("WireJSON"),
    module("PushPayload", ["WireJSON"]),
    tests("PushPayload", ["WireJSON"]),
    module("PushRules", ["PushPayload", "WireJSON"]),
    tests("PushRules", ["PushPayload", "WireJSON"]),
    module("PushContracts", ["WireJSON", "PushPayload"]),
    tests("PushContracts", ["WireJSON", "PushPayload"]),

    // Floor 1
    module("HTTP2", ["CNGHTTP2", "COpenSSL", "CLinux"]),
    tests("HTTP2", ["CNGHTTP2", "COpenSSL"]),
    module("HTTPServer", ["CMicroHTTPD"]),
    module("Signing", ["COpenSSL"]),
    tests("Signing"),

    // Floor 2
    module("ProviderEmulator", ["HTTP2", "HTTPServer", "PushPayload", "Signing", "WireJSON"]),
    tests("ProviderEmulator", ["HTTP2", "Signing", "WireJSON"]),

    // Floor 5
    .executableTarget(
      name: "postrider", dependencies: ["PushContracts", "PushPayload", "WireJSON"], swiftSettings: settings),
    .testTarget(name: "CommandLineTests", dependencies: ["TestSupport"], swiftSettings: settings),
    // Floor 3
    module("PushStore", ["CSQLite"]),
    tests("PushStore"),

    // Test support
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: settings),
  ]
)
