extension Schema {
  /// Who is not sent what, and when: an app's quiet hours and frequency cap, a push's category, and the last pushes of each user.
  ///
  /// `frequency` holds one row for each user (their key) or device without a user (its key made negative): the pushes that
  /// count against the cap, at most as many as the cap, 16 bytes each.
  static let suppression = """
    ALTER TABLE pushes ADD COLUMN category TEXT;
    ALTER TABLE pushes ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE suppression(
      app INTEGER PRIMARY KEY, quiet_from INTEGER, quiet_to INTEGER, quiet_zone TEXT,
      cap_pushes INTEGER, cap_window INTEGER);
    CREATE TABLE frequency(subject INTEGER PRIMARY KEY, recent BLOB NOT NULL);
    """
}
