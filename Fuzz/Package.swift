// swift-tools-version: 6.3
import PackageDescription

// The fuzzer, kept apart so that nobody who uses the library builds it. README.md tells how to run it. The targets in
// Sources/FuzzTargets are also a test helper of the main package, which runs each of them for a moment.

let package = Package(
  name: "postrider-fuzz",
  dependencies: [.package(name: "postrider", path: "..")],
  targets: [
    .target(name: "CFuzzer", path: "Sources/CFuzzer"),
    .executableTarget(
      name: "postrider-fuzz",
      dependencies: [
        "CFuzzer",
        .product(name: "APNs", package: "postrider"),
        .product(name: "FCM", package: "postrider"),
        .product(name: "HTTP2", package: "postrider"),
        .product(name: "PushContracts", package: "postrider"),
        .product(name: "PushPayload", package: "postrider"),
        .product(name: "PushRules", package: "postrider"),
        .product(name: "WireJSON", package: "postrider"),
      ],
      path: "Sources", exclude: ["CFuzzer"],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
