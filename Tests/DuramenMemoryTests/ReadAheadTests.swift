import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

/// How often the library asks a store for what rows refer to.
@Suite struct ReadAheadTests {
    private static let model = testModel([
        EntityDescription(
            name: "Town",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [.toMany("streets", destination: "Street", inverse: "town")]),
        EntityDescription(
            name: "Street",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toOne("town", destination: "Town", inverse: "streets"),
                .toMany("houses", destination: "House", inverse: "street"),
            ]),
        EntityDescription(
            name: "House",
            attributes: [AttributeDescription("number", .integer64, isOptional: true)],
            relationships: [.toOne("street", destination: "Street", inverse: "houses")]),
    ])

    /// As many towns as there are streets, and two houses in each street.
    private static let streetCount = 2_000

    private let store: WalkingStore

    init() throws {
        let base = try PersistentStoreDescription.memory().open(model: Self.model)
        store = WalkingStore(base)
        let numbers = 0..<Self.streetCount
        let towns = try base.insert(
            "Town", all: numbers.map { ["name": .text(StoredText("town \($0 % 100)"))] })
        let streets = try base.insert(
            "Street",
            all: towns.enumerated().map { number, town in
                ["name": .text(StoredText("street \(number)")), "town": .objectID(town)]
            })
        try base.insert(
            "House",
            all: (0..<2 * Self.streetCount).map { number in
                [
                    "number": .integer(Int64(number)),
                    "street": .objectID(streets[number % Self.streetCount]),
                ]
            })
    }

    /// The results of a query, and how often rows or lists were read for it.
    private func answer(_ query: StoreQuery) throws -> (keys: [Int64], readings: Int) {
        let before = store.readingCount
        let execution = try QueryExecution(query, on: store, in: store.snapshot())
        return (try execution.rows().map(\.key), store.readingCount - before)
    }

    private func query(
        _ entity: String, _ format: String, sort: [FetchSortDescriptor] = []
    ) throws -> StoreQuery {
        try store.query(entity, FetchPredicate(format: format), sort: sort)
    }

    @Test func theDestinationsOfManyRowsAreReadTogether() throws {
        let (keys, readings) = try answer(query("Street", "town.name ENDSWITH[c] ' 7'"))
        #expect(keys.count == Self.streetCount / 100)
        #expect(readings < 20)
    }

    @Test func soAreThoseBehindThem() throws {
        let (keys, readings) = try answer(query("House", "street.town.name ENDSWITH[c] ' 7'"))
        #expect(keys.count == Self.streetCount / 50)
        #expect(readings < 50)
    }

    @Test func soAreTheMembersOfManyLists() throws {
        let (keys, readings) = try answer(query("Town", "ANY streets.name CONTAINS[c] '99'"))
        #expect(keys.count == 38)
        #expect(readings < 40)
    }

    @Test func soAreTheListsOfMembers() throws {
        let format = "SUBQUERY(streets, $s, ANY $s.houses.number < 100).@count > 0"
        let (keys, readings) = try answer(query("Town", format))
        #expect(keys.count == 100)
        #expect(readings < 100)
    }

    @Test func soAreTheKeysOfASort() throws {
        let sort = [FetchSortDescriptor("street.town.name"), FetchSortDescriptor("number")]
        let (keys, readings) = try answer(store.query("House", sort: sort))
        #expect(keys.count == 2 * Self.streetCount)
        #expect(Array(keys.prefix(3)) == [1, 101, 201])
        #expect(readings < 50)
        let counts = try answer(store.query("Town", sort: [FetchSortDescriptor("streets.@count")]))
        #expect(counts.readings < 20)
    }

    @Test func aLimitReadsLittleMoreThanItNeeds() throws {
        var query = try query("Street", "town.name CONTAINS[c] 'town'")
        query.limit = 5
        let before = store.counters.rowsDecoded
        #expect(try answer(query).keys.count == 5)
        // The rows of a block, and a few of what they refer to.
        #expect(store.counters.rowsDecoded - before <= 512 + 16)
    }

    @Test func rowsThatAreTooLargeTogetherAreReadOneByOne() throws {
        let query = try query("Street", "town.name ENDSWITH[c] ' 7'")
        try RowAnswerLimit.$current.withValue(500) {
            let (keys, readings) = try answer(query)
            #expect(keys.count == Self.streetCount / 100)
            #expect(readings > Self.streetCount - 100)
        }
    }

    @Test func rowsThatNobodyAnnouncedAreReadOneByOne() throws {
        let source = SnapshotSource(store, try store.snapshot())
        let entity = try store.entity("Town")
        let before = store.readingCount
        for key in Int64(1)...100 {
            let id = ManagedObjectID(store: store.handle, entity: entity.handle, key: key)
            #expect(try source.row(for: id)?.key == key)
        }
        #expect(store.readingCount - before == 100)
    }
}
