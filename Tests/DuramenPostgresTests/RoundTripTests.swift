import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

/// How often a store asks its server.
@Suite(.enabled(if: TestServer.isThere)) struct RoundTripTests {
    private let schemas: TestSchemas
    private let store: any PersistentStore

    init() throws {
        schemas = try TestSchemas()
        store = try schemas.next().open(model: FaultModel.model)
        // Connections are open, and keys and stamps on lease, from here on.
        let ids = try store.insert("Tag", all: (0..<600).map { _ in [:] })
        _ = try store.snapshot().rows(for: ids)
        _ = try store.allocateKeys(1, for: store.entity("Counter").id)
    }

    private func trips(_ work: () throws -> Void) throws -> Int {
        let before = store.counters.trips
        try work()
        return store.counters.trips - before
    }

    private func end() throws {
        try store.close()
        schemas.destroyAll()
    }

    @Test func aFetchInANewStateTakesTwo() throws {
        #expect(try trips { _ = try store.snapshot().count(store.query("Tag")) } == 2)
        #expect(try trips { _ = try store.keys(store.query("Tag", limit: 10)) } == 2)
        try end()
    }

    @Test func faultsTakeOneHoweverMany() throws {
        let keys = try store.keys(store.query("Tag"))
        let entity = try store.entity("Tag")
        let ids = keys.map {
            ManagedObjectID(store: store.handle, entity: entity.handle, key: $0)
        }
        let snapshot = try store.snapshot()
        #expect(try trips { _ = try snapshot.rows(for: [ids[0]]) } == 1)
        #expect(try trips { _ = try snapshot.rows(for: Array(ids.prefix(500))) } == 1)
        try end()
    }

    @Test func theMembersOfManyOwnersTakeOne() throws {
        let place = schemas.next()
        let other = try place.open(model: FaultModel.derived)
        let owners = try other.insert("Parent", all: (0..<500).map { _ in [:] })
        let snapshot = try other.snapshot()
        let before = other.counters.trips
        let children = try other.relationship("children", of: "Parent")
        #expect(try snapshot.destinations(of: children, from: owners).count == 500)
        #expect(other.counters.trips - before == 1)
        try other.close()
        try end()
    }

    /// The store leaves arithmetic to the library, which follows the relationship.
    @Test func aConditionThatTheLibraryEvaluatesTakesFew() throws {
        let other = try schemas.next().open(model: FaultModel.derived)
        let parents = try other.insert("Parent", all: (0..<2_000).map { _ in [:] })
        try other.insert("Child", all: parents.map { ["parent": .objectID($0)] })
        let query = try other.query("Child", FetchPredicate(format: "parent.count + 1 == 2"))
        let snapshot = try other.snapshot()
        let before = other.counters.trips
        #expect(try QueryExecution(query, on: other, in: snapshot).count() == 2_000)
        #expect(other.counters.trips - before < 20)
        try other.close()
        try end()
    }

    /// A large save commits by itself: the wait for its end is limited, that for its rows is not.
    @Test(arguments: [(3, 1), (2_000, 1), (2_001, 2)])
    func aSaveTakesOneAndALargeOneTwo(_ count: Int, _ expected: Int) throws {
        let keys = try store.allocateKeys(count, for: store.entity("Tag").id)
        var changes = ChangeSet()
        for key in keys { changes.inserts.append(try store.row("Tag", key: key, [:])) }
        let insertion = changes
        #expect(try trips { try store.saved(insertion) } == expected)
        try end()
    }

    @Test func aSaveWithANoticeTakesOne() throws {
        let other = try schemas.next().notifying().open(model: FaultModel.model)
        try other.insert("Tag")
        let key = try other.allocateKeys(1, for: other.entity("Tag").id).lowerBound
        let changes = ChangeSet(inserts: RowList([try other.row("Tag", key: key, [:])]))
        let before = other.counters.trips
        try other.saved(changes)
        #expect(other.counters.trips - before == 1)
        try other.close()
        try end()
    }

    @Test func theConflictsOfASaveTakeFourHoweverMany() throws {
        let id = try store.insert("Counter", ["value": .integer(1)])
        let stale = try store.update(id, ["value": .integer(2)])
        try store.saved(ChangeSet(updates: [stale]))
        #expect(try trips { _ = try store.conflicts(ChangeSet(updates: [stale])) } == 3)
        let taken = (0..<300).map { ["code": StoredValue.text(StoredText("c\($0)"))] }
        try store.insert("Tag", all: taken)
        let keys = try store.allocateKeys(taken.count, for: store.entity("Tag").id)
        var changes = ChangeSet()
        for (key, values) in zip(keys, taken) {
            changes.inserts.append(try store.row("Tag", key: key, values))
        }
        let insertion = changes
        var isConflict = false
        #expect(try trips { isConflict = try store.conflicts(insertion) } == 4)
        #expect(isConflict)
        try end()
    }

    @Test func keysTakeOneForEachLease() throws {
        let entity = try store.entity("Counter").id
        let trips = try trips { for _ in 0..<200 { _ = try store.allocateKeys(1, for: entity) } }
        #expect(trips <= 1)
        try end()
    }
}
