import Delivery
import GatewayPool
import ProviderEmulator
import PushStore
import StoreModel
import TestSupport

/// What differs from seed to seed in how the server is set up: small windows and short times, so that limits are reached.
struct SimulatedSetup {
  let providers: [EmulatedProvider]
  let delivery: DeliveryOptions
  let timing: SendTiming
  let queueCapacity: Int
  private let connections: Int
  private let streams: Int

  init(_ random: inout SeededRandom) {
    func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    providers = pick([[.apns], [.apns], [.fcm], [.apns, .fcm], [.apns, .fcm]])
    var delivery = DeliveryOptions()
    delivery.window = pick([3, 20, 20_000])
    delivery.transactionalReserve = pick([0, 1, 2_000])
    delivery.campaignTurn = pick([2, 1_500])
    delivery.audienceChunk = pick([2, 1_500])
    delivery.laneQueue = pick([2, 8_000])
    delivery.recordBatch = pick([1, 3, 1_000])
    delivery.recordDelayMs = pick([0, 15])
    delivery.leaseMs = pick([60_000, 600_000])
    delivery.pollMs = pick([10_000, 60_000])
    delivery.rates = pick([[:], [.apns: .init(perSecond: 3)], [.fcm: .init(perSecond: 50, rampMs: 10_000)]])
    delivery.givingUp = GivingUp(
      apnsAgeMs: pick([600_000, 6 * 3_600_000]), fcmAgeMs: pick([300_000, 5_400_000]), attemptsMax: pick([2, 4, 16]))
    delivery.breakerFailures = pick([2, 64])
    delivery.spikeGuard = .init(shareMax: 0.3, answersMin: pick([4, 100]))
    self.delivery = delivery
    var timing = SendTiming()
    timing.queueTimeout = pick([.seconds(3), .seconds(30)])
    timing.requestTimeout = pick([.seconds(2), .seconds(30)])
    self.timing = timing
    queueCapacity = pick([2, 100_000])
    connections = pick([1, 2, 4])
    streams = pick([1, 3, 1_000])
  }

  func limits(_ defaults: PoolLimits) -> PoolLimits {
    var limits = defaults
    limits.connectionsMax = connections
    limits.streamsPerConnectionMax = min(streams, defaults.streamsPerConnectionMax)
    return limits
  }
}
