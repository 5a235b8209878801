extension Schema {
  /// Finds out whether an app has devices that FCM reaches over another push service, by a few rows: messages are
  /// written for them only then (`DeviceKind.isOnlyWhereRegistered`).
  static let carriedDevices = """
    CREATE INDEX devices_carried ON devices(app, kind) WHERE kind IN (10, 11);
    """
}
