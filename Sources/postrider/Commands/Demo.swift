import PostriderServer
import ProviderEmulator
import PushContracts
import Signing
import WireJSON

/// A first look without accounts at Apple or Google: an app whose credentials name a built-in emulator, with a virtual
/// iPhone, a virtual Android phone and a virtual browser.
struct Demo {
  /// The bundle id of the demo app.
  static let topic = "com.example.demo"
  static let iPhone = "00" + String(repeating: "a1b2c3d4", count: 7) + "e5f601"
  static let android = "demo-android:APA91b" + String(repeating: "Demo", count: 8)

  static let browser = "demo-browser"

  private let emulator: ProviderEmulator

  /// Starts the emulator.
  init(port: UInt16) throws(Exit) {
    var configuration = EmulatorConfiguration()
    configuration.plainPort = port
    configuration.controlToken = Environment.value("POSTRIDER_EMULATOR_TOKEN")
    var iPhone = DeviceDescription(provider: .apns, token: Self.iPhone)
    iPhone.topics = [Self.topic]
    var android = DeviceDescription(provider: .fcm, token: Self.android)
    iPhone.phone = Self.phone
    android.phone = Self.phone
    configuration.scenario.devices = [iPhone, android]
    do { emulator = try ProviderEmulator(configuration) } catch {
      guard !error.isAboutSettings else { throw .usage("POSTRIDER_EMULATOR_TOKEN: \(error.description)") }
      throw .failure("the demo: \(error.description); --emulator-port names another")
    }
  }

  /// What both phones have: the demo app.
  private static var phone: PhoneDescription {
    var phone = PhoneDescription()
    phone.appName = "Demo"
    phone.contract = .amba
    return phone
  }

  /// Makes the demo app and points it at the emulator, whose keys are new at every start.
  func furnish(_ server: PostriderServer) throws(Exit) {
    do {
      try server.makeApp(name: "demo", title: "Demo", contract: "amba")
      let saved = try JSON.parse(server.credentials(app: "demo"))
      try server.setCredentials(
        app: "demo", json: JSON.minified(Self.credentials(of: emulator, web: saved["web"]?.object)))
      _ = try server.registerDevice(
        app: "demo", json: JSON.minified(["type": "ios", "token": .string(Self.iPhone), "user": "alice"]))
      _ = try server.registerDevice(
        app: "demo", json: JSON.minified(["type": "android", "token": .string(Self.android), "user": "bob"]))
      try givePhones(server)
      // Its push service is a new one at each start, as are its keys: what was registered before would reach nothing.
      if try server.hasDevice(app: "demo", named: Self.browser) {
        _ = try server.registerDevice(app: "demo", json: JSON.minified(subscription(try Self.publicKey(server))))
      }
    } catch {
      throw .failure("the demo cannot be set up: \(error)")
    }
  }

  /// The key that browsers subscribe with: the app's, which the server made at the first start.
  private static func publicKey(_ server: PostriderServer) throws(PostriderServerError) -> String {
    (try? JSON.parse(server.credentials(app: "demo")))?["web"]?["public_key"]?.string ?? ""
  }

  /// The browser's registration, as its page sends it.
  private func subscription(_ publicKey: String) -> JSONValue {
    // The endpoint has another port at each start: under its name the browser stays the same device.
    var body: JSONObject = [
      "type": "web", "name": .string(Self.browser), "user": "carol", "application_server_key": .string(publicKey),
    ]
    let subscription = emulator.subscription(Self.browser)
    body["endpoint"] = subscription?["endpoint"]
    for (name, value) in subscription?["keys"]?.object ?? [:] { body[name] = value }
    return .object(body)
  }

  /// Gives both devices a screen, whose taps are reported as an app's library would.
  private func givePhones(_ server: PostriderServer) throws(PostriderServerError) {
    let key = try server.makeKey(name: "virtual phones", scopes: .client, app: "demo", replacingNamesakes: true)
    var phone = PhoneDescription()
    phone.appName = "Demo"
    phone.reporting = PhoneReporting(url: server.url, app: "demo", key: key)
    emulator.allowReports(to: ReportServer(server.url))
    var iPhone = DeviceDescription(provider: .apns, token: Self.iPhone)
    iPhone.topics = [Self.topic]
    iPhone.phone = phone
    var android = DeviceDescription(provider: .fcm, token: Self.android)
    android.phone = phone
    var browser = DeviceDescription(provider: .web, token: Self.browser)
    browser.applicationServerKey = Base64URL.decode(try Self.publicKey(server))
    browser.phone = phone
    emulator.makeDevice(iPhone)
    emulator.makeDevice(android)
    emulator.makeDevice(browser)
  }

  /// The virtual devices, for the dashboard.
  var lab: Lab { Lab { [desk = emulator.desk] in desk.handle($0, $1, $2, $3) } }

  /// Ends the emulator.
  func stop() { emulator.stop() }

  /// What a newcomer does next, ready to paste.
  func welcome(_ server: PostriderServer) throws(Exit) -> String {
    // As it was called itself: it need not be on the shell's path.
    let program = CommandLine.arguments.first ?? "postrider"
    let publicKey: String
    do { publicKey = try Self.publicKey(server) } catch {
      throw .failure("the demo's key cannot be read: \(error)")
    }
    return """

      The app “demo” has a virtual iPhone, a virtual Android phone and a virtual browser behind an emulator.
      Look at them in the dashboard: \(server.url)/

      Send both a message:
        curl -s \(server.url)/v1/apps/demo/pushes -H "Authorization: Bearer $POSTRIDER_KEY" \
      -H 'Content-Type: application/json' -d '{"to":{"all":true},"campaign":"winback-1","message":\
      {"title":"Welcome back!","body":"Your streak is waiting for you.","data":{"screen":"home","promo":"winback"}}}'

      See what the iPhone received:
        curl -s \(emulator.ports.controlURI)/devices/apns/\(Self.iPhone)/pushes/last

      See what the Android phone received:
        curl -s \(emulator.ports.controlURI)/devices/fcm/\(Self.android)/pushes/last

      See what its screen shows, and tap it; the token is for changes to the virtual devices, new at every start:
        export POSTRIDER_EMULATOR_TOKEN=\(emulator.controlToken)
        \(program) phone show \(Self.android) --emulator http://\(emulator.ports.host):\(emulator.ports.plain)
        \(program) phone tap \(Self.android) 1 --emulator http://\(emulator.ports.host):\(emulator.ports.plain)

      A virtual browser has subscribed at the emulator's push service. Register it, as its page would, and it gets what the
      phones get; see what it received, decrypted:
        curl -s \(server.url)/v1/apps/demo/devices -H "Authorization: Bearer $POSTRIDER_KEY" -H 'Content-Type: application/json' \
      -d '\(JSON.minifiedText(subscription(publicKey)))'
        curl -s \(emulator.ports.controlURI)/devices/web/\(Self.browser)/pushes/last/payload

      Ctrl-C stops the server.

      """
  }

  /// - Parameter saved: what is shown of the app's web push, whose settings and keys stay as they are.
  private static func credentials(of emulator: ProviderEmulator, web saved: JSONObject?) -> JSONValue {
    // Without a key the server keeps those that are there, which browsers have subscribed with.
    var web = saved ?? ["subject": "mailto:demo@example.com"]
    for name in ["public_key", "earlier_keys", "updated_at"] { web[name] = nil }
    let authority = JSONValue.string(emulator.authorityPEM)
    var credentials = JSONObject()
    for provider in EmulatedProvider.withDevices {
      var setting = emulator.setting(of: provider) ?? web
      setting["gateway"] = [
        "host": .string(emulator.ports.host), "port": .number(JSONNumber(emulator.ports[provider])), "ca": authority,
      ]
      credentials.append(provider.rawValue, .object(setting))
    }
    var apns = credentials["apns"]?.object ?? [:]
    apns["topic"] = .string(topic)
    credentials["apns"] = .object(apns)
    return .object(credentials)
  }
}
