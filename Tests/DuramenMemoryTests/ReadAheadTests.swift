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
            relationships: [
                .toOne("street", destination: "Street", inverse: "houses"),
                .toOne("previous", destination: "House", inverse: "next"),
                .toOne("next", destination: "House", inverse: "previous"),
            ]),
        EntityDescription(
            name: "Villa", superentity: "House",
            relationships: [.toMany("gardens", destination: "Garden", inverse: "villa")]),
        EntityDescription(
            name: "Garden",
            relationships: [.toOne("villa", destination: "Villa", inverse: "gardens")]),
    ])

    /// As many towns as there are streets, and in each street a house and a villa.
    private static let streetCount = isSlice ? 300 : 3_000

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
        var previous: ManagedObjectID?
        for kind in ["House", "Villa"] {
            let houses = try base.insert(
                kind,
                all: (0..<Self.streetCount).map { number in
                    let isVilla = kind == "Villa"
                    return [
                        "number": .integer(Int64(isVilla ? Self.streetCount + number : number)),
                        "street": .objectID(streets[number]),
                    ]
                })
            var changes = ChangeSet()
            for house in houses {
                if let previous {
                    changes.updates.append(
                        try base.update(house, ["previous": .objectID(previous)]))
                }
                previous = house
            }
            try base.saved(changes)
        }
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
        #expect(readings < 80)
    }

    @Test func soAreTheMembersOfManyLists() throws {
        let (keys, readings) = try answer(query("Town", "ANY streets.name CONTAINS[c] '99'"))
        #expect(keys.count == (0..<Self.streetCount).filter { "\($0)".contains("99") }.count)
        #expect(readings < 150)
    }

    @Test func soAreTheListsOfMembers() throws {
        let format = "SUBQUERY(streets, $s, ANY $s.houses.number < 100).@count > 0"
        let (keys, readings) = try answer(query("Town", format))
        #expect(keys.count == 100)
        #expect(readings < 350)
    }

    @Test func soAreTheKeysOfASort() throws {
        let sort = [FetchSortDescriptor("street.town.name"), FetchSortDescriptor("number")]
        let (keys, readings) = try answer(store.query("House", sort: sort))
        #expect(keys.count == 2 * Self.streetCount)
        #expect(keys.count == Set(keys).count)
        #expect(readings < 80)
        let counts = try answer(store.query("Town", sort: [FetchSortDescriptor("streets.@count")]))
        #expect(counts.readings < 80)
    }

    @Test func soIsAChain() throws {
        let (keys, readings) = try answer(query("House", "previous.number + 0 < 10"))
        #expect(keys.count == 10)
        #expect(readings < 60)
    }

    @Test func soAreTheListsOfARelationshipThatTwoPathsReach() throws {
        let format = "ANY houses.number == 5 OR ANY town.streets.houses.number == 7"
        let (keys, readings) = try answer(query("Street", format))
        #expect(keys.count == 2)
        #expect(readings < 500)
    }

    @Test func soAreTheListsOfASubentity() throws {
        let (keys, readings) = try answer(query("Villa", "gardens.@count + 1 == 1"))
        #expect(keys.count == Self.streetCount)
        #expect(readings < 70)
    }

    /// More objects than the cache has room for, of which most are not requested.
    @Test func rareRequestsReadLittleMoreThanTheyNeed() throws {
        let before = store.counters.rowsDecoded
        let format = "modulus:by:(number, 50) == 0 AND street.town.name ENDSWITH[c] ' 0'"
        #expect(try answer(query("House", format)).keys.count == Self.streetCount / 50)
        let needed = 2 * Self.streetCount + 2 * Self.streetCount / 25
        #expect(store.counters.rowsDecoded - before < needed + 1_500)
    }

    @Test func danglingReferencesAreMissing() throws {
        let towns = try store.keys(store.query("Town"))
        let entity = try store.entity("Town").handle
        let draft = ChangeSet(
            deletes: try towns.prefix(Self.streetCount / 2).map {
                try store.deletion(ManagedObjectID(store: store.handle, entity: entity, key: $0))
            })
        try store.saved(draft)
        let (keys, readings) = try answer(query("Street", "town.name CONTAINS[c] 'TOWN'"))
        #expect(keys.count == Self.streetCount / 2)
        #expect(readings < 60)
    }

    @Test func aLimitReadsLittleMoreThanItNeeds() throws {
        var query = try query("Street", "town.name CONTAINS[c] 'town'")
        query.limit = 5
        let before = store.counters.rowsDecoded
        #expect(try answer(query).keys.count == 5)
        // The rows of a block, and a few of what they refer to.
        #expect(store.counters.rowsDecoded - before <= 512 + 16)
    }

    @Test func rowsThatAreTooLargeTogetherAreReadInSmallerGroups() throws {
        let query = try query("Street", "town.name ENDSWITH[c] ' 7'")
        try RowAnswerLimit.$current.withValue(500) {
            let (keys, readings) = try answer(query)
            #expect(keys.count == Self.streetCount / 100)
            #expect(readings > Self.streetCount / 8)
        }
    }

    /// A parent context knows an object that became another one by both IDs.
    @Test func aRowOfAnotherIDIsThatOfTheObject() throws {
        let entity = try store.entity("Town").handle
        let ids = (1...4).map {
            ManagedObjectID(store: store.handle, entity: entity, key: $0)
        }
        for (there, expected) in [(0, [1, 2]), (3, [2, 4])] {
            let other = WalkingStore(store, otherIDs: [ids[1]: ids[there]])
            let query = try query("Street", "town.name ENDSWITH[c] 'town \(there)'")
            let rows = try QueryExecution(query, on: other, in: other.snapshot()).rows()
            #expect(rows.prefix(2).map { Int($0.key) } == expected)
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
