internal import PushContracts
internal import PushPayload
internal import PushRules
package import WireJSON

/// A push service as the emulator knows it: everything that differs between services, declared in the file of each.
struct EmulatedService: Sendable {
  /// The member of a report that names a push.
  var pushMember = "push"
  /// Whether tokens are hexadecimal, so that letter case does not matter.
  var hasHexadecimalTokens = false
  /// What it says when it ends an idle connection.
  var idleWords = "session_timeout"
  /// What tokens look like, for who gives another one.
  var tokenForm = "expected letters, digits, -_:"
  /// Whether its devices are browsers with subscriptions.
  var hasBrowsers = false
  /// What a device that is no browser is.
  var phone = Platform.android
  /// What its devices may be, by name, and the push service that it reaches them over, if it is another's.
  var platforms: [String: FCMCarrier?] = [:]
  /// Whether its phones show Live Activities, each with a token of its own.
  var hasLiveActivities = false
  /// Whether a client certificate replaces tokens.
  var takesCertificates = false
  /// Its port, for who chooses one.
  var port: Port
  /// The OAuth client of apps that it gives an id and a secret; nil for other credentials.
  var client: (@Sendable () -> EmulatedClient)?
  /// Whether a text can be a device's token.
  var isToken: @Sendable (String) -> Bool
  /// Makes up a token of the usual length.
  var makeToken: @Sendable (inout EmulatorRandom) -> String = { random in (0..<4).map { _ in random.hex() }.joined() }
  /// The sections that it has in a scenario.
  var sections: [Section]
  /// Begins a scenario: its settings, another seed, and what was registered before.
  var begin: @Sendable (_ state: inout EmulatorCore.State, _ scenario: Scenario, _ seed: UInt64) -> Void
  /// Registers what an emulator accepts.
  var register: @Sendable (_ state: inout EmulatorCore.State, _ credentials: EmulatorCredentials) throws -> Void
  /// Forgets the access tokens that it handed out.
  var revokeAccessTokens: @Sendable (_ state: inout EmulatorCore.State) -> Void = { _ in }
  /// What a new connection may do.
  var terms: @Sendable (_ state: EmulatorCore.State) -> ConnectionTerms
  /// Answers a request to its port, and counts the answer.
  var handle: Handler
  /// Whether a request to the port without TLS is for it.
  var isItsPath: @Sendable (GatewayRequest) -> Bool = { _ in false }
  /// What the control API says of a device, besides what it says of each.
  var describe: @Sendable (_ device: VirtualDevice, _ object: inout JSONObject) -> Void
  /// Shows a push on a phone.
  var show: @Sendable (_ phone: inout VirtualPhone, _ arrival: PhoneArrival) -> Void = { $0.receiveFCM($1) }
  /// What clients are given.
  var handout: Handout

  typealias Handler =
    @Sendable (
      _ state: inout EmulatorCore.State, _ request: GatewayRequest, _ connection: inout GatewayConnection,
      _ response: inout GatewayResponse, _ nowMs: Int64
    ) -> GatewayAction

  /// A member of a scenario, and how it is read.
  struct Section: Sendable {
    let name: String
    let read: @Sendable (inout Scenario, inout ScenarioObject) throws(ScenarioError) -> Void
  }

  /// A port as the command line offers it.
  struct Port: Sendable {
    /// What speaks there.
    let words: String
    /// Its number unless another is chosen; 0 for any free one.
    var usual: UInt16 = 0
  }

  /// What clients are given to reach it with.
  struct Handout: Sendable {
    /// Members of the control API's credentials.
    var credentials: @Sendable (EmulatorCredentials, EmulatorPorts) -> JSONObject = { _, _ in [:] }
    /// What names the credentials, secrets left out.
    var names: @Sendable (EmulatorCredentials) -> JSONObject = { _ in [:] }
    /// Files with credentials.
    var files: [File] = []
    /// The credentials as an app of a server keeps them; nil when the server makes its own.
    var setting: (@Sendable (EmulatorCredentials, EmulatorPorts) -> JSONObject)?
  }

  /// A file with credentials, as clients read it.
  struct File: Sendable {
    let name: String
    let content: @Sendable (EmulatorCredentials, EmulatorPorts) -> String
  }
}

/// What a new connection to a service may do.
struct ConnectionTerms {
  let streams: Int
  let lifetime: ConnectionLifetime
  var acceptsNoALPN = false
}

/// What is kept of one connection.
struct GatewayConnection: Sendable {
  var apns = APNsConnection()
  var fcm = FCMConnection()
  /// Whether it has no TLS: the port of HTTP/1.1.
  var isPlain = false
}

/// A push on its way to a screen.
struct PhoneArrival {
  let request: GatewayRequest
  let payload: JSONValue
  let token: String
  let id: String
  /// In seconds since 1970.
  let now: Int
}

extension EmulatorRandom {
  /// Letters, digits, `-` and `_`.
  mutating func letters(_ count: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    return String(decoding: (0..<count).map { _ in alphabet[Int(next() & 63)] }, as: UTF8.self)
  }
}

extension ProviderEmulator {
  /// Scheme, host and port of a service.
  package func origin(of provider: EmulatedProvider) -> String { ports.origin(of: provider) }

  /// What names the credentials of all services, secrets left out.
  package var credentialNames: JSONObject {
    EmulatedProvider.withDevices.reduce(into: [:]) { names, provider in
      for (name, value) in provider.row.handout.names(credentials) { names[name] = value }
    }
  }

  /// The files of credentials that clients read.
  package var credentialFiles: [(name: String, content: String)] {
    EmulatedProvider.withDevices.flatMap(\.row.handout.files).map { ($0.name, $0.content(credentials, ports)) }
  }

  /// The credentials of a service as an app of a server keeps them; nil when the server makes its own.
  package func setting(of provider: EmulatedProvider) -> JSONObject? {
    provider.row.handout.setting?(credentials, ports)
  }
}

extension EmulatedProvider {
  /// What speaks at its port, and the port's number unless another is chosen; 0 for any free one.
  package var port: (words: String, usual: UInt16) { (row.port.words, row.port.usual) }

  /// The names of the files of credentials that clients read.
  package static var credentialFileNames: [String] { withDevices.flatMap(\.row.handout.files).map(\.name) }
}
