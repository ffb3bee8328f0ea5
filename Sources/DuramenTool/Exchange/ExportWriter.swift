import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Writes one state of a store as JSON Lines, a file for each entity.
struct ExportWriter {
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let source: SnapshotSource
    private let walk: StoreWalk
    private let leavesOutConfidential: Bool
    /// By the index of an entity in the model.
    private let properties: [ExportedProperties]

    private var model: ManagedObjectModel { store.model }

    init(_ store: any PersistentStore, leavesOutConfidential: Bool) throws(StoreError) {
        self.store = store
        self.leavesOutConfidential = leavesOutConfidential
        snapshot = try store.snapshot()
        source = SnapshotSource(store, snapshot)
        walk = StoreWalk(store, snapshot)
        properties = store.model.entities.map {
            ExportedProperties(
                $0, in: store.model, leavingOutConfidential: leavesOutConfidential)
        }
    }

    /// - Returns: The checksums of the objects.
    func write(to folder: ExportFolder) throws(StoreError) -> StoreChecksums {
        for root in model.entities where root.superentity == nil {
            var files: [Int: LineFile] = [:]
            for id in root.family where !model[id].isAbstract {
                files[id.index] = try LineFile(folder.lines(of: model[id]))
            }
            try walk.forEachBatch(of: root) { (rows) throws(StoreError) in
                let members = try members(of: rows)
                source.expect { Array(rows) }
                source.expect(membersInOrder(of: rows, members))
                for (index, row) in rows.enumerated() {
                    source.advance(to: index)
                    try files[row.entityID.index]?.write(try line(row, members))
                }
            }
            for file in files.values { try file.finish() }
        }
        let checksums = try StoreChecksums(reading: snapshot, of: store)
        try folder.write(
            ExportFolder.Contents(
                modelChecksum: model.versionChecksum,
                entities: checksums.entities.map { entity in
                    .init(
                        name: entity.name, rows: entity.rowCount, pairs: entity.pairCount,
                        checksum: String(entity.checksum, radix: 16))
                },
                leftOut: leavesOutConfidential ? ExportedProperties.confidential(in: model) : [],
                metadata: try store.metadata().userInfo), model)
        return checksums
    }

    /// A many-to-many of one object.
    private struct End: Hashable {
        var relationship: RelationshipID
        var key: Int64
    }

    private func members(of rows: RowBatch) throws(StoreError) -> [End: [EdgeChange.Edge]] {
        var members: [End: [EdgeChange.Edge]] = [:]
        try walk.forEachPair(of: rows) { relationship, pair in
            members[End(relationship: relationship.id, key: pair.source.key), default: []]
                .append(pair)
        }
        return members
    }

    /// The members with natural keys of all rows, as ``line(_:_:)`` requests them.
    private func membersInOrder(
        of rows: RowBatch, _ members: [End: [EdgeChange.Edge]]
    ) -> [ManagedObjectID] {
        rows.flatMap { row in
            properties[row.entityID.index].toManys.flatMap { toMany in
                (members[End(relationship: toMany.id, key: row.key)] ?? []).map(\.destination)
            }
        }.filter { model.entity(of: $0).map(hasKey) == true }
    }

    private func line(
        _ row: Row, _ members: [End: [EdgeChange.Edge]]
    ) throws(StoreError) -> String {
        let properties = properties[row.entityID.index]
        var line = JSONTree()
        line.add(["@id"], JSONText.quoted(name(row.entityID, row.key)))
        for (attribute, path) in properties.attributes {
            Self.add(attribute, path, of: row, to: &line)
        }
        for toOne in properties.toOnes {
            let destination = row.destination(of: toOne, in: model, store: store.handle)
            line.add([toOne.name], try destination.map(self.text) ?? "null")
            if let slot = toOne.orderSlot, !row.isNull(slot) {
                line.add(["@orders", toOne.name], "\(row.integer(slot))")
            }
        }
        for toMany in properties.toManys {
            var texts: [String] = []
            for pair in members[End(relationship: toMany.id, key: row.key)] ?? [] {
                texts.append(try text(pair.destination, order: pair.order))
            }
            line.add([toMany.name], JSONText.array(texts))
        }
        return line.text
    }

    private static func add(
        _ attribute: Attribute, _ path: [String], of row: Row, to tree: inout JSONTree
    ) {
        let plain = ExportedValue.text(row, attribute)
        if let plain { tree.add(path, plain.text) }
        if plain?.isExact == true { return }
        tree.add(["@exact", attribute.name], ExportedValue.bits(row, attribute))
    }

    /// A destination, with its natural key.
    private func text(_ id: ManagedObjectID) throws(StoreError) -> String {
        try text(id, order: nil)
    }

    private func text(_ id: ManagedObjectID, order: Int64?) throws(StoreError) -> String {
        var tree = JSONTree()
        // A destination that is missing is damage, which an export keeps as it is.
        guard let entity = model.entity(of: id) else { return "null" }
        tree.add(["@id"], JSONText.quoted(name(entity.id, id.key)))
        if let order { tree.add(["@order"], "\(order)") }
        if hasKey(entity), let row = try source.row(for: id) {
            for (attribute, path) in properties[row.entityID.index].key {
                Self.add(attribute, path, of: row, to: &tree)
            }
        }
        return tree.text
    }

    /// Whether objects of an entity have a natural key.
    private func hasKey(_ entity: Entity) -> Bool { !properties[entity.id.index].key.isEmpty }

    private func name(_ entity: EntityID, _ key: Int64) -> String { "\(model[entity].name)/\(key)" }
}

/// A JSON object that is written with its members in their order.
struct JSONTree {
    private enum Node {
        case text(String)
        case tree(JSONTree)
    }

    private var members: [(name: String, node: Node)] = []

    /// Adds a value, within other objects where its path has several keys.
    mutating func add(_ path: [String], _ text: String) { add(path[...], text) }

    private mutating func add(_ path: ArraySlice<String>, _ text: String) {
        guard let name = path.first else { return }
        if path.count == 1 { return members.append((name, .text(text))) }
        var inner = JSONTree()
        if let index = members.firstIndex(where: { $0.name == name }),
            case .tree(let known) = members[index].node
        {
            inner = known
            inner.add(path.dropFirst(), text)
            members[index].node = .tree(inner)
        } else {
            inner.add(path.dropFirst(), text)
            members.append((name, .tree(inner)))
        }
    }

    var text: String {
        JSONText.object(
            members.map { name, node in
                switch node {
                case .text(let text): (name, text)
                case .tree(let tree): (name, tree.text)
                }
            })
    }
}
