import Duramen
import DuramenModel
import DuramenStore
import Foundation
import Testing

/// Transformable attributes of objects: typed, by key, and with bytes that are no value.
@MainActor struct CodableTests {
    private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
        try kind.container(Shock.model).viewContext
    }

    private func insert(_ context: ManagedObjectContext) -> Shock {
        let shock = Shock(context: context)
        shock.epicentre = Location()
        shock.origin = nil
        return shock
    }

    @Test(arguments: StoreKind.allCases)
    func aValueIsSavedAndReadAsItWas(kind: StoreKind) throws {
        let container = try kind.container(Shock.model)
        let shock = insert(container.viewContext)
        let station = Instrument(name: "e\u{301}\"\\[\u{0}", heights: [0.1, -1e300])
        #expect(shock.tags == [] && shock.station == nil)
        shock.tags = ["b", "a"]
        shock.station = station
        try container.viewContext.save()
        let other = container.makeContext()
        let same = try #require(try other.fetch(FetchRequest<Shock>()).first)
        #expect(same.tags == ["b", "a"] && same.station == station)
        same.station?.heights.append(2)
        same.tags = []
        try other.save()
        let last = container.makeContext()
        defer { withExtendedLifetime((other, last)) {} }
        let third = try #require(try last.fetch(FetchRequest<Shock>()).first)
        #expect(third.station?.heights == [0.1, -1e300, 2] && third.tags == [])
        third.station = nil
        #expect(third.station == nil && third.isUpdated)
    }

    @Test func aValueWithTheSameBytesIsNoChange() throws {
        let context = try context(.memory)
        defer { withExtendedLifetime(context) {} }
        let shock = insert(context)
        shock.tags = ["a"]
        shock.station = Instrument(name: "b", heights: [])
        try context.save()
        shock.tags = ["a"]
        shock.station = shock.station
        try shock.setValue(["a"], forKey: "tags")
        #expect(!context.hasChanges)
        // A mutated copy is one.
        shock.tags.append("c")
        #expect(context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func valuesAreReadAndChangedByKey(kind: StoreKind) throws {
        let context = try context(kind)
        defer { withExtendedLifetime(context) {} }
        let shock = insert(context)
        try shock.setValue(Instrument(name: "a", heights: []), forKey: "station")
        try shock.setValue(["x"], forKey: "tags")
        try context.save()
        #expect(try shock.value(forKey: "station") as? Instrument == shock.station)
        #expect(try shock.value(forKey: "tags") as? [String] == ["x"])
        #expect(
            try shock.storedValue(forKey: "station")
                == .binary(Data(#"{"heights":[],"name":"a"}"#.utf8)))
        for (value, key) in [("text", "station"), ([1], "tags"), (Data("[]".utf8), "tags")]
            as [(Any, String)]
        {
            let error = #expect(throws: ContextError.self) {
                try shock.setValue(value, forKey: key)
            }
            #expect(error?.code == .invalidValue)
        }
        #expect(shock.tags == ["x"])
    }

    @Test func aValueThatCannotBeEncodedIsRefusedByTheNextSave() throws {
        let context = try context(.memory)
        defer { withExtendedLifetime(context) {} }
        let shock = insert(context)
        shock.station = Instrument(name: "a", heights: [])
        shock.station = Instrument(name: "b", heights: [.infinity])
        #expect(shock.station?.name == "a")
        let error = #expect(throws: ContextError.self) { try context.save() }
        #expect(error?.code == .invalidValue && error?.message.contains("station") == true)
        try context.save()
    }

    // MARK: - Damage

    /// What another program left in the store, under the model of one that saw plain bytes.
    private nonisolated static let damaged = [
        "", "{", "[1,2]", #"{"name":"a","heights":"#, #"{"class":"Shell","name":1}"#,
        String(repeating: "[", count: 100_000), "\u{0}\u{0}",
    ]

    @Test(arguments: damaged)
    func bytesThatAreNoValueAreReportedAndNeverTrap(bytes: String) throws {
        let context = try context(.memory)
        defer { withExtendedLifetime(context) {} }
        let shock = try shock(in: context, station: Data(bytes.utf8), tags: Data(bytes.utf8))
        #expect(shock.faultError == nil)
        #expect(shock.tags == [] && shock.station == nil)
        #expect((shock.faultError as? ContextError)?.code == .damagedValue)
        // The throwing forms say so each time, and the next save once.
        for _ in 0..<2 {
            let error = #expect(throws: ContextError.self) { try shock.value(\Shock.station) }
            #expect(error?.code == .damagedValue && error?.objectID == shock.objectID)
            #expect(throws: ContextError.self) { try shock.value(forKey: "tags") }
        }
        #expect(try shock.value(\Shock.code) == "")
        #expect(throws: (any Error).self) { try context.save() }
        shock.tags = ["new"]
        shock.station = nil
        try context.save()
        #expect(shock.tags == ["new"] && shock.faultError == nil)
    }

    /// A saved shock whose encoded values are these bytes, in a row that nobody encoded.
    private func shock(
        in context: ManagedObjectContext, station: Data, tags: Data
    ) throws -> Shock {
        let shock = insert(context)
        try context.save()
        let store = context.persistentStoreCoordinator.store
        let model = context.persistentStoreCoordinator.managedObjectModel
        let row = try #require(try store.snapshot().row(for: shock.objectID))
        var builder = RowBatchBuilder(capacity: 512)
        builder.beginRow(
            entity: row.entityID, slotCount: row.slotCount, key: row.key, version: row.version)
        for attribute in model[row.entityID].attributes {
            let value: StoredValue =
                switch attribute.name {
                case "station": .binary(station)
                case "tags": .binary(tags)
                default: row.value(attribute.slot, attribute.kind)
                }
            builder.set(value, at: attribute.slot, as: attribute.kind)
        }
        builder.endRow()
        var slots = SlotSet()
        for name in ["station", "tags"] {
            guard case .attribute(let attribute)? = model[row.entityID].property(named: name) else {
                continue
            }
            slots.insert(attribute.slot)
        }
        var changes = ChangeSet()
        changes.updates = [
            RowUpdate(row: builder.finish()[0], baseVersion: row.version, changedSlots: slots)
        ]
        guard case .saved = try store.save(changes) else { throw CancellationError() }
        try context.refresh(shock, mergeChanges: false)
        return shock
    }
}
