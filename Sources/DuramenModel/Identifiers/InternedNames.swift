public import Foundation

/// Gives out one small number per name for the life of the process, so that IDs stay 16 bytes.
struct InternTable<Key: Hashable & Sendable>: ~Copyable, Sendable {
    private struct State: Sendable {
        var handles: [Key: UInt32] = [:]
        var keys: [Key] = []
    }

    private let state = Locked(State())

    /// The number of `key`, from 1; the same for equal keys.
    func handle(for key: Key) -> UInt32 {
        state.withLock { state in
            if let known = state.handles[key] { return known }
            state.keys.append(key)
            let handle = UInt32(state.keys.count)
            state.handles[key] = handle
            return handle
        }
    }

    /// The number that `key` was given before; nil when it has none.
    func knownHandle(for key: Key) -> UInt32? { state.withLock { $0.handles[key] } }

    /// The key that `handle` was given out for; nil for 0.
    func key(for handle: UInt32) -> Key? {
        handle == 0 ? nil : state.withLock { $0.keys[Int(handle) - 1] }
    }
}

private let entityNames = InternTable<StoredText>()
private let storeIdentifiers = InternTable<UUID>()

/// The process-wide number of an entity name. Two models that share a name share the number.
public struct EntityHandle: Hashable, Sendable {
    /// The number itself, at most 24 bits wide.
    public let rawValue: UInt32

    /// Takes a number that ``init(name:)`` gave out before.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Interns a name.
    public init(name: String) { rawValue = entityNames.handle(for: StoredText(name)) }

    /// Looks a name up; nil when no model and no ID of this process has named it.
    ///
    /// Names from outside come this way: what is interned stays for the life of the process.
    public init?(knownName name: String) {
        guard let known = entityNames.knownHandle(for: StoredText(name)) else { return nil }
        rawValue = known
    }

    /// The name.
    public var name: String { entityNames.key(for: rawValue)?.string ?? "" }
}

/// The process-wide number of a persistent store, given by its UUID.
public struct StoreHandle: Hashable, Sendable {
    /// The number itself; 0 belongs to no store.
    public let rawValue: UInt32

    /// Takes a number that ``init(uuid:)`` gave out before.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Interns a store's UUID.
    public init(uuid: UUID) { rawValue = storeIdentifiers.handle(for: uuid) }

    /// The handle of objects that no store knows yet.
    public static let none = StoreHandle(rawValue: 0)

    /// The store's UUID; nil for ``none``.
    public var uuid: UUID? { storeIdentifiers.key(for: rawValue) }
}
