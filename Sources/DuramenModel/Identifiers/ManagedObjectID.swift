import Foundation
import Synchronization

/// The identity of a managed object, valid across contexts, and across processes in its URI form.
///
/// An ID has sixteen bytes: a 64-bit key, and one word with process-wide handles of store and
/// entity. Temporary IDs have negative keys and no store. The `Codable` form is the URI, never a
/// handle.
public struct ManagedObjectID: Sendable {
    /// The primary key; negative for temporary IDs.
    public let key: Int64
    // store handle << 32 | entity handle << 8
    @usableFromInline let word: UInt64

    /// Creates the ID of the object with a key of an entity in a store.
    public init(store: StoreHandle, entity: EntityHandle, key: Int64) {
        self.key = key
        word = UInt64(store.rawValue) << 32 | UInt64(entity.rawValue) << 8
    }

    /// Returns an ID that no other call in this process returns.
    public static func temporary(entity: EntityHandle) -> ManagedObjectID {
        ManagedObjectID(store: .none, entity: entity, key: reserveTemporaryKeys(1).upperBound)
    }

    /// Reserves keys for this process. Use them from the last to the first.
    package static func reserveTemporaryKeys(_ count: Int64) -> ClosedRange<Int64> {
        let (old, new) = temporaryKeys.add(count, ordering: .relaxed)
        return -new...(-old - 1)
    }

    /// Returns the ID of another key in the entity and store of this ID.
    @inlinable package func withKey(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(key: key, word: word)
    }

    @inlinable init(key: Int64, word: UInt64) {
        self.key = key
        self.word = word
    }

    /// The store that holds the object; ``StoreHandle/none`` for temporary IDs.
    public var store: StoreHandle { StoreHandle(rawValue: UInt32(truncatingIfNeeded: word >> 32)) }

    /// The handle of the object's own entity.
    public var entityHandle: EntityHandle {
        EntityHandle(rawValue: UInt32(truncatingIfNeeded: word & 0xFFFF_FFFF) >> 8)
    }

    /// The name of the object's own entity.
    public var entityName: String { entityHandle.name }

    /// Whether the ID is temporary: true until the first save, or until permanent IDs are obtained.
    public var isTemporaryID: Bool { key < 0 }
}

private let temporaryKeys = Atomic<Int64>(0)

extension ManagedObjectID: Hashable, Comparable {
    /// Returns whether two IDs name one object of one store. A temporary ID never equals a
    /// permanent one.
    public static func == (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        a.key == b.key && a.word == b.word
    }

    /// Orders by key, then by entity name and store. Results break ties in this order.
    public static func < (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        if a.key != b.key { return a.key < b.key }
        if a.word == b.word { return false }
        if a.entityHandle != b.entityHandle {
            return StoredText(a.entityName) < StoredText(b.entityName)
        }
        return (a.store.uuid?.uuidString ?? "").utf8.lexicographicallyPrecedes(
            (b.store.uuid?.uuidString ?? "").utf8)
    }

    /// Hashes the key, the entity and the store.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(word)
    }
}
