import DuramenModel
import DuramenStore

/// One unchanging state of a store: a document, read by its model.
struct JSONState: Sendable {
    var header: JSONHeader
    var rows: [ManagedObjectID: Row] = [:]
    /// Pairs by relationship, of the two sides of one the first.
    var pairs: [RelationshipID: Set<JSONPair>] = [:]
    /// The numbers of pairs by ordered relationship, as that sees them.
    var orders: [RelationshipID: [JSONPair: Int64]] = [:]

    var generation: StoreGeneration { StoreGeneration(rawValue: header.generation) }
}

/// A pair of a many-to-many, as one of its sides sees it.
struct JSONPair: Hashable, Sendable {
    var source: ManagedObjectID
    var destination: ManagedObjectID

    var turned: JSONPair { JSONPair(source: destination, destination: source) }
}

extension ManagedObjectModel {
    /// The many-to-many relationships, each once, under the name that the file has for it.
    var pairedRelationships: [(name: String, relationship: Relationship)] {
        relationships.compactMap { relationship in
            guard case .manyToMany = relationship.storage, relationship.id <= relationship.inverse
            else { return nil }
            return (fileName(of: relationship), relationship)
        }
    }

    func fileName(of relationship: Relationship) -> String {
        "\(self[relationship.declaringEntity].name).\(relationship.name)"
    }

    /// A pair as the file has it: from the first of the two sides, or from the first of the two
    /// objects.
    func canonical(
        _ edge: EdgeChange.Edge, of relationship: Relationship
    ) -> (relationship: RelationshipID, pair: JSONPair) {
        let pair = JSONPair(source: edge.source, destination: edge.destination)
        let isFirst =
            relationship.isSelfInverse
            ? edge.source <= edge.destination : relationship.id < relationship.inverse
        return (min(relationship.id, relationship.inverse), isFirst ? pair : pair.turned)
    }
}

// MARK: - Writing

extension JSONState {
    /// The state as the file holds it.
    func document(model: ManagedObjectModel, store: StoreHandle) -> JSONDocument {
        var document = JSONDocument(header: header)
        for (id, row) in rows {
            document.objects[id.fileName] = JSONObject(
                version: row.version.rawValue, values: values(of: row, model, store))
        }
        for (name, relationship) in model.pairedRelationships {
            guard let edges = pairs[relationship.id], !edges.isEmpty else { continue }
            document.pairs[name] = Dictionary(grouping: edges, by: \.source.fileName)
                .mapValues { $0.map(\.destination).sorted().map(\.fileName) }
        }
        for (id, numbers) in orders where !numbers.isEmpty {
            var sources: [String: [String: Int64]] = [:]
            for (pair, number) in numbers {
                sources[pair.source.fileName, default: [:]][pair.destination.fileName] = number
            }
            document.orders = document.orders ?? [:]
            document.orders?[model.fileName(of: model[id])] = sources
        }
        return document
    }

    private func values(
        of row: Row, _ model: ManagedObjectModel, _ store: StoreHandle
    ) -> [String: JSONValue] {
        let entity = model[row.entityID]
        var values: [String: JSONValue] = [:]
        for attribute in entity.attributes {
            values[attribute.name] = JSONValue(row.value(attribute.slot, attribute.kind))
        }
        for relationship in entity.relationships {
            let destination = row.destination(of: relationship, in: model, store: store)
            values[relationship.name] = destination.map { .text($0.fileName) }
            if let slot = relationship.orderSlot, !row.isNull(slot) {
                values[relationship.orderName] = JSONValue(row.value(slot, .integer))
            }
        }
        return values
    }
}

// MARK: - Reading

extension JSONState {
    /// Reads a document by its model, and checks all of it. Nothing is checked again later.
    ///
    /// - Throws: `.incompatibleModel`, `.damagedFile`.
    init(
        _ document: JSONDocument, model: ManagedObjectModel, path: String
    ) throws(StoreError) {
        header = document.header
        guard header.modelChecksum == model.versionChecksum else {
            throw StoreError(
                .incompatibleModel,
                "'\(path)' was made with another version of the model; open it with that one.")
        }
        let reader = JSONReader(document: document, model: model, path: path)
        rows = try reader.rows()
        pairs = try reader.pairs()
        orders = try reader.orders(of: pairs)
    }
}

private struct JSONReader {
    let document: JSONDocument
    let model: ManagedObjectModel
    let path: String
    private let store: StoreHandle

    init(document: JSONDocument, model: ManagedObjectModel, path: String) {
        self.document = document
        self.model = model
        self.path = path
        store = StoreHandle(uuid: document.header.identity)
    }

    func rows() throws(StoreError) -> [ManagedObjectID: Row] {
        var rows: [ManagedObjectID: Row] = [:]
        var keys: [EntityID: Set<Int64>] = [:]
        for (name, object) in document.objects {
            let (id, entity) = try self.id(name)
            let isNew = keys[entity.root, default: []].insert(id.key).inserted
            if !isNew || entity.isAbstract { throw damaged("there is a wrong object '\(name)'") }
            guard id.key < document.header.nextKeys[model[entity.root].name] ?? 0,
                object.version >= 1, object.version <= document.header.generation
            else { throw damaged("the key or version of '\(name)' was never given out") }
            rows[id] = try row(object, key: id.key, of: entity, name)
        }
        return rows
    }

    private func row(
        _ object: JSONObject, key: Int64, of entity: Entity, _ name: String
    ) throws(StoreError) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: key,
            version: RowVersion(rawValue: object.version))
        for (property, value) in object.values {
            if let slot = entity.relationships.first(where: {
                StoredText($0.orderName) == StoredText(property)
            })?.orderSlot {
                guard case .integer(let number)? = value.value(of: .integer64) else {
                    throw damaged("'\(property)' of '\(name)' is no number")
                }
                builder.set(integer: number, at: slot)
                continue
            }
            switch self.property(property, of: entity) {
            case .attribute(let attribute):
                guard let value = value.value(of: attribute.type) else {
                    throw damaged("'\(property)' of '\(name)' is no \(attribute.type)")
                }
                builder.set(value, at: attribute.slot, as: attribute.kind)
            case .relationship(let relationship):
                guard case .toOne(let slot, let entitySlot) = relationship.storage,
                    case .text(let text) = value
                else { throw damaged("'\(property)' of '\(name)' is no reference") }
                let (id, own) = try self.id(text, as: relationship.destination)
                builder.set(integer: id.key, at: slot)
                if let entitySlot { builder.set(integer: Int64(own.id.index), at: entitySlot) }
            case nil: throw damaged("'\(name)' has no property '\(property)'")
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    /// A property by its name; that of a to-one that only the model knows begins with a dot.
    private func property(_ name: String, of entity: Entity) -> Property? {
        entity.property(named: name)
            ?? entity.relationships.first { $0.isHidden && StoredText($0.name) == StoredText(name) }
            .map { .relationship($0) }
    }

    func pairs() throws(StoreError) -> [RelationshipID: Set<JSONPair>] {
        var rest = document.pairs
        var pairs: [RelationshipID: Set<JSONPair>] = [:]
        for (name, relationship) in model.pairedRelationships {
            for (source, destinations) in rest.removeValue(forKey: name) ?? [:] {
                let source = try id(source, as: relationship.declaringEntity).id
                for destination in destinations {
                    let destination = try id(destination, as: relationship.destination).id
                    pairs[relationship.id, default: []].insert(
                        JSONPair(source: source, destination: destination))
                }
            }
        }
        if let name = rest.keys.first { throw damaged("'\(name)' is no many-to-many") }
        return pairs
    }

    func orders(
        of pairs: [RelationshipID: Set<JSONPair>]
    ) throws(StoreError) -> [RelationshipID: [JSONPair: Int64]] {
        var rest = document.orders ?? [:]
        var orders: [RelationshipID: [JSONPair: Int64]] = [:]
        for relationship in model.relationships where relationship.isOrdered {
            for (source, numbers) in rest.removeValue(forKey: model.fileName(of: relationship))
                ?? [:]
            {
                let source = try id(source, as: relationship.declaringEntity).id
                for (destination, number) in numbers {
                    let destination = try id(destination, as: relationship.destination).id
                    let (first, pair) = model.canonical(
                        .init(from: source, to: destination), of: relationship)
                    guard pairs[first]?.contains(pair) == true else {
                        throw damaged("a pair that is not there has a number")
                    }
                    let own = JSONPair(source: source, destination: destination)
                    orders[relationship.id, default: [:]][own] = number
                }
            }
        }
        if let name = rest.keys.first { throw damaged("'\(name)' has no order") }
        return orders
    }

    /// The object of a name such as `Book/1`.
    private func id(
        _ name: String, as expected: EntityID? = nil
    ) throws(StoreError) -> (id: ManagedObjectID, entity: Entity) {
        guard let slash = name.lastIndex(of: "/"),
            let entity = model.entity(named: String(name[..<slash])),
            let key = Int64(name[name.index(after: slash)...]),
            (1..<JSONHeader.limit).contains(key),
            name.hasSuffix("/\(key)")
        else { throw damaged("'\(name)' names no object") }
        if let expected, !entity.isKind(of: model[expected]) {
            throw damaged("'\(name)' is no \(model[expected].name)")
        }
        return (ManagedObjectID(store: store, entity: entity.handle, key: key), entity)
    }

    private func damaged(_ what: String) -> StoreError {
        StoreError(
            .damagedFile, "'\(path)' is damaged: \(what). Restore a copy, or correct the file.")
    }
}

extension Relationship {
    /// The name of the number in the order of the to-many that a to-one makes up the other side of.
    fileprivate var orderName: String { name + ".order" }
}

extension ManagedObjectID {
    /// The object's name in the file.
    var fileName: String { "\(entityName)/\(key)" }
}
