internal import StoreModel

extension Connection {
  /// Whether a provider may have processed a delivery in an earlier attempt of this server whose outcome is not known.
  func isUncertain(_ delivery: DeliveryID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT unknowns > 0 FROM deliveries WHERE id = ?1")
    select.bind(1, delivery)
    return try select.step() && select.bool(0)
  }

  /// Whether a push was unfinished in the backup that brought it back, so that the original server may have sent it.
  func isRestored(_ push: PushID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT restored_at IS NOT NULL FROM pushes WHERE id = ?1")
    select.bind(1, push)
    return try select.step() && select.bool(0)
  }
}
