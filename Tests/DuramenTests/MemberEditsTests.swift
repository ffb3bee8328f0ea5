import DuramenModel
import Foundation
import Testing

@testable import Duramen

/// The edits of a to-many, which are kept by their kinds.
struct MemberEditsTests {
    private let quake = EntityHandle(name: "MemberEditsQuake")
    private let shock = EntityHandle(name: "MemberEditsShock")
    private let store = StoreHandle(uuid: UUID())

    private func temporary(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(store: .none, entity: quake, key: -key)
    }

    private func stored(_ key: Int64, _ entity: EntityHandle) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity, key: key)
    }

    private var mixed: [MemberEdits.Element] {
        [
            (temporary(1), true), (temporary(2), true), (stored(1, quake), true),
            (stored(1, quake), false), (stored(2, quake), false), (stored(2, shock), false),
            (temporary(3), true), (temporary(1), false),
        ]
    }

    @Test("Edits come back in their order, each with its own kind, however the kinds alternate")
    func order() {
        for count in 0...mixed.count {
            let expected = Array(mixed[..<count])
            let edits = MemberEdits(expected)
            #expect(edits.isEmpty == (count == 0))
            #expect(edits.map(\.id) == expected.map(\.id))
            #expect(edits.map(\.isAdded) == expected.map(\.isAdded))
        }
    }

    @Test("Edits that are taken out leave the others as they are, and more can follow")
    func removal() {
        var edits = MemberEdits(mixed)
        edits.removeAll { $0.id.store == store }
        edits.append(stored(9, shock), isAdded: true)
        let left = mixed.filter { $0.id.store != store }
        #expect(edits.map(\.id) == left.map(\.id) + [stored(9, shock)])
        #expect(edits.map(\.isAdded) == left.map(\.isAdded) + [true])
        edits.removeAll { _ in true }
        #expect(edits.isEmpty)
    }
}
