import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Objects whose properties fit any predicate of made-up names: each name in each type.
struct Things {
    static let names = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "length", "other",
    ]

    static let model = testModel([
        EntityDescription(
            name: "Thing",
            attributes: names.flatMap { name in
                [
                    AttributeDescription("\(name)Text", .string, isOptional: true),
                    AttributeDescription("\(name)Number", .integer64, isOptional: true),
                    AttributeDescription("\(name)Double", .double, isOptional: true),
                    AttributeDescription("\(name)Flag", .boolean, isOptional: true),
                    AttributeDescription("\(name)Date", .date, isOptional: true),
                ]
            },
            relationships: names.flatMap { name in
                [
                    RelationshipDescription.toOne(
                        "\(name)One", destination: "Thing", inverse: "\(name)OneOf"),
                    .toMany("\(name)OneOf", destination: "Thing"),
                    .toMany("\(name)Many", destination: "Thing", inverse: "\(name)ManyOf"),
                    .toMany("\(name)ManyOf", destination: "Thing"),
                ]
            })
    ])

    static let thing: Entity = {
        guard let entity = model.entity(named: "Thing") else { preconditionFailure("Thing") }
        return entity
    }()

    /// The ID of an object that no store has.
    static let nobody = ManagedObjectID(
        store: .none, entity: EntityHandle(name: "Thing"), key: -1)

    let driver: StoreDriver
    let contents: StoreContents
    let first: ManagedObjectID

    init(_ driver: StoreDriver) throws {
        self.driver = driver
        var random = SplitMix64(seed: 3)
        var draft = driver.draft()
        let ids = try (0..<12).map { _ in
            var values: PropertyValues = [:]
            for name in Self.names {
                values["\(name)Text"] = random.pick([nil, "a", "b", "B", "bc", "5"].map(Self.text))
                values["\(name)Number"] = random.pick([
                    .null, .integer(1), .integer(2), .integer(3),
                ])
                values["\(name)Double"] = random.pick([.null, .double(1.5), .double(2)])
                values["\(name)Flag"] = random.pick([.null, .boolean(true), .boolean(false)])
                values["\(name)Date"] = random.pick([
                    .null, .date(Date(timeIntervalSinceReferenceDate: 2)), .date(.distantFuture),
                ])
            }
            return try draft.insert("Thing", values)
        }
        try driver.commit(draft)
        first = ids[0]
        try driver.commit { draft in
            for id in ids {
                var values: PropertyValues = [:]
                for name in Self.names {
                    values["\(name)One"] = random.pick([.null] + ids.map { .objectID($0) })
                    for other in ids where random.next() % 5 == 0 {
                        draft.relate("Thing.\(name)Many", id, other)
                    }
                }
                try draft.update(id, values)
            }
        }
        contents = try driver.contents()
    }

    private static func text(_ value: String?) -> StoredValue {
        value.map { .text(StoredText($0)) } ?? .null
    }

    /// The same things in a store of each kind.
    static func inAllStores(_ folder: TemporaryFolder) throws -> [Things] {
        let path = folder.path
        return try [
            StoreFixture { number in .memory("\(path)-\(number)") },
            StoreFixture { number in .sqlite("\(path)/\(number).sqlite").durability(.relaxed) },
            StoreFixture { number in .lmdb("\(path)/\(number).lmdb").durability(.relaxed) },
        ].map { try Things(StoreDriver($0, model: model)) }
    }

    /// The numbers of the things that a predicate holds for, which the slow evaluation confirms.
    func answer(_ predicate: FetchPredicate) throws -> [Int64] {
        let query = driver.query("Thing", where: predicate)
        let plain = PlainEvaluation(contents: contents, model: driver.model).results(of: query)
        let found = try QueryExecution(query, on: driver.store, in: driver.store.snapshot())
            .objectIDs()
        #expect(found == plain, "\(predicate)")
        return found.map(\.key)
    }
}
