extension Schema {
  /// How long an app's devices are kept after they were last seen.
  static let unseen = """
    ALTER TABLE retention ADD COLUMN unseen_days INTEGER;
    """
}
