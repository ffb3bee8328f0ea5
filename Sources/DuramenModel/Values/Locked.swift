#if DURAMEN_THREAD_SANITIZER
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
#else
public import Synchronization
#endif

/// A value that only one thread at a time may use: a `Mutex` under another name.
///
/// The thread sanitizer does not see `Mutex`, whose slow path is in the standard library, and
/// reports everything that it guards. Under the sanitizer, the lock is therefore a system lock,
/// which the sanitizer knows.
// Sound: the value is used with the lock held only; see the proofs below.
public struct Locked<Value>: ~Copyable, @unchecked Sendable {
    #if DURAMEN_THREAD_SANITIZER
    // Sound: both are made and freed here, and `value` is used with `lock` held only.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Creates a lock that guards a value.
    public init(_ value: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls `body` with the value while no other thread uses it.
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }

    /// Calls `body` with the value, or returns nil if another thread is using it.
    public borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
    #else
    // Sound: a Mutex is Sendable whatever it guards.
    @usableFromInline let mutex: Mutex<Value>

    /// Creates a lock that guards a value.
    @inlinable public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls `body` with the value while no other thread uses it.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }

    /// Calls `body` with the value, or returns nil if another thread is using it.
    @inlinable public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable(body)
    }
    #endif
}
