// swift-tools-version: 6.3
import PackageDescription

// The fuzzer, kept apart so that nobody who uses the library builds it. README.md tells how to run it. The targets in
// Sources/FuzzTargets belong to the main package, whose inner parts they reach; it runs each of them for a moment.

let package = Package(
  name: "postrider-fuzz",
  dependencies: [.package(name: "postrider", path: "..")],
  targets: [
    .target(name: "CFuzzer", path: "Sources/CFuzzer"),
    .executableTarget(
      name: "postrider-fuzz",
      dependencies: [
        "CFuzzer",
        .product(name: "FuzzTargets", package: "postrider"),
      ],
      path: "Sources/Driver",
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
