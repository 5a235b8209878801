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
///
/// It marks every use of memory that the compiler does not check with `unsafe`, and each type that
/// keeps such uses to itself with `@safe` and the reason.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + [.strictMemorySafety()])
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

/// What `script/test --sanitize` looks for: "thread" or "address"; nil, as ever, when nothing sanitizes.
let sanitizer = Context.environment["POSTRIDER_SANITIZE"]
/// The program's allocator: a sanitizer has its own, and cannot look into this one.
let allocator: [Target.Dependency] = sanitizer == nil ? ["CJemalloc"] : []
/// What tells the thread sanitizer of Swift's locks.
let sanitizerSupport: [Target.Dependency] = sanitizer == "thread" ? ["CSanitizerSupport"] : []

let package = Package(
  name: "postrider",
  // For PostriderApp, which is the only product that apps on phones use.
  platforms: [.iOS(.v13)],
  products: [
    .executable(name: "postrider", targets: ["postrider"]),
    .library(name: "Basics", targets: ["Basics"]),
    .library(name: "WireJSON", targets: ["WireJSON"]),
    .library(name: "Liquid", targets: ["Liquid"]),
    .library(name: "PushPayload", targets: ["PushPayload"]),
    .library(name: "PushRules", targets: ["PushRules"]),
    .library(name: "PushContracts", targets: ["PushContracts"]),
    .library(name: "DeviceText", targets: ["DeviceText"]),
    .library(name: "DevicePreview", targets: ["DevicePreview"]),
    .library(name: "PushCore", targets: ["PushCore"]),
    .library(name: "Signing", targets: ["Signing"]),
    .library(name: "HTTP2", targets: ["HTTP2"]),
    .library(name: "ProviderEmulator", targets: ["ProviderEmulator"]),
    .library(name: "StoreModel", targets: ["StoreModel"]),
    .library(name: "Ledger", targets: ["Ledger"]),
    .library(name: "PostgresEngine", targets: ["PostgresEngine"]),
    .library(name: "PushStore", targets: ["PushStore"]),
    .library(name: "PostriderServer", targets: ["PostriderServer"]),
    .library(name: "Delivery", targets: ["Delivery"]),
    .library(name: "APNs", targets: ["APNs"]),
    .library(name: "FCM", targets: ["FCM"]),
    .library(name: "WebPush", targets: ["WebPush"]),
    .library(name: "Huawei", targets: ["Huawei"]),
    .library(name: "GatewayPool", targets: ["GatewayPool"]),
    .library(name: "TimeZones", targets: ["TimeZones"]),
    .library(name: "PostriderApp", targets: ["PostriderApp"]),
    // For the fuzzer in Fuzz, a package of its own; no promise to anybody else.
    .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
  ],
  targets: [
    // C: Debian's libraries
    library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    library("CPQ", pkgConfig: "libpq", apt: "libpq-dev"),
    library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    library("CJemalloc", pkgConfig: "jemalloc", apt: "libjemalloc-dev"),
    .systemLibrary(name: "CLinux"),
    // The dashboard's files as bytes.
    .target(name: "CDashboard", exclude: ["Assets"]),

    // Floor 0: pure, nothing but the standard library
    module("Basics"),
    tests("Basics"),
    module("WireJSON", ["Basics"]),
    tests("WireJSON"),
    module("Liquid", ["Basics", "WireJSON"]),
    tests("Liquid", ["WireJSON"]),
    module("PushPayload", ["Basics", "WireJSON"]),
    tests("PushPayload", ["WireJSON"]),
    module("PushRules", ["Basics", "Liquid", "PushPayload", "WireJSON"]),
    tests("PushRules", ["Liquid", "PushPayload", "WireJSON"]),
    module("PushContracts", ["Basics", "PushPayload", "PushRules", "WireJSON"]),
    tests("PushContracts", ["PushPayload", "PushRules", "WireJSON"]),
    module("DeviceText", ["Basics", "WireJSON"]),
    tests("DeviceText", ["WireJSON"]),
    module("DevicePreview", ["Basics", "DeviceText", "PushContracts", "PushPayload", "WireJSON"]),
    tests("DevicePreview", ["DeviceText", "PushContracts", "PushPayload", "PushRules", "WireJSON"]),
    module(
      "PushCore",
      ["Basics", "DevicePreview", "DeviceText", "PushContracts", "PushPayload", "PushRules", "WireJSON"]),
    tests("PushCore", ["PushContracts", "PushPayload", "PushRules", "WireJSON", "postrider"]),

    // Floor 1
    module("Signing", ["COpenSSL"]),
    tests("Signing", ["Basics"]),
    module("System", ["CLinux"]),
    tests("System"),
    module("WebAuthn", ["Signing", "WireJSON"]),
    tests("WebAuthn", ["Signing", "WireJSON"]),
    module("TLS", ["COpenSSL", "Signing", "System"]),
    module("HTTP2", ["Basics", "CLinux", "CNGHTTP2", "COpenSSL", "Signing", "System", "TLS"]),
    tests("HTTP2", ["CNGHTTP2", "COpenSSL", "Signing", "TLS"]),
    module("HTTPServer", ["Basics", "CLinux", "COpenSSL", "Signing", "System", "TLS"]),
    tests("HTTPServer", ["HTTPClient", "Signing", "TLS"]),
    module("HTTPClient", ["Basics", "CCurl", "System", "TLS"]),
    tests("HTTPClient", ["HTTPServer"]),
    module("GatewayPool", ["HTTP2", "System", "TLS"]),
    tests("GatewayPool", ["HTTP2"]),

    // For apps: it imports none of the others, so that an app gets this one module.
    module("PostriderApp"),
    tests("PostriderApp", ["AppPhone", "HTTPServer", "PostriderServer", "WireJSON"]),
    .executableTarget(
      name: "AppPhone", dependencies: ["PostriderApp", "TestSupport", "WireJSON"], path: "Tests/AppPhone",
      swiftSettings: settings),
    module("TimeZones", ["Basics"]),
    tests("TimeZones"),

    // Floor 2
    module("APNs", ["Basics", "GatewayPool", "HTTP2", "PushPayload", "Signing", "TLS", "WireJSON"]),
    tests(
      "APNs",
      ["GatewayPool", "GatewayTestSupport", "HTTP2", "ProviderEmulator", "PushPayload", "Signing", "TLS", "WireJSON"]),
    module("FCM", ["GatewayPool", "HTTP2", "HTTPClient", "PushPayload", "Signing", "TLS", "WireJSON"]),
    tests(
      "FCM",
      ["GatewayPool", "GatewayTestSupport", "HTTP2", "ProviderEmulator", "PushPayload", "Signing", "TLS", "WireJSON"]),
    module("WebPush", ["Basics", "GatewayPool", "HTTP2", "HTTPClient", "Signing", "TLS", "WireJSON"]),
    tests(
      "WebPush",
      ["GatewayPool", "HTTP2", "HTTPServer", "ProviderEmulator", "Signing", "TLS", "WireJSON"]),
    module("Huawei", ["FCM", "GatewayPool", "HTTP2", "HTTPClient", "PushPayload", "Signing", "TLS", "WireJSON"]),
    tests(
      "Huawei",
      [
        "FCM", "GatewayPool", "HTTP2", "HTTPServer", "ProviderEmulator", "PushContracts", "PushPayload", "PushRules",
        "Signing", "TLS", "WireJSON",
      ]),
    module(
      "ProviderEmulator",
      [
        "Basics", "DevicePreview", "DeviceText", "HTTP2", "HTTPServer", "PushContracts", "PushPayload", "PushRules",
        "Signing", "System", "TLS", "WireJSON",
      ]),
    tests(
      "ProviderEmulator",
      ["HTTP2", "HTTPServer", "PushContracts", "PushPayload", "PushRules", "Signing", "TLS", "WireJSON"]),

    // Floor 3
    module("StoreModel", ["System"]),
    module("Ledger", ["Basics", "StoreModel", "TimeZones"]),
    tests("Ledger", ["StoreModel", "TimeZones"]),
    module("SQLiteEngine", ["CSQLite", "StoreModel"]),
    module("PostgresEngine", ["CPQ", "StoreModel", "System"]),
    module(
      "PushStore",
      ["Basics", "Ledger", "PostgresEngine", "Signing", "SQLiteEngine", "StoreModel", "System", "TimeZones"]),
    tests("PushStore", ["Ledger", "PostgresEngine", "SQLiteEngine", "StoreModel", "TestEngines", "TimeZones"]),
    module(
      "Delivery",
      [
        "APNs", "FCM", "GatewayPool", "Huawei", "Liquid", "PushPayload", "PushRules", "StoreModel", "System", "WebPush",
        "WireJSON",
      ]),
    .executableTarget(
      name: "CrashHarness",
      dependencies: [
        "Delivery", "PostgresEngine", "PushStore", "StoreModel",
      ] + sanitizerSupport, path: "Tests/CrashHarness",
      swiftSettings: settings
    ),
    tests(
      "Delivery",
      [
        "APNs", "CrashHarness", "FCM", "GatewayPool", "HTTP2", "Huawei", "PostgresEngine", "ProviderEmulator",
        "PushRules", "PushStore", "Signing", "StoreModel", "System", "TestEngines", "TLS", "WebPush", "WireJSON",
      ]),

    // The server and its gateways on one simulated thread and clock; `script/simulate` runs it.
    .target(
      name: "Simulator",
      dependencies: [
        "APNs", "Delivery", "FCM", "GatewayPool", "HTTP2", "ProviderEmulator", "PushStore", "Signing", "StoreModel",
        "TestSupport",
      ], path: "Tests/Simulator", swiftSettings: settings),
    .executableTarget(
      name: "simulate", dependencies: ["Simulator"], path: "Tests/Simulate", swiftSettings: settings),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulator", "TestSupport"], swiftSettings: settings),

    // Floor 4
    module(
      "PostriderServer",
      [
        "APNs", "Basics", "CDashboard", "CZlib", "Delivery", "DevicePreview", "DeviceText", "FCM", "GatewayPool",
        "HTTP2", "HTTPClient", "HTTPServer", "Huawei", "Liquid", "PostgresEngine", "PushContracts", "PushCore",
        "PushPayload", "PushRules", "PushStore", "Signing", "StoreModel", "System", "TimeZones", "TLS", "WebAuthn",
        "WebPush", "WireJSON",
      ]),
    tests(
      "PostriderServer",
      [
        "Delivery", "DevicePreview", "DeviceText", "GatewayPool", "HTTP2", "HTTPServer", "PostgresEngine",
        "ProviderEmulator", "PushContracts", "PushCore", "PushPayload", "PushRules", "PushStore", "Signing",
        "SQLiteEngine", "StoreModel", "TestEngines", "TimeZones", "WebAuthn", "WebPush", "WireJSON",
      ]),

    // Floor 5
    .executableTarget(
      name: "postrider",
      dependencies: [
        "APNs", "Basics", "CLinux", "CNGHTTP2", "COpenSSL", "CSQLite", "CZlib", "DevicePreview", "DeviceText", "FCM",
        "GatewayPool", "HTTP2", "HTTPClient", "HTTPServer", "Huawei", "Liquid", "PostgresEngine", "PostriderServer",
        "ProviderEmulator", "PushContracts", "PushCore", "PushPayload", "PushRules", "PushStore", "Signing",
        "StoreModel", "System",
        "TimeZones", "TLS", "WebPush", "WireJSON",
      ] + allocator + sanitizerSupport,
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "HTTP2", "postrider", "ProviderEmulator", "PushRules", "PushStore", "Signing", "StoreModel", "System",
        "TestSupport", "WireJSON",
      ],
      swiftSettings: settings),

    // What devices show, behind the line protocol of Tests/Differential
    .executableTarget(
      name: "DeviceModels", dependencies: ["DevicePreview", "PushContracts", "PushPayload", "WireJSON"],
      path: "Tests/Differential/DeviceModels", swiftSettings: settings),

    // Figures: each subcommand is a file beside `Bench.swift` and a row in its table
    .target(
      name: "CAllocationCounter", dependencies: ["CJemalloc"], path: "Benchmarks/Sources/CAllocationCounter"),
    .executableTarget(
      name: "postrider-bench",
      dependencies: [
        "APNs", "CAllocationCounter", "Delivery", "DevicePreview", "DeviceText", "FCM", "GatewayPool", "HTTP2",
        "HTTPServer", "Liquid", "PostriderServer", "PushContracts", "PushCore", "PushPayload", "PushRules", "PushStore",
        "Signing", "StoreModel", "TestSupport", "TLS", "WebPush", "WireJSON",
      ],
      path: "Benchmarks/Sources/postrider-bench",
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),

    // Test support
    .target(
      name: "TestSupport", dependencies: ["COpenSSL"] + sanitizerSupport, path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(
      name: "TestEngines", dependencies: ["PostgresEngine", "PushStore", "TestSupport"], path: "Tests/TestEngines",
      swiftSettings: settings),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "APNs", "Basics", "DeviceText", "FCM", "HTTP2", "HTTPServer", "Liquid", "PostriderServer", "ProviderEmulator",
        "PushContracts", "PushCore", "PushPayload", "PushRules", "PushStore", "Signing", "StoreModel", "WebAuthn",
        "WireJSON",
      ], path: "Fuzz/Sources/FuzzTargets", swiftSettings: settings),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: settings),
    .target(
      name: "GatewayTestSupport", dependencies: ["HTTP2", "Signing", "TLS"], path: "Tests/GatewayTestSupport",
      swiftSettings: settings),
  ]
)

if sanitizer != nil {
  // Figures count the allocator's calls.
  let figures: Set = ["CJemalloc", "CAllocationCounter", "postrider-bench"]
  package.targets.removeAll { figures.contains($0.name) }
}
if sanitizer == "thread" {
  package.targets.append(.target(name: "CSanitizerSupport", path: "Tests/SanitizerSupport"))
}
