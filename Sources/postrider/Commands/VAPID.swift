import Signing
import WebPush
import WireJSON

extension Command {
  /// VAPID keys for pushes to browsers.
  static let vapid = Command.group(
    "vapid", "The key by which an application identifies itself to the push services of browsers.",
    [vapidCreate, vapidShow])

  private static let vapidCreate = Command(
    name: "vapid create", summary: "Makes a VAPID key and prints its public half.", operands: "FILE", operandsMax: 1,
    details: """
      Writes the private key to FILE, as PEM that only its owner can read, and prints {"public_key": …}: the page passes that
      text to pushManager.subscribe as applicationServerKey. Browsers bind subscriptions to the key, so keep the file: with
      another key, every browser has to subscribe again. A FILE that exists is never overwritten.
      """,
    examples: ["postrider vapid create vapid.pem"]
  ) { (arguments) throws(Exit) in
    guard let file = arguments.operands.first else { throw .usage("FILE is missing: where to write the private key") }
    do throws(SigningError) {
      let key = try VAPIDKey.generate()
      let pem = try key.pem()
      return try create(file, pem, key)
    } catch { throw .failure("\(error)") }
  }

  private static func create(_ file: String, _ pem: String, _ key: VAPIDKey) throws(SigningError) -> ExitStatus {
    do throws(Exit) {
      try Terminal.write(pem, toFile: file, mode: 0o600, isNew: true)
    } catch {
      Terminal.complain("vapid create: \(error.message)")
      return error.status
    }
    show(key)
    return .fine
  }

  private static let vapidShow = Command(
    name: "vapid show", summary: "Prints the public half of a VAPID key.", operands: "FILE", operandsMax: 1,
    details: """
      FILE (“-” or nothing: standard input) is the private key: PEM, or the Base64URL text of 32 bytes that web-push and other
      generators print.
      """,
    examples: ["postrider vapid show vapid.pem"]
  ) { (arguments) throws(Exit) in
    let content = try Input.bytes(arguments.operands.first)
    do throws(WebPushError) {
      show(try VAPIDKey(file: content))
    } catch { throw .unreadable("\(error)") }
    return .fine
  }

  private static func show(_ key: VAPIDKey) {
    Terminal.print(JSON.minified(["public_key": .string(key.publicText)]) + [UInt8(ascii: "\n")])
  }
}
