/// Carries a value out of a lock that guards its later use too.
// Sound: whoever takes the value out uses it with the same lock held only.
public struct Confined<Value>: @unchecked Sendable {
    /// The value, for whoever holds the lock.
    public let value: Value

    /// Wraps a value that is made with the lock held.
    public init(_ value: Value) { self.value = value }
}
