// swift-tools-version: 6.3
import PackageDescription

// Figures, kept apart so that nobody who uses the library builds them. `swift run -c release postrider-bench` lists
// the subcommands; each one is a file beside `Bench.swift` and a row in its table.

let package = Package(
  name: "postrider-benchmarks",
  dependencies: [.package(name: "postrider", path: "..")],
  targets: [
    .target(name: "CAllocationCounter"),
    .executableTarget(
      name: "postrider-bench",
      dependencies: [
        "CAllocationCounter",
        .product(name: "APNs", package: "postrider"),
        .product(name: "FCM", package: "postrider"),
        .product(name: "Delivery", package: "postrider"),
        .product(name: "PushStore", package: "postrider"),
        .product(name: "GatewayPool", package: "postrider"),
        .product(name: "HTTP2", package: "postrider"),
        .product(name: "PushPayload", package: "postrider"),
        .product(name: "Signing", package: "postrider"),
        .product(name: "WireJSON", package: "postrider"),
        .product(name: "PushRules", package: "postrider"),
        .product(name: "PushContracts", package: "postrider"),
        .product(name: "DeviceText", package: "postrider"),
        .product(name: "DevicePreview", package: "postrider"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
