import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A process that has a store open while another one migrates it.
@Suite(.enabled(if: TestServer.isThere)) struct OldProcessTests {
    private static let rows = 200

    private static func model(_ attributes: [AttributeDescription]) -> ManagedObjectModel {
        testModel([EntityDescription(name: "Item", attributes: attributes)])
    }

    private static let old = model([
        AttributeDescription("number", .integer64, isOptional: true),
        AttributeDescription("text", .string, isOptional: true),
    ])

    /// Columns that are renamed, of another kind, and in another order.
    private static let new = model([
        AttributeDescription("added", .integer64, isOptional: true, default: .integer(-1)),
        AttributeDescription("amount", .integer64, isOptional: true, renamingIdentifier: "number"),
        AttributeDescription("text", .string, isOptional: true),
    ])

    @Test func aProcessWithTheOldModelReadsItsColumnsUntilTheTablesChange() async throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let first = try place.open(model: Self.old)
        try first.insert(
            "Item",
            all: (0..<Self.rows).map {
                ["number": .integer(Int64($0)), "text": .text(StoredText("n\($0)"))]
            })
        try first.close()
        let schema = place.location
        let hasEnded = Locked(false)
        async let reader: Void = {
            await #expect(processExitsWith: .success) { [schema = schema as String] in
                try OldProcessTests.readUntilMigrated(schema)
            }
            hasEnded.withLock { $0 = true }
        }()
        // The other process reads by now, or has failed.
        while try place.type.metadata(of: place).userInfo["reads"] == nil,
            !hasEnded.withLock({ $0 })
        { await Task.yield() }
        let migrated = try place.open(model: Self.new)
        await reader
        let rows = try migrated.all("Item", in: migrated.snapshot())
        #expect(rows.count == Self.rows)
        for row in rows {
            let amount = migrated.integer(row, "amount")
            #expect(migrated.values(row)["text"] == .text(StoredText("n\(amount)")))
        }
        try migrated.close()
    }

    private struct WrongColumn: Error {}

    /// The other process: every row that it reads has the values of the old model.
    private static func readUntilMigrated(_ schema: String) throws {
        let place = PersistentStoreDescription.postgres(try TestServer.location(), schema: schema)
            .allowingUnsafeServer().timeout(seconds: 60)
        let store = try place.open(model: old)
        var count = 0
        do {
            while true {
                for row in try store.all("Item", in: store.snapshot()) {
                    let number = store.integer(row, "number")
                    guard store.values(row)["text"] == .text(StoredText("n\(number)")) else {
                        throw WrongColumn()
                    }
                }
                count += 1
                if count == 3 { try store.saved(ChangeSet(metadata: ["reads": .boolean(true)])) }
            }
        } catch let error as StoreError where error.code == .storeMigrated {
            // The message is that of a store whose model was changed meanwhile.
            try? store.close()
        }
    }
}
