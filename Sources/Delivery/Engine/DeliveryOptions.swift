public import StoreModel
internal import System

/// How the pipeline works, and what it is given instead of a clock, dice and disasters.
public struct DeliveryOptions: Sendable {
  /// The name of this node; its existing leases are ended when the pipeline starts.
  ///
  /// With a database that several nodes use it is the name under which the store has joined.
  public var node = "local"
  /// Deliveries of one lane (app, provider and environment) leased and not yet answered, at most, but for one lease that was in
  /// progress when another one of transactional pushes was made.
  ///
  /// All lanes together hold at most twice as many, and no lane more than what it leaves free for the others: alone it has
  /// the whole window, beside nine like it an eleventh of both. It bounds memory and what may be sent twice after a crash.
  public var window = 20_000
  /// The part of a lane's window that campaigns leave to transactional pushes.
  public var transactionalReserve = 2_000
  /// Deliveries leased from one campaign in one turn; turns go round the campaigns.
  public var campaignTurn = 1_500
  /// Deliveries added in one audience expansion.
  public var audienceChunk = 1_500
  /// First attempts that a campaign has ready ahead of the senders.
  public var audienceAhead = 20_000
  /// Queued deliveries of one lane above which no campaign deliveries are leased for it.
  public var laneQueue = 8_000
  /// Results written in one batch, at most; it bounds how long a transactional delivery waits behind bulk results.
  public var recordBatch = 1_000
  /// How long a result waits for others before the batch is written, in milliseconds.
  public var recordDelayMs: Int64 = 15
  /// How long a lease runs unless renewed, in milliseconds.
  public var leaseMs: Int64 = 60_000
  /// How often the store is polled for work that was not signaled, in milliseconds.
  public var pollMs: Int64 = 1_000
  /// Sends a second for each provider of each app; nil for no limit.
  ///
  /// FCM's default is its quota of 600 000 a minute, with the ramp it requires (facts 2.6).
  public var rates: [Provider: Rate] = [.fcm: Rate(perSecond: 10_000, rampMs: 60_000)]
  /// When deliveries are abandoned.
  public var givingUp = GivingUp()
  /// What is decided where the providers' pages leave it open.
  public var choices = PolicyTable.Choices()
  /// When mass retirement is halted.
  public var spikeGuard = SpikeGuard.Settings()
  /// The time.
  public var clock: @Sendable () -> Timestamp
  /// Failures in a row that close a lane until a few sends have tried it.
  package var breakerFailures = Breaker.failuresMax
  /// Milliseconds since an arbitrary instant; never steps.
  package var monotonicMs: @Sendable () -> Int64 = { SystemClock.monotonicMs() }
  /// The same, and goes on while the machine is suspended: what has a term in a database of several nodes is measured by it.
  package var elapsedMs: @Sendable () -> Int64 = { SystemClock.elapsedMs() }
  /// 64 random bits.
  public var random: @Sendable () -> UInt64
  /// Called at the points where a test may kill the process.
  public var onFaultPoint: (@Sendable (FaultPoint) -> Void)?
  /// Receives the sends of pushes that are traced; nil when nothing is.
  package var tracing: (any DeliveryTracing)?
  /// Called on the pipeline's thread with events for operators; it must return quickly.
  public var onEvent: (@Sendable (DeliveryEvent) -> Void)?

  /// A rate and its ramp.
  public struct Rate: Sendable, Hashable {
    /// Sends a second after the ramp.
    public var perSecond: Double
    /// Milliseconds from the first send to the full rate.
    public var rampMs: Int64

    /// Creates a value from its parts.
    public init(perSecond: Double, rampMs: Int64 = 0) {
      self.perSecond = perSecond
      self.rampMs = rampMs
    }
  }

  /// The defaults, with the system's clock and dice.
  public init() {
    clock = { SystemClock.now() }
    random = {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }

  /// Larger steps, for a ledger on a database server.
  ///
  /// There a transaction is a dozen messages and a flush, whatever it holds: with steps this large a delivery of a campaign costs the
  /// server a seventh less, and a transactional one waits some milliseconds longer.
  public mutating func useServerBatches() {
    campaignTurn = 5_000
    audienceChunk = 5_000
    recordBatch = 4_000
    recordDelayMs = 25
  }
}

/// A point in the processing of a push at which a test can inject a fault.
public enum FaultPoint: String, Sendable, Hashable, CaseIterable {
  /// The deliveries are leased, durably; nothing is on the wire yet.
  case send
  /// The batch was handed to the sender.
  case sent
  /// Answers have come; nothing of them is written yet.
  case answer
  /// The answers are written, durably.
  case write
}

/// An event for operators.
public enum DeliveryEvent: Sendable, Hashable {
  /// Leases of a previous run were ended.
  case recovered(RecoverySummary)
  /// A provider refused a credential: only a few sends now and then try it again. Reported at each such refusal.
  case providerStopped(LaneStop)
  /// The provider takes the credential again.
  case providerResumed(LaneKey)
  /// A provider refused some pushes because of a credential and accepts others; reported again every ten minutes while it
  /// lasts.
  case credentialDoubted(LaneKey, reason: String)
  /// The share of devices reported invalid or suspect is so high that none is retired for now.
  case retirementHalted(AppID, share: Double)
  /// The share is back to normal; `kept` devices were not retired.
  case retirementResumed(AppID, kept: Int)
  /// The gateway of a lane cannot be reached; the environments of a provider have gateways of their own.
  case gatewayUnreachable(LaneKey, reason: String)
  /// It can again.
  case gatewayReachable(LaneKey)
  /// All deliveries of a push have their final state.
  case pushFinished(PushID)
  /// A store operation failed; sending pauses until it succeeds.
  case storeTrouble(StoreError)
  /// The store works again.
  case storeRecovered
  /// This node leases nothing, and hands nothing to its senders, among the nodes of a database.
  case nodeWaits(StoreError)
  /// It works again, one of so many live nodes.
  case nodeWorks(liveNodes: Int)
  /// The clock was set back: `changed` due times and timestamps written while it was ahead were corrected.
  case clockFollowed(changed: Int)
}

/// What the pipeline is doing, in numbers.
public struct DeliveryStatistics: Sendable, Hashable {
  /// Leased and not yet recorded.
  public var inFlight = 0
  /// Handed to a sender and not yet answered.
  public var onWire = 0
  /// Waiting for a sender.
  public var queued = 0
  /// Answers that wait to be written.
  public var unwritten = 0
  /// Handed to senders since the start.
  public var sent = 0
  /// Recorded as accepted since the start.
  public var accepted = 0
  /// Recorded since the start, whatever the result.
  public var recorded = 0
  /// Devices retired or quarantined since the start.
  public var devicesHeld = 0

  /// All zero.
  public init() {}
}
