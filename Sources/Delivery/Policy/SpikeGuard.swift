public import StoreModel

/// Stops mass retirement: when too large a share of recent answers reports devices as invalid or suspect, the cause is
/// elsewhere (another environment, another topic, a provider's mistake), and devices are not retired.
public struct SpikeGuard: Sendable {
  /// When it trips.
  public struct Settings: Sendable, Hashable {
    /// The share of answers against their device above which devices are not retired.
    public var shareMax: Double
    /// Answers in the window below which no share means anything.
    public var answersMin: Int
    /// The length of the window in milliseconds.
    public var windowMs: Int64

    /// Creates a value from its parts.
    public init(shareMax: Double = 0.3, answersMin: Int = 100, windowMs: Int64 = 600_000) {
      self.shareMax = shareMax
      self.answersMin = answersMin
      self.windowMs = windowMs
    }
  }

  /// The settings.
  public let settings: Settings
  /// Whether retirement is halted.
  public private(set) var isTripped = false
  /// Devices that were not retired since the guard tripped.
  public private(set) var kept = 0
  private var slices: [Slice] = []
  private var answers = 0
  private var against = 0

  private struct Slice {
    let number: Int64
    var answers = 0
    var against = 0
  }

  private static let slicesInWindow: Int64 = 20

  /// Starts with an empty window.
  public init(settings: Settings = Settings()) { self.settings = settings }

  /// The share of answers in the window that are against their device.
  public var share: Double { answers == 0 ? 0 : Double(against) / Double(answers) }

  /// Takes one answer and says whether its consequence may be applied.
  public mutating func allows(_ consequence: DeviceConsequence?, at now: Timestamp) -> Bool {
    let number = now.milliseconds / max(settings.windowMs / Self.slicesInWindow, 1)
    if slices.last?.number != number { turn(to: number) }
    let last = slices.count - 1
    slices[last].answers += 1
    answers += 1
    if consequence != nil {
      slices[last].against += 1
      against += 1
    }
    judge()
    guard consequence != nil, isTripped else { return true }
    kept += 1
    return false
  }

  /// Trips above the share, and recovers at half of it, so that it does not flutter.
  private mutating func judge() {
    if !isTripped {
      isTripped = answers >= settings.answersMin && share > settings.shareMax
      if isTripped { kept = 0 }
    } else if answers >= settings.answersMin && share < settings.shareMax / 2 {
      isTripped = false
    }
  }

  private mutating func turn(to number: Int64) {
    slices.append(Slice(number: number))
    while let first = slices.first, first.number <= number - Self.slicesInWindow || first.number > number {
      answers -= first.answers
      against -= first.against
      slices.removeFirst()
    }
    // After a long silence the window is empty, and what tripped the guard is history.
    if answers == 0 { isTripped = false }
  }
}
