import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation

/// A model with every shape of property that the layout treats apart.
enum Library {
    static let model = makeModel()

    static func makeModel(extra: [AttributeDescription] = []) -> ManagedObjectModel {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Book",
                    attributes: [
                        AttributeDescription("code", .string, isOptional: true),
                        AttributeDescription("title", .string, isOptional: true),
                        AttributeDescription("pages", .integer64, isOptional: true),
                        AttributeDescription("rating", .double, isOptional: true),
                        AttributeDescription("isLent", .boolean, isOptional: true),
                        AttributeDescription("printed", .date, isOptional: true),
                        AttributeDescription("price", .decimal, isOptional: true),
                        AttributeDescription("cover", .binaryData, isOptional: true),
                        AttributeDescription("isbn", .uuid, isOptional: true),
                        AttributeDescription("link", .uri, isOptional: true),
                    ] + extra,
                    relationships: [
                        .toOne("author", destination: "Person", inverse: "books"),
                        .toMany("tags", destination: "Tag", inverse: "books"),
                    ],
                    uniquenessConstraints: [["code"]],
                    indexes: [IndexDescription("title")]),
                EntityDescription(
                    name: "Person",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [.toMany("books", destination: "Book", inverse: "author")]),
                EntityDescription(
                    name: "Poet", superentity: "Person",
                    attributes: [
                        AttributeDescription("verse", .string, isOptional: true),
                        AttributeDescription("number", .integer32, isOptional: true),
                    ], uniquenessConstraints: [["number"]]),
                EntityDescription(
                    name: "Tag",
                    attributes: [AttributeDescription("label", .string, isOptional: true)],
                    relationships: [.toMany("books", destination: "Book", inverse: "tags")]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }
}

/// A folder that goes away with its last user.
final class TemporaryFolder {
    let path: String
    init() {
        path = NSTemporaryDirectory() + "duramen-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String = "library.sqlite") -> String { path + "/" + name }
}

extension PersistentStore {
    func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.invalidRequest, "no entity \(name)")
        }
        return entity
    }

    /// A row with the values given by property name, to-ones by object ID.
    func row(
        _ name: String, key: Int64, version: RowVersion = .unsaved, _ values: [String: StoredValue]
    ) throws -> Row {
        let entity = try entity(name)
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: key, version: version)
        for (property, value) in values { set(value, of: property, entity, &builder) }
        builder.endRow()
        return builder.finish()[0]
    }

    private func set(
        _ value: StoredValue, of property: String, _ entity: Entity,
        _ builder: inout RowBatchBuilder
    ) {
        switch (entity.property(named: property), value) {
        case (.attribute(let attribute)?, _): set(value, at: attribute.slot, &builder)
        case (.relationship(let relationship)?, .objectID(let id)):
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { return }
            builder.set(integer: id.key, at: slot)
            if let entitySlot, let target = model.entity(of: id) {
                builder.set(integer: Int64(target.id.index), at: entitySlot)
            }
        default: break
        }
    }

    private func set(_ value: StoredValue, at slot: Int, _ builder: inout RowBatchBuilder) {
        switch value {
        case .integer(let number): builder.set(integer: number, at: slot)
        case .boolean(let flag): builder.set(integer: flag ? 1 : 0, at: slot)
        case .double(let number): builder.set(double: number, at: slot)
        case .date(let date): builder.set(double: date.timeIntervalSinceReferenceDate, at: slot)
        case .text(let text), .uri(let text): text.withUTF8 { builder.set(bytes: $0, at: slot) }
        case .binary(let data): data.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
        case .uuid(let id): withUnsafeBytes(of: id.uuid) { builder.set(bytes: $0, at: slot) }
        case .decimal(let number):
            var digits = "\(number)"
            digits.withUTF8 { builder.set(bytes: UnsafeRawBufferPointer($0), at: slot) }
        case .null, .objectID: break
        }
    }

    /// Inserts one object.
    @discardableResult
    func insert(_ name: String, _ values: [String: StoredValue]) throws -> ManagedObjectID {
        let entity = try entity(name)
        let key = try allocateKeys(1, for: entity.id).lowerBound
        _ = try saved(ChangeSet(inserts: [try row(name, key: key, values)]))
        return ManagedObjectID(store: handle, entity: entity.handle, key: key)
    }

    /// Saves what must not conflict.
    func saved(_ changes: ChangeSet) throws -> SaveReceipt {
        switch try save(changes) {
        case .saved(let receipt): return receipt
        case .conflicted(let conflicts):
            throw StoreError(.invalidRequest, "unexpected conflicts: \(conflicts.count)")
        }
    }

    /// An update of an object's row as it is stored, some values replaced.
    func update(
        _ id: ManagedObjectID, _ values: [String: StoredValue]
    ) throws -> RowUpdate {
        guard let stored = try snapshot().rows(for: [id]).first, let entity = model.entity(of: id)
        else { throw StoreError(.invalidRequest, "no row \(id)") }
        var all: [String: StoredValue] = [:]
        var changed = SlotSet()
        for attribute in entity.attributes {
            all[attribute.name] = stored.value(attribute.slot, attribute.kind)
            if values[attribute.name] != nil { changed.insert(attribute.slot) }
        }
        for relationship in entity.relationships where !relationship.isToMany {
            if let target = stored.destination(of: relationship, in: model, store: handle) {
                all[relationship.name] = .objectID(target)
            }
            if values[relationship.name] != nil, let slot = relationship.slot {
                changed.insert(slot)
            }
        }
        all.merge(values) { $1 }
        return RowUpdate(
            row: try row(entity.name, key: id.key, all), baseVersion: stored.version,
            changedSlots: changed)
    }

    /// The value of an attribute as it is stored.
    func value(_ id: ManagedObjectID, _ property: String) throws -> StoredValue? {
        guard let row = try snapshot().rows(for: [id]).first,
            case .attribute(let attribute)? = model.entity(of: id)?.property(named: property)
        else { return nil }
        return row.value(attribute.slot, attribute.kind)
    }

    /// Keys of a query that must be answered whole.
    func keys(_ query: StoreQuery) throws -> [Int64]? {
        let split = pushdown(for: query)
        guard split.residual == nil, !split.needsSorting, !split.needsWindow else { return nil }
        let cursor = try snapshot().cursor(split.pushed)
        var keys: [Int64] = []
        while let batch = try cursor.next(maximumRows: 3) { keys += batch.map(\.key) }
        return keys
    }
}
