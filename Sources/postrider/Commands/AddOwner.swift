import PostriderServer
import WireJSON

extension Command {
  /// An owner for a stopped server.
  static let addOwner = Command(
    name: "people add",
    summary: "Invites an owner without a server, in its data folder or its database, and prints the link once.",
    options: [
      Option(name: "--owner", help: "Says so; other roles are given with “people invite”."),
      Option(name: "--email", value: "EMAIL", help: "With what they sign in."),
      Option(name: "--name", value: "TEXT", help: "The display name; the email unless given."),
      Option(name: "--data", value: "DIR", help: "The data folder; ./postrider-data unless given."),
    ] + StoreOptions.all + [APIRun.json],
    details: """
      For the first owner, or when no owner can sign in any more: for an owner who is there it makes another link. It works
      without a server and without a key, for whoever may write to the folder; a folder that a server uses is refused. In a
      database (--store) servers may work meanwhile. The link is the server's address with what is printed behind it; it can be used once, for seven days.
      """,
    examples: ["postrider people add --owner --email ann@example.com --name Ann --data /var/lib/postrider"],
    run: runAddOwner)

  private static func runAddOwner(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard arguments.has("--owner") else {
      throw .usage("--owner is missing; other roles are given with “people invite”")
    }
    let email = try arguments.required("--email")
    let made: OwnerInvitation.Made
    let location = try StoreOptions.location(arguments)
    do {
      made = try OwnerInvitation.run(
        location, email: email, name: arguments.value("--name") ?? email)
    } catch { throw Exit(error) }
    let value: JSONValue = [
      "id": .string(made.id), "email": .string(made.email), "roles": ["owner"],
      "link": .string("/#/join/\(made.invitation)"), "invited_until": .string(made.until),
    ]
    if arguments.has("--json") {
      Terminal.print(JSON.minified(value) + [UInt8(ascii: "\n")])
    } else {
      Terminal.print(Details(value).text(width: Terminal.width))
    }
    return .fine
  }
}
