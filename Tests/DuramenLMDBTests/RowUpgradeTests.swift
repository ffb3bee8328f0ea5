import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Rows written with an earlier version of the model, read in the layout of the present one.
@Suite struct RowUpgradeTests {
    private static func model(_ entities: [EntityDescription]) -> ManagedObjectModel {
        testModel(entities)
    }

    @Test func aCatalogIsReadWithAllThatItSays() throws {
        var catalog = Catalog()
        catalog.add(old)
        catalog.migrate(SchemaChange(from: old, to: new))
        catalog.upgradedThrough = 1
        let data = try JSONEncoder().encode(catalog)
        #expect(try JSONDecoder().decode(Catalog.self, from: data) == catalog)
    }

    private let old = model([
        EntityDescription(
            name: "Author",
            attributes: [
                AttributeDescription("name", .string, isOptional: true),
                AttributeDescription("age", .integer64, isOptional: true),
                AttributeDescription("score", .double, isOptional: true),
                AttributeDescription("data", .binaryData, isOptional: true),
            ],
            relationships: [
                .toOne("house", destination: "House", inverse: "authors")
            ]),
        EntityDescription(
            name: "House",
            relationships: [.toMany("authors", destination: "Author", inverse: "house")]),
        EntityDescription(
            name: "Gone", attributes: [AttributeDescription("x", .string, isOptional: true)]),
        EntityDescription(
            name: "Inn", superentity: "House",
            attributes: [AttributeDescription("beds", .integer64, isOptional: true)]),
    ])

    private let new = model([
        EntityDescription(
            name: "Added", attributes: [AttributeDescription("y", .string, isOptional: true)]),
        EntityDescription(
            name: "Hotel", superentity: "House", renamingIdentifier: "Inn",
            attributes: [AttributeDescription("beds", .integer64, isOptional: true)]),
        EntityDescription(
            name: "House",
            relationships: [.toMany("writers", destination: "Writer", inverse: "home")]),
        EntityDescription(
            name: "Writer", renamingIdentifier: "Author",
            attributes: [
                AttributeDescription(
                    "title", .string, isOptional: true, renamingIdentifier: "name"),
                AttributeDescription("label", .string, default: .text("unnamed")),
                AttributeDescription("age", .integer64, default: .integer(7)),
                AttributeDescription("score", .string, isOptional: true),
                AttributeDescription("added", .decimal, default: .decimal(1.5)),
                AttributeDescription("empty", .uuid, isOptional: true),
            ],
            relationships: [
                .toOne(
                    "home", destination: "House", inverse: "writers", renamingIdentifier: "house")
            ]),
    ])

    private func upgrade(
        _ name: String, _ fill: (Entity, inout RowBatchBuilder) -> Void, schema: UInt16 = 0
    ) throws -> Row? {
        let entity = try #require(old.entity(named: name))
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: 42,
            version: RowVersion(rawValue: 9))
        fill(entity, &builder)
        builder.endRow()
        let row = builder.finish()[0]
        let count = row.packedByteCount(layout: entity.layout)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { memory.deallocate() }
        row.writePacked(layout: entity.layout, version: RowVersion(rawValue: 9), to: memory)
        let packed = try #require(
            PackedRow(UnsafeRawBufferPointer(memory), slotCount: entity.layout.slotCount))
        let upgrades = RowUpgrades(catalog(old, new), model: new)
        var result = RowBatchBuilder(capacity: 256)
        let isSound = try upgrades.append(packed, schema: schema, to: &result) { _, _, _, _ in }
        guard isSound else { return nil }
        return result.finish().first
    }

    private func slot(_ entity: Entity, _ name: String) -> Int {
        guard case .attribute(let attribute)? = entity.property(named: name) else { return -1 }
        return attribute.slot
    }

    private func value(_ row: Row, _ name: String) -> StoredValue {
        let entity = new[row.entityID]
        let slot = slot(entity, name)
        return row.value(slot, entity.layout.kinds[slot])
    }

    @Test("Renamed, added, removed and mandatory properties, and a renamed entity")
    func attributes() throws {
        let row = try #require(
            try upgrade("Author") { entity, builder in
                builder.set(.text("Ada"), at: slot(entity, "name"), as: .text)
                builder.set(.integer(36), at: slot(entity, "age"), as: .integer)
                builder.set(.double(2), at: slot(entity, "score"), as: .double)
                builder.set(.binary(Data([1])), at: slot(entity, "data"), as: .binary)
            })
        #expect(new[row.entityID].name == "Writer")
        #expect(row.key == 42 && row.version.rawValue == 9)
        #expect(value(row, "title") == .text("Ada"))
        #expect(value(row, "label") == .text("unnamed"))
        #expect(value(row, "age") == .integer(36))
        // Another kind is another property.
        #expect(value(row, "score") == .null)
        #expect(value(row, "added") == .decimal(1.5))
        #expect(value(row, "empty") == .null)
    }

    @Test("Null in what is mandatory now becomes the default")
    func mandatory() throws {
        let row = try #require(try upgrade("Author") { _, _ in })
        #expect(value(row, "age") == .integer(7))
        #expect(value(row, "title") == .null)
    }

    @Test("A to-one keeps its destination, and the destination's entity gets its new number")
    func toOnes() throws {
        func destination(_ name: String?) throws -> ManagedObjectID? {
            let row = try #require(
                try upgrade("Author") { entity, builder in
                    guard let name,
                        case .relationship(let house)? = entity.property(named: "house"),
                        case .toOne(let slot, let entitySlot) = house.storage,
                        let target = old.entity(named: name)
                    else { return }
                    builder.set(integer: 5, at: slot)
                    if let entitySlot {
                        builder.set(integer: Int64(target.id.index), at: entitySlot)
                    }
                })
            guard case .relationship(let home)? = new[row.entityID].property(named: "home") else {
                return nil
            }
            return row.destination(of: home, in: new, store: StoreHandle(uuid: UUID()))
        }
        #expect(try destination(nil) == nil)
        #expect(try destination("House")?.key == 5)
        #expect(try destination("House")?.entityName == "House")
        #expect(try destination("Inn")?.entityName == "Hotel")
    }

    @Test("Rows of entities that are gone, and of versions that never were, are left out")
    func gone() throws {
        let gone = try #require(old.entity(named: "Gone"))
        let upgrades = RowUpgrades(catalog(old, new), model: new)
        #expect(upgrades.entity(gone.id.index, schema: 0) == nil)
        #expect(upgrades.entity(0, schema: 2) == nil)
        #expect(upgrades.entity(99, schema: 0) == nil)
        let inn = try #require(old.entity(named: "Inn"))
        #expect(upgrades.entity(inn.id.index, schema: 0) == new.entity(named: "Hotel")?.id)
        #expect(try upgrade("Gone", { _, _ in }) == nil)
        #expect(try upgrade("Author", { _, _ in }, schema: 7) == nil)
    }

    @Test("What one version left out does not come back in the next, and no later default fills it")
    func returning() throws {
        let person = { (attributes: [AttributeDescription]) in
            Self.model([EntityDescription(name: "Person", attributes: attributes)])
        }
        let first = person([AttributeDescription("note", .string, isOptional: true)])
        let second = person([AttributeDescription("age", .integer16, default: .integer(1))])
        let third = person([
            AttributeDescription("age", .integer32, default: .integer(2)),
            AttributeDescription("note", .string, isOptional: true, default: .text("new")),
        ])
        let upgrades = RowUpgrades(catalog(first, second, third), model: third)
        let row = try #require(
            try Self.row(of: first.entities[0], upgrades, third) { builder in
                builder.set(.text("old"), at: 0, as: .text)
            })
        let entity = third.entities[0]
        #expect(row.value(slot(entity, "age"), .integer) == .integer(1))
        #expect(row.value(slot(entity, "note"), .text) == .text("new"))
    }

    private static func row(
        of entity: Entity, _ upgrades: RowUpgrades, _ model: ManagedObjectModel,
        _ fill: (inout RowBatchBuilder) -> Void
    ) throws -> Row? {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: 1, version: .unsaved)
        fill(&builder)
        builder.endRow()
        let row = builder.finish()[0]
        let count = row.packedByteCount(layout: entity.layout)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { memory.deallocate() }
        row.writePacked(layout: entity.layout, version: .unsaved, to: memory)
        let packed = try #require(
            PackedRow(UnsafeRawBufferPointer(memory), slotCount: entity.layout.slotCount))
        var result = RowBatchBuilder(capacity: 256)
        guard try upgrades.append(packed, schema: 0, to: &result, setExternal: { _, _, _, _ in })
        else { return nil }
        return result.finish().first
    }

    /// The catalog of a store that had one model after the other.
    private func catalog(_ models: ManagedObjectModel...) -> Catalog {
        var catalog = Catalog()
        catalog.add(models[0])
        for (before, after) in zip(models, models.dropFirst()) {
            catalog.migrate(SchemaChange(from: before, to: after))
        }
        return catalog
    }

    @Test("Numbers of tables and relationships are never given twice")
    func numbers() {
        let catalog = catalog(old, new)
        let first = self.catalog(old)
        #expect(catalog.schemas.count == 2)
        #expect(catalog.roots["Writer"] == first.roots["Author"])
        #expect(catalog.roots["House"] == first.roots["House"])
        #expect(!first.roots.values.contains(catalog.roots["Added"] ?? -1))
        #expect(Set(catalog.roots.values).count == catalog.roots.count)
        #expect(catalog.schemas[0] == Catalog.Schema(old))
    }
}
