import Duramen
import DuramenModel
import DuramenStore
import Foundation

/// Fills an empty store with the objects of an export, under their keys.
struct ExportReader {
    private static let batchRows = 500

    private let folder: ExportFolder
    private let contents: ExportFolder.Contents
    private let store: any PersistentStore
    private var model: ManagedObjectModel { store.model }
    /// Entities by name.
    private let entities: [String: Entity]

    /// - Parameter store: A store of the model of the export.
    init(
        _ folder: ExportFolder, into store: any PersistentStore
    ) throws(StoreError) {
        self.folder = folder
        self.store = store
        contents = try folder.contents()
        if contents.modelChecksum != store.model.versionChecksum {
            throw StoreError(
                .damagedFile,
                "'\(folder.path)' has another model than the one that was exported; export again.")
        }
        entities = Dictionary(uniqueKeysWithValues: store.model.entities.map { ($0.name, $0) })
    }

    /// Reads all objects, and compares them with those that were exported.
    func read() throws(StoreError) -> StoreChecksums {
        let filling = try StoreFilling(store)
        let concrete = model.entities.filter { !$0.isAbstract }
        // All lines are read before anything is written, because a damaged one may be the last.
        for entity in concrete {
            try forEachBatch(of: entity) { (_) throws(StoreError) in }
            try forEachPairs(of: entity) { (_) throws(StoreError) in }
        }
        for entity in concrete {
            try forEachBatch(of: entity) { (rows) throws(StoreError) in try filling.insert(rows) }
        }
        for entity in concrete {
            try forEachPairs(of: entity) { (pairs) throws(StoreError) in try filling.insert(pairs) }
        }
        try filling.finish(contents.metadata)
        let checksums = try StoreChecksums(reading: try store.snapshot(), of: store)
        for (expected, found) in zip(contents.entities, checksums.entities) {
            let isWhole = !contents.leftOut.contains { $0.hasPrefix(expected.name + ".") }
            let isSame = String(found.checksum, radix: 16) == expected.checksum
            if found.rowCount != expected.rows || isWhole && !isSame {
                throw StoreError(
                    .damagedFile,
                    "The objects of '\(expected.name)' are not those that were exported. Somebody changed the "
                        + "files; export again, or import the files one by one with --entity.")
            }
        }
        return checksums
    }

    // MARK: - Objects

    private func forEachBatch(
        of entity: Entity, _ body: (RowBatch) throws(StoreError) -> Void
    ) throws(StoreError) {
        let properties = ExportedProperties(entity, in: model, leavingOutConfidential: false)
        var builder = RowBatchBuilder(capacity: 1 << 16)
        try forEachLine(of: entity) { (line, key) throws(StoreError) in
            builder.beginRow(
                entity: entity.id, slotCount: entity.layout.slotCount, key: key,
                version: .unsaved)
            for (attribute, path) in properties.attributes {
                try set(attribute, path, from: line, &builder)
            }
            for toOne in properties.toOnes { try set(toOne, from: line, &builder) }
            builder.endRow()
            if builder.count >= Self.batchRows || builder.isFull {
                try body(builder.finish())
            }
        }
        if builder.count > 0 { try body(builder.finish()) }
    }

    private func set(
        _ attribute: Attribute, _ path: [String], from line: Line,
        _ builder: inout RowBatchBuilder
    ) throws(StoreError) {
        if let bits = line.json["@exact"]?[attribute.name] {
            if ExportedValue.setBits(bits, of: attribute, in: &builder) { return }
        } else {
            var json: JSONValue? = line.json
            for name in path { json = json?[name] }
            guard let json else { return }
            if let value = ExportedValue.value(json, of: attribute) {
                return builder.set(value, at: attribute.slot, as: attribute.kind)
            }
        }
        throw line.damaged("'\(attribute.name)' has a value of another type")
    }

    private func set(
        _ toOne: Relationship, from line: Line, _ builder: inout RowBatchBuilder
    ) throws(StoreError) {
        guard case .toOne(let slot, let entitySlot) = toOne.storage,
            let json = line.json[toOne.name]
        else { return }
        if case .null = json.content { return }
        let (entity, key) = try reference(json, line)
        builder.set(integer: key, at: slot)
        if let entitySlot { builder.set(integer: Int64(entity.id.index), at: entitySlot) }
        guard let orderSlot = toOne.orderSlot, let order = line.json["@orders"]?[toOne.name]
        else { return }
        guard case .number(let digits) = order.content, let number = Int64(digits) else {
            throw line.damaged("the order of '\(toOne.name)' must be a whole number")
        }
        builder.set(integer: number, at: orderSlot)
    }

    /// The entity and the key of an object that a line names.
    private func reference(
        _ json: JSONValue, _ line: Line
    ) throws(StoreError) -> (entity: Entity, key: Int64) {
        guard case .text(let name)? = json["@id"]?.content,
            let slash = name.lastIndex(of: "/"), let entity = entities[String(name[..<slash])],
            let key = Int64(name[name.index(after: slash)...]), key > 0
        else { throw line.damaged("a value has no '@id' such as \"Book/1\"") }
        return (entity, key)
    }

    // MARK: - Pairs

    private func forEachPairs(
        of entity: Entity, _ body: ([RelationshipID: EdgeChange]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let toManys = ExportedProperties(entity, in: model, leavingOutConfidential: false).toManys
        if toManys.isEmpty { return }
        var changes: [RelationshipID: EdgeChange] = [:]
        var count = 0
        try forEachLine(of: entity) { (line, key) throws(StoreError) in
            let source = ManagedObjectID(store: store.handle, entity: entity.handle, key: key)
            for toMany in toManys {
                guard case .list(let members)? = line.json[toMany.name]?.content else { continue }
                for member in members {
                    let (entity, key) = try reference(member, line)
                    var pair = EdgeChange.Edge(
                        from: source,
                        to: ManagedObjectID(
                            store: store.handle, entity: entity.handle, key: key))
                    if case .number(let digits)? = member["@order"]?.content {
                        pair.order = Int64(digits)
                    }
                    changes[toMany.id, default: EdgeChange(relationship: toMany.id)]
                        .added.append(pair)
                    count += 1
                }
            }
            if count >= Self.batchRows {
                try body(changes)
                (changes, count) = ([:], 0)
            }
        }
        if count > 0 { try body(changes) }
    }

    // MARK: - Lines

    /// A line of a file.
    private struct Line {
        let json: JSONValue
        let path: String
        let number: Int

        func damaged(_ problem: String) -> StoreError {
            StoreError(
                .damagedFile, "'\(path)', object \(number + 1): \(problem). Export again.")
        }
    }

    /// Calls `body` with each line of an entity's file, and the key of its object.
    private func forEachLine(
        of entity: Entity, _ body: (Line, Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let path = folder.lines(of: entity)
        do {
            var elements = try FeedElements(.file(path))
            while let element = try elements.next() {
                let json: JSONValue
                do throws(JSONMistake) {
                    json = try JSONValue.value(of: element.bytes, in: element.range)
                } catch {
                    throw StoreError(
                        .damagedFile,
                        "'\(path)', object \(element.number + 1): \(error.problem). Export again.")
                }
                let line = Line(json: json, path: path, number: element.number)
                let (named, key) = try reference(json, line)
                if named !== entity { throw line.damaged("it is of another entity") }
                try body(line, key)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.damagedFile, "\(error)")
        }
    }
}
