public import Foundation

/// Assigns one small number to each name for the life of the process, so that IDs have 16 bytes.
struct InternTable<Key: Hashable & Sendable>: ~Copyable, Sendable {
    private struct State: Sendable {
        var handles: [Key: UInt32] = [:]
        var keys: [Key] = []
    }

    private let state = Locked(State())

    /// Returns the number of `key`, from 1. Equal keys have equal numbers.
    func handle(for key: Key) -> UInt32 {
        state.withLock { state in
            if let known = state.handles[key] { return known }
            state.keys.append(key)
            let handle = UInt32(state.keys.count)
            state.handles[key] = handle
            return handle
        }
    }

    /// Returns the number that is already assigned to `key`; nil if none is.
    func knownHandle(for key: Key) -> UInt32? { state.withLock { $0.handles[key] } }

    /// Returns the key of a number that was assigned; nil for 0.
    func key(for handle: UInt32) -> Key? {
        handle == 0 ? nil : state.withLock { $0.keys[Int(handle) - 1] }
    }
}

private let entityNames = InternTable<StoredText>()
private let storeIdentifiers = InternTable<UUID>()

/// The process-wide number of an entity name. Equal names in two models have one number.
public struct EntityHandle: Hashable, Sendable {
    /// The number itself, at most 24 bits wide.
    public let rawValue: UInt32

    /// Creates a handle from a number that ``init(name:)`` assigned.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the handle of a name. The name stays interned for the life of the process.
    public init(name: String) { rawValue = entityNames.handle(for: StoredText(name)) }

    /// Creates the handle of a known name; nil if no model and no ID of this process has had the
    /// name.
    ///
    /// Use it for names from outside, since an interned name uses memory for the life of the
    /// process.
    public init?(knownName name: String) {
        guard let known = entityNames.knownHandle(for: StoredText(name)) else { return nil }
        rawValue = known
    }

    /// The name of the entity.
    public var name: String { entityNames.key(for: rawValue)?.string ?? "" }
}

/// The process-wide number of a persistent store, assigned by its UUID.
public struct StoreHandle: Hashable, Sendable {
    /// The number itself; 0 means no store.
    public let rawValue: UInt32

    /// Creates a handle from a number that ``init(uuid:)`` assigned.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the handle of a store's UUID. The UUID stays interned for the life of the process.
    public init(uuid: UUID) { rawValue = storeIdentifiers.handle(for: uuid) }

    /// The handle of objects that are not in a store yet.
    public static let none = StoreHandle(rawValue: 0)

    /// The store's UUID; nil for ``none``.
    public var uuid: UUID? { storeIdentifiers.key(for: rawValue) }
}
