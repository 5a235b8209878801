/// Who carries a push to the device.
public enum Provider: UInt8, Sendable, Hashable, CaseIterable {
  /// Apple Push Notification service.
  case apns = 1
  /// Firebase Cloud Messaging, HTTP v1.
  case fcm = 2
  /// The push services of browsers and of UnifiedPush: whichever a subscription names.
  case web = 3
  /// Huawei's Push Kit.
  case hms = 4

  /// What is declared of a provider.
  package struct Row {
    /// The name in lower case.
    package let name: String
    /// What it reaches itself; pushes to other platforms it hands on to their push services.
    package let platform: DevicePlatform
    /// The numbers of rows in `outcomes` that every database has: accepted, and a reason beyond the limit of the table.
    package let outcomes: (accepted: Int64, other: Int64)
    package var hasOneGateway = true
    package var hasEnvironments = false
    package var derivesIDs = false

    /// Creates a value from its parts.
    package init(
      name: String, platform: DevicePlatform, outcomes: (accepted: Int64, other: Int64), hasOneGateway: Bool = true,
      hasEnvironments: Bool = false, derivesIDs: Bool = false
    ) {
      self.name = name
      self.platform = platform
      self.outcomes = outcomes
      self.hasOneGateway = hasOneGateway
      self.hasEnvironments = hasEnvironments
      self.derivesIDs = derivesIDs
    }
  }

  /// The providers, one row each.
  package var row: Row {
    switch self {
    case .apns: Row(name: "apns", platform: .ios, outcomes: (3, 5), hasEnvironments: true, derivesIDs: true)
    case .fcm: Row(name: "fcm", platform: .android, outcomes: (4, 6))
    case .web: Row(name: "web", platform: .web, outcomes: (-2, -3), hasOneGateway: false)
    case .hms: Row(name: "hms", platform: .android, outcomes: (-4, -5))
    }
  }

  /// The provider's name in lower case.
  public var name: String { row.name }

  /// Whether all its devices are reached over one address; a browser's subscription names its own.
  public var hasOneGateway: Bool { row.hasOneGateway }

  /// Whether its tokens belong to production or development.
  public var hasEnvironments: Bool { row.hasEnvironments }

  /// Whether the name of a message at the provider is made here, of the delivery's number, where the answer has none.
  package var derivesIDs: Bool { row.derivesIDs }

  /// The kinds of device that it carries pushes to.
  public var kinds: [DeviceKind] { DeviceKind.allCases.filter { $0.provider == self } }
}

/// What a device runs, as segments name it.
public enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
  /// iOS and what else Apple makes.
  case ios
  /// Android, and what runs its apps.
  case android
  /// A browser, or what subscribes as one.
  case web

  /// The kinds of device of the platform.
  public var kinds: [DeviceKind] { DeviceKind.allCases.filter { $0.platform == self } }
}
