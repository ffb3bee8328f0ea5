/// Carries a value out of a lock that must also guard its later use.
// Sound: code that takes the value out uses it only while it holds the lock.
public struct Confined<Value>: @unchecked Sendable {
    /// The value. Use it only while you hold the lock.
    public let value: Value

    /// Wraps a value that was made while the lock was held.
    public init(_ value: Value) { self.value = value }
}
