import Foundation
import Synchronization

/// The identity of a managed object, valid across contexts, and across processes in its URI form.
///
/// Sixteen bytes: a 64-bit key, and one word that names store and entity by process-wide handles.
/// Temporary IDs have negative keys and no store. The `Codable` form is the URI, never a handle.
public struct ManagedObjectID: Sendable {
    /// The primary key; negative for temporary IDs.
    public let key: Int64
    // store handle << 32 | entity handle << 8
    @usableFromInline let word: UInt64

    /// Names the object with a key of an entity in a store.
    public init(store: StoreHandle, entity: EntityHandle, key: Int64) {
        self.key = key
        word = UInt64(store.rawValue) << 32 | UInt64(entity.rawValue) << 8
    }

    /// Makes an ID that no other call in this process gives out.
    public static func temporary(entity: EntityHandle) -> ManagedObjectID {
        ManagedObjectID(store: .none, entity: entity, key: reserveTemporaryKeys(1).upperBound)
    }

    /// Keys that no other call in this process gives out, to be used from the last to the first.
    package static func reserveTemporaryKeys(_ count: Int64) -> ClosedRange<Int64> {
        let (old, new) = temporaryKeys.add(count, ordering: .relaxed)
        return -new...(-old - 1)
    }

    /// The object of the same entity and store with another key.
    @inlinable package func withKey(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(key: key, word: word)
    }

    @inlinable init(key: Int64, word: UInt64) {
        self.key = key
        self.word = word
    }

    /// The store that holds the object; ``StoreHandle/none`` for temporary IDs.
    public var store: StoreHandle { StoreHandle(rawValue: UInt32(truncatingIfNeeded: word >> 32)) }

    /// The object's own entity, by name.
    public var entityHandle: EntityHandle {
        EntityHandle(rawValue: UInt32(truncatingIfNeeded: word & 0xFFFF_FFFF) >> 8)
    }

    /// The name of the object's own entity.
    public var entityName: String { entityHandle.name }

    /// True until the object is saved for the first time or permanent IDs are obtained.
    public var isTemporaryID: Bool { key < 0 }
}

private let temporaryKeys = Atomic<Int64>(0)

extension ManagedObjectID: Hashable, Comparable {
    /// True for the same object of the same store. A temporary ID never equals a permanent one.
    public static func == (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        a.key == b.key && a.word == b.word
    }

    /// Orders by key, then by entity name and store, the order in which results break ties.
    public static func < (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        if a.key != b.key { return a.key < b.key }
        if a.word == b.word { return false }
        if a.entityHandle != b.entityHandle {
            return StoredText(a.entityName) < StoredText(b.entityName)
        }
        return (a.store.uuid?.uuidString ?? "").utf8.lexicographicallyPrecedes(
            (b.store.uuid?.uuidString ?? "").utf8)
    }

    /// Feeds both words.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(word)
    }
}
