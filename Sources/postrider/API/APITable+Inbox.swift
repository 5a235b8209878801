import WireJSON

/// Commands about the messages that users read in the app.
extension APITable {
  static let inbox = Subject(
    name: "inbox", summary: "Inboxes: messages that users read in the app.",
    rows: [
      APIRow(
        "inbox list", "listInbox", "Lists a user's messages, newest first.",
        shows: .list("messages", columns: ["id", "title", "read", "created_at", "expires_at", "push"])
      ).with { $0.fields = [.query("unread", "true", "Only those that were not read.", choices: ["true", "false"])] },
      APIRow("inbox show", "getInboxMessage", shows: .details),
      APIRow("inbox leave", "leaveInboxMessage", shows: .details).with {
        $0.fields = [
          .member("id", "ID", "Your own id of it, unique in the app; made unless given."),
          .member("title", "TEXT", "The line that a list shows."),
          .member("summary", "TEXT", "The lines that a list shows below it."),
          .member("body", "TEXT", "The whole text."),
          .member("type", "TYPE", "What the body is; text unless given.", choices: ["text", "html"]),
          .member("url", "URL", "Where it leads.", option: "--link"),
          .member("data", "NAME=TEXT", "More for the app; NAME:=JSON for what is no text; may be repeated.", .pairs),
          .member(
            "expires_in_seconds", "SECONDS", "When it is removed; after 90 days unless given.", .integer,
            option: "--expires-in"),
          .member("push.message.title", "TEXT", "Sends a push with it, with this title.", option: "--push-title"),
          .member("push.message.body", "TEXT", "The same, with this text.", option: "--push-body"),
        ]
        $0.body = .file()
        $0.details = "FILE has the other members as in docs/api.md, or is “-”."
        $0.examples = [
          "postrider inbox leave alice --app demo --title \"Your statement\" --body \"It is ready.\""
            + " --push-title \"A new message\" --push-body \"Your statement is ready.\""
        ]
      },
      APIRow("inbox read", "updateInboxMessage", "Marks a message as read.", shows: .details).with {
        $0.fixed = [("read", true)]
        $0.examples = ["postrider inbox read alice 7c9e6679-7425-40de-944b-e07fc1f90ae7 --app demo"]
      },
      APIRow("inbox unread", "updateInboxMessage", "Marks a message as unread.", shows: .details).with {
        $0.fixed = [("read", false)]
      },
      APIRow("inbox read-all", "readInbox", shows: .details).with {
        $0.fixed = [("read", true)]
        $0.fields = [.member("up_to", "ID", "The id of the newest message that was read; all unless given.")]
        $0.examples = ["postrider inbox read-all alice --app demo"]
      },
      APIRow("inbox delete", "deleteInboxMessage", shows: .done("The message is gone.")),
    ])
}
