import DuramenModel
import DuramenStore
import DuramenTestKit
import Testing

@testable import Duramen

/// What a snapshot answers itself, and what it leaves.
struct AggregatingSnapshotTests {
    private let query: ResultQuery
    private let store: any PersistentStore

    init() throws {
        let container = try Sales.shared(.memory)
        store = try #require(container.persistentStoreCoordinator.connections.first).store
        let entity = try #require(store.model.entity(named: "Sale"))
        query = ResultQuery(
            entity: entity.id,
            columns: ["title", try ResultColumn("count", "count(quantity)")],
            groupBy: [["title"]], having: try FetchPredicate("$count > 0 AND count < 3"),
            sortDescriptors: [FetchSortDescriptor("count", ascending: false)])
    }

    @Test func groupsThatASnapshotMakesAreTakenAsTheyAre() throws {
        let groups = [("x", 1), ("y", 3), ("z", 0)].map { title, count in
            GroupValues(
                keys: [.text(StoredText(title))], aggregates: [.value(.integer(Int64(count)))])
        }
        let snapshot = AnsweringSnapshot(try store.snapshot(), answer: groups)
        let execution = try ResultExecution(query, on: store, in: snapshot)
        #expect(try execution.results() == [[.text("x"), .integer(1)]])
    }

    @Test func whatASnapshotLeavesIsMadeOfTheRows() throws {
        let snapshot = AnsweringSnapshot(try store.snapshot(), answer: nil)
        let execution = try ResultExecution(query, on: store, in: snapshot)
        #expect(
            try execution.results() == [
                [.null, .integer(1)], [.text("Bread"), .integer(1)], [.text("fish"), .integer(1)],
            ])
        #expect(snapshot.asked.withLock { $0 } == 1)
    }

    @Test func aPlanOfFaultsReachesGroupsThatAnEngineMakes() throws {
        let plan = FaultPlan()
        let container = try Sales.shared(.sqlite)
        let base = try #require(container.persistentStoreCoordinator.connections.first).store
        let store = FaultyStore(base, plan: plan)
        func results() throws -> Int {
            try ResultExecution(query, on: store, in: store.snapshot()).results().count
        }
        let count = try results()
        #expect(plan.count(of: .groups) == 1)
        plan.fail(.groups, with: .io)
        #expect(throws: StoreError.self) { try results() }
        #expect(try results() == count)
    }

    @Test func aSnapshotIsAskedInOneForm() throws {
        let entity = store.model[query.entity]
        let bound = try query.bound(to: entity, in: store.model).query
        let count = FetchExpression.function(.count, [.keyPath(["quantity"])])
        #expect(bound.columns.map(\.expression) == [.keyPath(["title"]), count])
        #expect(
            bound.having
                == .and([
                    .comparison(PredicateComparison(count, .greater, .constant(.integer(0)))),
                    .comparison(PredicateComparison(count, .less, .constant(.integer(3)))),
                ]))
        #expect(try bound.bound(to: entity, in: store.model).query == bound)
    }

    @Test func onlyTheSlotsThatAreNeededAreRead() throws {
        let entity = store.model[query.entity]
        func slots(_ columns: ResultColumn...) throws -> [Int]? {
            try ResultQuery(entity: entity.id, columns: columns)
                .bound(to: entity, in: store.model).slots?.slots
        }
        #expect(try slots("title") == [5])
        #expect(try slots("shop.name", "code") == [1, 4])
        #expect(try slots(ResultColumn("n", "sum(weight * 2)")) == [6])
        #expect(try slots(ResultColumn("n", "count(SELF)")) == [])
        #expect(try slots(ResultColumn("n", "TERNARY(title == nil, 1, 2)")) == nil)
    }
}

/// A snapshot that gives the same groups for every query.
private final class AnsweringSnapshot: AggregatingSnapshot {
    private let base: any StoreSnapshot
    private let answer: [GroupValues]?
    let asked = Locked(0)

    init(_ base: any StoreSnapshot, answer: [GroupValues]?) {
        self.base = base
        self.answer = answer
    }

    var generation: StoreGeneration { base.generation }

    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        asked.withLock { $0 += 1 }
        return answer
    }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch { try base.rows(for: ids) }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try base.destinations(of: relationship, from: sources)
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try base.orderedDestinations(of: relationship, from: sources)
    }

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        try base.cursor(query)
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try base.objectIDs(query)
    }
}
