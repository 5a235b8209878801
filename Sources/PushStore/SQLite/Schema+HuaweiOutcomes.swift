extension Schema {
  /// The outcomes that every database has for Huawei's Push Kit: accepted, and a reason beyond the limit of the table
  /// (`OutcomeCode`).
  static let huaweiOutcomes = """
    INSERT INTO outcomes VALUES (-4, 4, 200, ''), (-5, 4, 0, 'other');
    """
}
