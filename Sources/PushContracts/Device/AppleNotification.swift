/// What iOS itself draws of a notification, whichever library prepares it.
package enum AppleNotification {
  /// The most buttons that are drawn; those after them are left out.
  ///
  /// Source: Apple, `UNNotificationCategory`: up to ten actions, and two where there is little room.
  package static let buttonsMax = 10
}
