package import StoreModel

/// Who has a duty, or had it last.
///
/// The epoch is the fence: what its holder writes is refused once another one has taken it. A duty that is given back keeps its
/// epoch, with a term that is over.
package struct DutyHolder {
  /// The epoch of a duty that nobody has had.
  package static let firstEpoch: Int64 = 1

  private let node: String
  private let instance: Int64
  private let epoch: Int64
  private let until: Timestamp

  package init(node: String, instance: Int64, epoch: Int64, until: Timestamp) {
    (self.node, self.instance, self.epoch, self.until) = (node, instance, epoch, until)
  }

  /// The epoch under which a node has the duty if it takes or keeps it now; nil while another one has it.
  package func nextEpoch(for node: String, _ instance: Int64, _ now: Timestamp) -> Int64? {
    // A node of the same name is this one's previous run, because a name is had by one server at a time.
    let isOwn = node == self.node
    guard isOwn || until <= now else { return nil }
    return isOwn && instance == self.instance ? epoch : epoch + 1
  }
}
