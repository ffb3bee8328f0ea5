import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// A model with every kind of attribute, inheritance on both ends of a to-one, and to-manys.
enum Earth {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Quake",
                    attributes: [
                        AttributeDescription("code", .string, isOptional: true),
                        AttributeDescription("note", .string, isOptional: true),
                        AttributeDescription("magnitude", .double, isOptional: true),
                        AttributeDescription("depth", .float, isOptional: true),
                        AttributeDescription("reports", .integer64, isOptional: true),
                        AttributeDescription("isFelt", .boolean, isOptional: true),
                        AttributeDescription("damage", .decimal, isOptional: true),
                        AttributeDescription("time", .date, isOptional: true),
                        AttributeDescription("identifier", .uuid, isOptional: true),
                        AttributeDescription("wave", .binaryData, isOptional: true),
                        AttributeDescription("link", .uri, isOptional: true),
                    ],
                    relationships: [
                        .toOne("region", destination: "Region", inverse: "quakes"),
                        .toMany("tags", destination: "Tag", inverse: "quakes"),
                    ]),
                EntityDescription(
                    name: "Region",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [
                        .toOne("capital", destination: "Place", inverse: "regions"),
                        .toMany("quakes", destination: "Quake"),
                    ]),
                EntityDescription(
                    name: "Island", superentity: "Region",
                    attributes: [AttributeDescription("area", .double, isOptional: true)]),
                EntityDescription(
                    name: "Place",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [.toMany("regions", destination: "Region")]),
                EntityDescription(name: "City", superentity: "Place"),
                EntityDescription(
                    name: "Tag",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [.toMany("quakes", destination: "Quake")]),
            ])
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static func entity(_ name: String) -> Entity {
        guard let entity = model.entity(named: name) else { preconditionFailure(name) }
        return entity
    }
}

/// Rows in memory, with what their to-manys lead to.
struct Objects: EvaluationSource {
    let model = Earth.model
    let store = StoreHandle(
        uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    private(set) var rows: [ManagedObjectID: Row] = [:]
    private var links: [RelationshipID: [ManagedObjectID: [ManagedObjectID]]] = [:]

    func row(for id: ManagedObjectID) throws(Never) -> Row? { rows[id] }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(Never) -> [ManagedObjectID] { links[relationship.id]?[id] ?? [] }

    func id(_ entity: String, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(
            store: key < 0 ? .none : store, entity: EntityHandle(name: entity), key: key)
    }

    @discardableResult
    mutating func add(
        _ name: String, _ key: Int64, _ values: [String: StoredValue] = [:]
    ) -> ManagedObjectID {
        let entity = Earth.entity(name)
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: key,
            version: RowVersion(rawValue: 1))
        for (name, value) in values {
            switch entity.property(named: name) {
            case .attribute(let attribute)?: set(value, at: attribute.slot, of: &builder)
            case .relationship(let relationship)?:
                guard case .objectID(let id) = value,
                    case .toOne(let slot, let entitySlot) = relationship.storage
                else { preconditionFailure(name) }
                builder.set(integer: id.key, at: slot)
                if let entitySlot, let destination = model.entity(of: id) {
                    builder.set(integer: Int64(destination.id.index), at: entitySlot)
                }
            case nil: preconditionFailure(name)
            }
        }
        builder.endRow()
        let id = id(name, key)
        rows[id] = builder.finish()[0]
        return id
    }

    mutating func link(_ id: ManagedObjectID, _ name: String, _ destinations: [ManagedObjectID]) {
        guard case .relationship(let relationship)? = model.entity(of: id)?.property(named: name)
        else { preconditionFailure(name) }
        links[relationship.id, default: [:]][id] = destinations
    }

    private func set(_ value: StoredValue, at slot: Int, of builder: inout RowBatchBuilder) {
        switch value {
        case .null: break
        case .integer(let number): builder.set(integer: number, at: slot)
        case .boolean(let flag): builder.set(integer: flag ? 1 : 0, at: slot)
        case .double(let number): builder.set(double: number, at: slot)
        case .date(let date): builder.set(double: date.timeIntervalSinceReferenceDate, at: slot)
        case .text(let text), .uri(let text): text.withUTF8 { builder.set(bytes: $0, at: slot) }
        case .decimal(let number):
            StoredText(number.description).withUTF8 { builder.set(bytes: $0, at: slot) }
        case .binary(let data): data.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { builder.set(bytes: $0, at: slot) }
        case .objectID: preconditionFailure("not an attribute's value")
        }
    }

    /// What a predicate says of an object.
    func holds(_ predicate: FetchPredicate, _ id: ManagedObjectID) throws -> Bool {
        let entity = try #require(model.entity(of: id))
        let row = try #require(rows[id])
        return try predicate.bound(to: entity, in: model).evaluate(row, id: id, in: self)
    }
}

/// Why a predicate on quakes does not bind.
func bindingError(_ predicate: FetchPredicate, to entity: String = "Quake") -> FetchPredicateError?
{
    do throws(FetchPredicateError) {
        _ = try predicate.bound(to: Earth.entity(entity), in: Earth.model)
        return nil
    } catch {
        return error
    }
}

final class Quake: QueryableObject {
    var code: String?
    var note: String?
    var magnitude = 0.0
    var depth: Float?
    var reports = 0
    var isFelt = false
    var damage: Decimal?
    var time = Date(timeIntervalSinceReferenceDate: 0)
    var identifier: UUID?
    var wave: Data?
    var link: URL?
    var region: Region?
    var tags = Many<Tag>()
    var unmanaged = 0
    let queryObjectID: ManagedObjectID

    init(_ id: ManagedObjectID) { queryObjectID = id }

    static func propertyName(for keyPath: AnyKeyPath) -> String? {
        let names: [AnyKeyPath: String] = [
            \Quake.code: "code", \Quake.note: "note", \Quake.magnitude: "magnitude",
            \Quake.depth: "depth", \Quake.reports: "reports", \Quake.isFelt: "isFelt",
            \Quake.damage: "damage", \Quake.time: "time", \Quake.identifier: "identifier",
            \Quake.wave: "wave", \Quake.link: "link", \Quake.region: "region", \Quake.tags: "tags",
        ]
        return names[keyPath]
    }
}

final class Region: QueryableObject {
    var name = ""
    var quakes = Many<Quake>()
    let queryObjectID: ManagedObjectID

    init(_ id: ManagedObjectID) { queryObjectID = id }

    static func propertyName(for keyPath: AnyKeyPath) -> String? {
        keyPath == \Region.name ? "name" : (keyPath == \Region.quakes ? "quakes" : nil)
    }
}

final class Tag: QueryableObject {
    var name = ""
    var quakes = Many<Quake>()
    let queryObjectID: ManagedObjectID

    init(_ id: ManagedObjectID) { queryObjectID = id }

    static func propertyName(for keyPath: AnyKeyPath) -> String? {
        keyPath == \Tag.name ? "name" : (keyPath == \Tag.quakes ? "quakes" : nil)
    }
}

struct Many<Element: QueryableObject>: ToManyCollection {}
