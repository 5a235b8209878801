extension Schema {
  /// The outcomes that every database has for push services of browsers: accepted, and a reason beyond the limit of the
  /// table (`OutcomeCode`).
  ///
  /// Their numbers are below zero, because a file that grew before may have used any number above.
  static let webOutcomes = """
    INSERT INTO outcomes VALUES (-2, 3, 201, ''), (-3, 3, 0, 'other');
    """
}
