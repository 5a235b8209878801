/// What each platform has of one thing: a new platform is a new member, and the compiler finds all that lack it.
package struct PerPlatform<Value> {
  package var ios: Value
  package var android: Value

  package init(ios: Value, android: Value) { (self.ios, self.android) = (ios, android) }

  package init(_ value: (Platform) -> Value) { self.init(ios: value(.ios), android: value(.android)) }

  package subscript(_ platform: Platform) -> Value {
    get {
      switch platform {
      case .ios: ios
      case .android: android
      }
    }
    set {
      switch platform {
      case .ios: ios = newValue
      case .android: android = newValue
      }
    }
  }
}

extension PerPlatform: Sendable where Value: Sendable {}
