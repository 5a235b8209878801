extension Schema {
  /// When a key was rotated, and the end it had by itself: a rotation moves `expires_at`, and what comes after the key inherits
  /// its own end, not that of its overlap.
  static let keyRotation = """
    ALTER TABLE api_keys ADD COLUMN rotated_at INTEGER;
    ALTER TABLE api_keys ADD COLUMN own_end INTEGER;
    """
}
