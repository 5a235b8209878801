extension Schema {
  /// The latest time that the store was given: what is dated later than now was written by a clock that was ahead.
  static let clock = """
    CREATE TABLE clock(latest INTEGER NOT NULL);
    INSERT INTO clock VALUES (0);
    """
}
