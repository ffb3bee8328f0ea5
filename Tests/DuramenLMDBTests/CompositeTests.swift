import DuramenModel
import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Composites under indexes.
@Suite struct CompositeTests {
    let folder = TemporaryFolder()

    private static func site(_ indexes: [IndexDescription]) -> EntityDescription {
        EntityDescription(
            name: "Site",
            attributes: [
                .composite(
                    "place", isOptional: true,
                    elements: [
                        AttributeDescription("x", .integer64),
                        .composite("0", elements: [AttributeDescription("y", .integer64)]),
                    ]),
                AttributeDescription("place_x", .integer64, isOptional: true),
            ], indexes: indexes)
    }

    @Test func anIndexOfAnElementAnswersWhatIsAskedOfIt() throws {
        let description = PersistentStoreDescription.lmdb(folder.file()).durability(.relaxed)
        let model = testModel([Self.site([IndexDescription("place.x")])])
        let store = try StoreOpening(description).open(model: model)
        try store.insert("Site", all: (0..<1_000).map { ["place.x": .integer(Int64($0 % 500))] })
        let query = StoreQuery(
            entity: try store.entity("Site").id, predicate: .keyPath("place.x", .equal, 7),
            sortDescriptors: [FetchSortDescriptor("place.x")])
        let execution = try QueryExecution(query, on: store, in: store.snapshot())
        let before = store.counters.rowsDecoded
        #expect(try execution.rows().map(\.key) == [8, 508])
        #expect(store.counters.rowsDecoded - before == 2)
        try store.close()
    }

    @Test func aPathIsNotTakenForSeveralNames() throws {
        // The kind of integers is 0, so that without escapes both would be Site.place.0.y.0.
        let whole = EntityDescription(
            name: "Site",
            attributes: [
                AttributeDescription("place", .integer64), AttributeDescription("y", .integer64),
            ], indexes: [IndexDescription("place", "y")])
        let first = StoreIndex.all(of: testModel([Self.site([IndexDescription("place.0.y")])]))
        let second = StoreIndex.all(of: testModel([whole]))
        #expect(first.map(\.signature) == ["Site.place..0..y.0"])
        #expect(second.map(\.signature) == ["Site.place.0.y.0"])
    }
}
