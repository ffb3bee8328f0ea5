import DuramenModel
import DuramenStore
import Foundation

/// The record that this process has a store open: two stores of one identity would share the IDs
/// of their objects.
final class StoreRegistration: Sendable {
    private struct Entry {
        var place: String
        var count: Int
    }

    private static let register = Locked<[UUID: Entry]>([:])

    private let identity: UUID
    private let isEnded = Locked(false)

    /// Records an open store.
    ///
    /// - Throws: `.invalidRequest` when a store at another place has the same identity.
    init(_ identity: UUID, place: String) throws(StoreError) {
        self.identity = identity
        let other = Self.register.withLock { register -> String? in
            if let entry = register[identity], entry.place != place { return entry.place }
            register[identity, default: Entry(place: place, count: 0)].count += 1
            return nil
        }
        guard let other else { return }
        throw StoreError(
            .invalidRequest,
            "'\(place)' is a copy of '\(other)', which is open in this process; close one of them "
                + "first.")
    }

    /// How often this process has the store open.
    var count: Int { Self.register.withLock { $0[identity]?.count ?? 0 } }

    deinit { end() }

    /// Removes the record, once.
    func end() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        if wasEnded { return }
        let identity = identity
        Self.register.withLock { register in
            guard let entry = register[identity] else { return }
            register[identity] =
                entry.count > 1 ? Entry(place: entry.place, count: entry.count - 1) : nil
        }
    }
}
