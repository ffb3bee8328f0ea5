import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The numbers of tables and relationships in the store's keys, and the layouts of its rows.
///
/// Stored as JSON in one record of the table `meta`. Numbers are never reused.
struct Catalog: Codable, Equatable {
    /// The row layouts of one version of the model; entities have their indexes in that model.
    struct Schema: Codable, Equatable {
        var checksum: String
        var entities: [EntityLayout]
    }

    /// An entity of a schema.
    struct EntityLayout: Codable, Equatable {
        var name: String
        var slots: [Slot]
    }

    /// A slot of an entity's rows.
    struct Slot: Codable, Equatable {
        var name: String
        var kind: UInt8
        /// True when values have a tag, and may be in files.
        var isExternal: Bool?
    }

    /// By version: the first schema is version 0, the last one is the current.
    var schemas: [Schema] = []
    /// The number of each root entity's table of rows.
    var roots: [String: Int] = [:]
    /// The number of each many-to-many, as `Entity.relationship`.
    var relationships: [String: UInt32] = [:]

    /// The upgrades of each schema's rows, except the last schema's.
    var upgrades: [Upgrade] = []
    /// The number of the last schema to which all rows were converted; nil for the first.
    var upgradedThrough: Int?
    /// The next numbers, if removed tables or relationships have used some.
    var nextRoot: Int?
    var nextRelationship: UInt32?

    /// Adds the parts of a model that the catalog does not contain yet.
    mutating func add(_ model: ManagedObjectModel) {
        for entity in model.entities where entity.superentity == nil {
            if roots[entity.name] == nil { roots[entity.name] = roots.count }
        }
        for relationship in model.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            let name = Self.name(of: relationship, in: model)
            if relationships[name] == nil {
                relationships[name] = UInt32(relationships.count + 1)
            }
        }
        let schema = Schema(model)
        if schemas.last != schema { schemas.append(schema) }
    }

    init() {}

    /// Also decodes catalogs from before the fourth format.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schemas = try values.decode([Schema].self, forKey: .schemas)
        roots = try values.decode([String: Int].self, forKey: .roots)
        relationships = try values.decode([String: UInt32].self, forKey: .relationships)
        upgrades = try values.decodeIfPresent([Upgrade].self, forKey: .upgrades) ?? []
        upgradedThrough = try values.decodeIfPresent(Int.self, forKey: .upgradedThrough)
        nextRoot = try values.decodeIfPresent(Int.self, forKey: .nextRoot)
        nextRelationship = try values.decodeIfPresent(UInt32.self, forKey: .nextRelationship)
    }

    static func name(of relationship: Relationship, in model: ManagedObjectModel) -> String {
        "\(model[relationship.declaringEntity].name).\(relationship.name)"
    }
}

extension Catalog.Schema {
    /// The name of a to-one's order number; no attribute has such a name.
    static func orderName(_ toOne: String) -> String { toOne + ".order" }

    /// Creates the layouts of a model.
    init(_ model: ManagedObjectModel) {
        checksum = model.versionChecksum
        entities = model.entities.map { entity in
            var slots = entity.layout.kinds.map { Catalog.Slot(name: "", kind: $0.rawValue) }
            for attribute in entity.attributes { slots[attribute.slot].name = attribute.name }
            for slot in entity.externalSlots { slots[slot].isExternal = true }
            for relationship in entity.relationships {
                guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
                slots[slot].name = relationship.name
                if let entitySlot { slots[entitySlot].name = relationship.name }
                if let slot = relationship.orderSlot {
                    slots[slot].name = Self.orderName(relationship.name)
                }
            }
            return Catalog.EntityLayout(name: entity.name, slots: slots)
        }
    }
}
