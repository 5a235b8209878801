internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// A vendor whose REST interface an app can answer to, so that a backend changes the address it calls and nothing else.
enum CompatVendor: String, Sendable, CaseIterable {
  case oneSignal = "onesignal"
  case powerAuth = "powerauth"
  case imKit = "imkit"
  case amba = "amba"

  /// Every route of every vendor.
  static let routes: [Route] = allCases.flatMap(\.routes)

  /// The routes of the interface, with `/compat/VENDOR` before the vendor's own paths.
  var routes: [Route] {
    let own =
      switch self {
      case .oneSignal: OneSignalRoutes.routes
      case .powerAuth: PowerAuthRoutes.routes
      case .imKit: IMKitRoutes.routes
      case .amba: AmbaRoutes.routes
      }
    return own + [document]
  }

  /// The words that the vendor's clients send before the key in `Authorization`; the scheme's name has no case.
  var authorizationSchemes: [String] {
    switch self {
    case .oneSignal: ["key", "basic", "bearer"]
    case .powerAuth, .amba: ["bearer"]
    // Older clients have a user's token there.
    case .imKit: []
    }
  }

  /// Headers of the vendor's own that have a key.
  var keyHeaders: [StaticString] {
    switch self {
    case .oneSignal, .powerAuth: []
    case .imKit: [IMKitCaller.backendHeader, IMKitCaller.appHeader]
    case .amba: ["X-Api-Key"]
    }
  }

  /// Whether clients without a setting for a key may have it elsewhere: as the user name or the password of HTTP Basic
  /// (RFC 7617), or as the first segment of the path.
  var acceptsKeyInAddress: Bool {
    switch self {
    case .oneSignal, .imKit, .amba: false
    case .powerAuth: true
    }
  }

  /// What older clients of the vendor put before each path.
  var oldPrefix: [String] {
    switch self {
    case .oneSignal: ["api", "v1"]
    // The push server has no such prefix: a client of a version before 2.0 gets it with its base address.
    case .powerAuth: ["v1"]
    // Newer clients of Amba's have it.
    case .amba: ["v1"]
    case .imKit: []
    }
  }

  /// The member, and the parameter, in which the vendor's clients name the app outside of any envelope.
  var appMember: String? {
    switch self {
    case .oneSignal: CompatCall.appMember
    case .amba: "project_id"
    case .powerAuth, .imKit: nil
    }
  }

  /// What an administrator may set when an app is to answer to this vendor's clients.
  var settings: Schema {
    switch self {
    case .oneSignal:
      .object(
        [
          .optional(
            CompatCall.appMember,
            .string(
              "The app's id in requests, such as the one it has at OneSignal; unless given, the one it had before, and a"
                + " UUID at first.", max: 36, example: "84cfc487-8b8b-4e80-a013-3d194ac0dd75"
            ).documented(["format": "uuid"]))
        ], "How the app is named.")
    case .powerAuth:
      CompatVendor.chosenID(
        "The app's id in requests (appId); unless given, the one it had before, and the app's name at first.",
        "mobile-bank")
    case .imKit:
      CompatVendor.chosenID(
        "The app's id in answers (appID); unless given, the one it had before, and the app's name at first.",
        "SampleApp")
    case .amba:
      CompatVendor.chosenID(
        "The project's id in paths; unless given, the one it had before, and a UUID at first.",
        "6f1f5c0e-8f55-4f0e-9c33-2f1f6f0f8a10")
    }
  }

  private static func chosenID(_ about: String, _ example: JSONValue) -> Schema {
    .object(
      [.optional(CompatCall.appMember, .string(about, max: appIDCharactersMax, example: example))],
      "How the app is named.")
  }

  /// Characters of an app's id that an administrator chooses.
  static let appIDCharactersMax = 100

  /// What is wrong with an id that an administrator chooses; nil for one that can be taken.
  func objection(to id: String) -> String? {
    if self == .oneSignal { return CompatID.isUUID(id) ? nil : "expected a UUID, as OneSignal's ids are" }
    // It appears in paths and in logs of proxies.
    let isPlain = id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain ? nil : "expected letters and digits of ASCII, ., - and _"
  }

  /// The id that an app has in the vendor's interface; nil while it does not answer there.
  ///
  /// - Parameter settings: the app's, where they have been read.
  func appID(of app: App, _ settings: AppSettings? = nil) -> String? {
    guard let id = app.compat[rawValue] else { return nil }
    let chosen = (settings ?? AppSettings(app)).compatIDs[rawValue]
    switch self {
    // Chosen ids are settings of the app: unlike those in the table, two apps may have the same one, so that nobody
    // learns from a refusal which ids others have.
    case .powerAuth, .imKit: return chosen ?? app.name
    case .oneSignal, .amba: return chosen ?? id
    }
  }

  /// A refusal in the vendor's form; the vendor's callers are no operators of the server.
  func response(to problem: Problem) -> HTTPResponse {
    let problem = problem.outward
    return switch self {
    case .oneSignal: OneSignalErrors.response(to: problem)
    case .powerAuth: PowerAuthErrors.response(to: problem)
    case .imKit: IMKitErrors.response(to: problem)
    case .amba: AmbaErrors.response(to: problem)
    }
  }
}
