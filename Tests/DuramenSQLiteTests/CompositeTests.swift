import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Composites and encoded values in tables.
@Suite struct CompositeTests {
    let folder = TemporaryFolder()

    private static let model = testModel([
        EntityDescription(
            name: "Site",
            attributes: [
                .composite(
                    "place", isOptional: true,
                    elements: [
                        AttributeDescription("x", .double), AttributeDescription("at", .date),
                        .composite(
                            "grid", elements: [AttributeDescription("zone", .integer16)]),
                    ]),
                AttributeDescription("place_x", .string, isOptional: true),
                AttributeDescription("PLACE_GRID_ZONE", .decimal, isOptional: true),
                .codable([String]?.self, name: "labels", identifier: "Labels"),
            ],
            uniquenessConstraints: [["place.grid.zone", "place_x"]],
            indexes: [IndexDescription("place.x")])
    ])

    @Test func everyElementHasAColumnOfItsTypeWhoseNameNoOtherHas() throws {
        let path = folder.file("composite.sqlite")
        let store = try PersistentStoreDescription.sqlite(path).open(model: Self.model)
        try store.close()
        #expect(
            try Set(
                RawDatabase.texts(
                    path,
                    "SELECT name || ' ' || type FROM pragma_table_info('ZSITE') "
                        + "WHERE name NOT LIKE 'Z\\_%' ESCAPE '\\'"))
                == [
                    "ZPLACE_X FLOAT", "ZPLACE_AT TIMESTAMP", "ZPLACE_GRID_ZONE1 INTEGER",
                    "ZPLACE_X1 VARCHAR", "ZPLACE_GRID_ZONE DECIMAL", "ZLABELS BLOB",
                ])
        #expect(
            try RawDatabase.texts(
                path,
                "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_Site%' "
                    + "ESCAPE '\\' ORDER BY name")
                == ["Z_Site_UNIQUE_place_grid_zone_place_x", "Z_Site_by_place_x"])
    }

    @Test func theEngineAnswersWhatIsAskedOfElementsAndNil() throws {
        let store = try PersistentStoreDescription.sqlite(folder.file("composite.sqlite"))
            .open(model: Self.model)
        try store.insert(
            "Site",
            all: [
                ["place.x": .double(1), "labels": .binary(Data("[]".utf8))],
                ["place.x": .double(3), "place.grid.zone": .integer(2)], [:],
            ])
        func rows(_ predicate: FetchPredicate, _ order: String = "place.x") throws -> [Int64] {
            let query = StoreQuery(
                entity: try store.entity("Site").id, predicate: predicate,
                sortDescriptors: [FetchSortDescriptor(order)])
            let execution = try QueryExecution(query, on: store, in: store.snapshot())
            #expect(execution.isStreaming, "\(predicate)")
            return try execution.rows().map(\.key)
        }
        #expect(try rows(.keyPath("place.x", .greater, .double(0))) == [1, 2])
        #expect(try rows(.keyPath("place.grid", .notEqual, .null), "place.grid.zone") == [2])
        #expect(try rows(.keyPath("place", .equal, .null)) == [3])
        #expect(try rows(.not(.keyPath("place", .equal, .null))) == [1, 2])
        #expect(try rows(.keyPath("labels", .notEqual, .null)) == [1])
        try store.close()
    }
}
