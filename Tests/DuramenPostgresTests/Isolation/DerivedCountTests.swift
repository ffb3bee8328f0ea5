import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Counts of children that several writers keep.
@Suite(.enabled(if: TestServer.isThere)) struct DerivedCountTests {
    @Test func countsOfChildrenAreRightInEveryState() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let stores = try (0..<3).map { _ in try place.open(model: FaultModel.derived) }
        let parents = try stores[0].insert("Parent", all: [[:], [:], [:]])
        let seed = randomSeed()
        try inThreads(4) { thread in
            var random = SplitMix64(seed: seed &+ UInt64(thread))
            let store = stores[thread % stores.count]
            if thread == 3 {
                for _ in 0..<TestSizes.derivedEdits { try expectRightCounts(store, parents) }
                return
            }
            for _ in 0..<TestSizes.derivedEdits {
                let parent = parents[Int.random(in: 0..<3, using: &random)]
                let children = try store.all("Child", in: store.snapshot())
                var changes = ChangeSet()
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where !children.isEmpty:
                    let child = children[Int.random(in: 0..<children.count, using: &random)]
                    changes.updates = [try store.edit(child, ["parent": .objectID(parent)])]
                case 1 where !children.isEmpty:
                    let child = children[Int.random(in: 0..<children.count, using: &random)]
                    changes.deletes = [
                        RowDeletion(
                            id: child.objectID(in: store.model, store: store.handle),
                            baseVersion: child.version)
                    ]
                default:
                    let key = try store.allocateKeys(1, for: store.entity("Child").id).lowerBound
                    changes.inserts.append(
                        try store.row("Child", key: key, ["parent": .objectID(parent)]))
                }
                // A conflict is as good as an edit: nothing is written.
                _ = try store.save(changes)
            }
        }
        try expectRightCounts(stores[0], parents)
        for store in stores { try store.close() }
    }

    private func expectRightCounts(
        _ store: any PersistentStore, _ parents: [ManagedObjectID]
    ) throws {
        let snapshot = try store.snapshot()
        var counts: [Int64: Int64] = [:]
        for child in try store.all("Child", in: snapshot) {
            if case .objectID(let parent)? = store.values(child)["parent"] {
                counts[parent.key, default: 0] += 1
            }
        }
        for parent in parents {
            let row = try store.present(parent, in: snapshot)
            #expect(store.integer(row, "count") == counts[parent.key] ?? 0)
        }
    }
}
