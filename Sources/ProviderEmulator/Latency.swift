internal import Glibc

/// How long answers take.
public enum Latency: Sendable, Hashable {
  /// At once.
  case none
  /// Always the same, in milliseconds.
  case fixed(Int)
  /// Anything between, equally likely, in milliseconds.
  case uniform(Int, Int)
  /// Around a mean, in milliseconds; never below zero.
  case normal(mean: Double, deviation: Double)
  /// By a table of (percentile 0…100, milliseconds), ascending; straight lines between, from 0 ms at percentile 0.
  case percentiles([Point])

  /// One point of a distribution.
  public struct Point: Sendable, Hashable {
    /// The share of answers, 0…100, that take at most `milliseconds`.
    public var percentile: Double
    /// The bound.
    public var milliseconds: Double

    /// A point.
    public init(percentile: Double, milliseconds: Double) {
      self.percentile = percentile
      self.milliseconds = milliseconds
    }
  }

  /// The longest delay there is: one hour.
  static let milliSecondsMax = 3_600_000

  func sample(_ random: inout EmulatorRandom) -> Int {
    let value: Double
    switch self {
    case .none: return 0
    case .fixed(let milliseconds): value = Double(milliseconds)
    case .uniform(let low, let high): value = Double(low) + random.unit() * max(0, Double(high) - Double(low))
    case .normal(let mean, let deviation): value = mean + deviation * Self.standardNormal(&random)
    case .percentiles(let points): value = Self.interpolate(points, at: random.unit() * 100)
    }
    return Int(min(max(value.isFinite ? value : 0, 0), Double(Self.milliSecondsMax)).rounded())
  }

  /// Box and Muller's transformation.
  private static func standardNormal(_ random: inout EmulatorRandom) -> Double {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    return radius * cos(2 * Double.pi * random.unit())
  }

  private static func interpolate(_ points: [Point], at percentile: Double) -> Double {
    var below = Point(percentile: 0, milliseconds: 0)
    for point in points {
      if percentile <= point.percentile {
        let width = point.percentile - below.percentile
        let share = width > 0 ? (percentile - below.percentile) / width : 1
        return below.milliseconds + share * (point.milliseconds - below.milliseconds)
      }
      below = point
    }
    return below.milliseconds
  }
}
