/// What reading a whole database found.
public struct Examination: Sendable, Hashable {
  /// What the engine says of damaged pages, at most ``faultsMax``; empty when every page is whole.
  public var pageFaults: [String] = []
  /// Where the ledger breaks its law, at most ``faultsMax``.
  public var ledgerFaults: [LedgerFault] = []
  /// Pushes that were recounted.
  public var pushes = 0
  /// Whether it was read to its end.
  public var isComplete = false

  /// Nothing found, nothing read.
  public init() {}

  /// Faults that are listed.
  public static let faultsMax = 100

  /// Whether nothing was found.
  public var isSound: Bool { pageFaults.isEmpty && ledgerFaults.isEmpty }
}
