/// Commands for the people who work with the server, and their sessions.
extension APITable {
  private static let rolesField = APIField.member(
    "roles", "ROLE",
    "What they may do: owner, admin, sender, analyst or support, and behind a colon the app; may be repeated.", .list,
    option: "--role")

  private static let invitation = (member: "invitation", path: "/#/join/")
  private static let linkDetails = """
    The link begins with the address that the command calls (--url). People who reach the server by another name need that
    name in it. With --json, the invitation is what is behind /#/join/.
    """

  static let people = Subject(
    name: "people", summary: "Who works with the server: invite, roles, remove.",
    rows: [
      APIRow(
        "people list", "listPeople",
        shows: .list("people", columns: ["id", "email", "name", "roles", "state", "signed_in_at"])),
      APIRow("people show", "getPerson", "Shows a person, by id or email.", shows: .details).with {
        $0.examples = ["postrider people show 3", "postrider people show ann@example.com"]
      },
      APIRow(
        "people invite", "invitePerson",
        "Invites somebody, and prints the link for them, this once.", shows: .details
      ).with {
        $0.link = invitation
        $0.details = linkDetails
        $0.operands = ["email"]
        $0.fields = [
          .member("name", "TEXT", "The display name, which is required."), rolesField,
          .member(
            "expires_in_seconds", "SECONDS", "How long the invitation can be used; seven days unless given.", .integer,
            option: "--expires-in"),
        ]
        $0.examples = ["postrider people invite ann@example.com --name Ann --role sender:shop --role analyst:blog"]
      },
      APIRow(
        "people role", "updatePerson", "Replaces the roles of a person, by id or email, or changes the name.",
        shows: .details
      )
      .with {
        $0.fields = [rolesField, .member("name", "TEXT", "The display name.")]
        $0.examples = ["postrider people role ann@example.com --role admin"]
      },
      APIRow("people reinvite", "renewInvitation", shows: .details).with {
        $0.link = invitation
        $0.details = linkDetails
        $0.fields = [
          .member(
            "expires_in_seconds", "SECONDS", "How long the invitation can be used; seven days unless given.", .integer,
            option: "--expires-in")
        ]
      },
      APIRow("people revoke", "revokeInvitation", shows: .done("The invitation cannot be used any more.")),
      APIRow(
        "people remove", "removePerson",
        "Removes a person, by id or email, with their sessions and keys; what they did keeps their name. The last owner"
          + " remains.",
        shows: .done("The person is removed, with their sessions and keys.")
      ).with { $0.examples = ["postrider people remove ann@example.com"] },
    ], offline: [.addOwner])

  static let sessions = Subject(
    name: "sessions", summary: "Who is signed in to the dashboard.",
    rows: [
      APIRow(
        "sessions list", "listSessions",
        shows: .list(
          "sessions", columns: ["id", "holder.kind", "holder.name", "used_at", "started_at", "from", "agent"])),
      APIRow("sessions end", "endSession", shows: .done("The session is ended.")),
    ])
}
