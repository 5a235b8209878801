extension Schema {
  /// When the devices of named users were looked up, for pushes whose start was later than their making; null otherwise.
  static let audiences = """
    ALTER TABLE pushes ADD COLUMN gathered_at INTEGER;
    """
}
