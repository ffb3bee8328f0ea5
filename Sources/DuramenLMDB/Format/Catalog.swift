import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The numbers by which the store's keys name what the model names by words, and the layouts of its
/// rows.
///
/// Kept as JSON in one record of the table `meta`. Numbers are never given twice.
struct Catalog: Codable, Equatable {
    /// How one version of the model laid out rows; entities stand at their places in that model.
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
        /// True when values stand behind a tag, and large ones in files.
        var isExternal: Bool?
    }

    /// By version: the first schema is version 0, the last one is the present.
    var schemas: [Schema] = []
    /// The number of each root entity's table of rows.
    var roots: [String: Int] = [:]
    /// The number of each many-to-many, as `Entity.relationship`.
    var relationships: [String: UInt32] = [:]

    /// What becomes of the rows of each schema but the last.
    var upgrades: [Upgrade] = []
    /// The number of the last schema that all rows were brought to; nil for the first.
    var upgradedThrough: Int?
    /// The numbers that are given next, once some were given to what is gone.
    var nextRoot: Int?
    var nextRelationship: UInt32?

    /// Adds what a model has and the catalog does not know yet.
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

    /// Reads catalogs of before the fourth format, too.
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
    /// The name of a to-one's number in an order; no attribute has one like it.
    static func orderName(_ toOne: String) -> String { toOne + ".order" }

    /// The layouts of a model.
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
