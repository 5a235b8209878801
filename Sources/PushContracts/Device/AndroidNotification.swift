/// What Android itself draws of a notification, whichever library makes it.
package enum AndroidNotification {
  /// The most buttons that are drawn; those after them are left out.
  ///
  /// Source: Android, “Create a notification”, “Add action buttons”: up to three.
  package static let buttonsMax = 3
}
