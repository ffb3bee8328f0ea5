import Duramen
import Foundation

/// What the stores in `Tests/Fixtures/stores` hold: one of each thing that a format has a form for.
///
/// Neither the model nor what is written may change, since files of earlier formats hold exactly
/// this.
@MainActor struct Exhibition {
    let context: ManagedObjectContext

    /// Works with a subclass, a value in a file of its own, an encoded one, a derived one and a
    /// unique one; rooms that keep their works in order; tags, many to many, ordered on one side.
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([work, painting, room, tag])
        } catch {
            fatalError("\(error)")
        }
    }()

    // MARK: - Writing

    /// Saves everything, in several transactions.
    func fill() throws {
        context.transactionAuthor = "curator"
        let rooms = try ["north", "south"].map { try insert("Room", ["name": $0]) }
        let tags = try ["early", "late", "odd"].map { try insert("Tag", ["name": $0]) }
        var works: [ManagedObject] = []
        for number in 0..<6 {
            let isPainting = number.isMultiple(of: 2)
            let work = try insert(isPainting ? "Painting" : "Work", ["code": "w\(number)"])
            if isPainting { try work.setValue("oil é 漢", forKey: "medium") }
            try work.setValue(Int64(number) - 3, forKey: "year")
            try work.setValue(Decimal(number) / 8, forKey: "price")
            try work.setValue(["red": number, "blue": 2], forKey: "palette")
            try work.setValue(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "hung")
            // Of few bytes, and of so many that it gets a file.
            let size = number == 4 ? 3_000 : number
            try work.setValue(Data(repeating: UInt8(number), count: size), forKey: "image")
            try work.setValue(tags.prefix(number % 4), forKey: "tags")
            works.append(work)
        }
        try rooms[0].setValue([works[3], works[0], works[2]], forKey: "works")
        try rooms[1].setValue([works[5], works[1]], forKey: "works")
        try context.save()
        context.transactionAuthor = "visitor"
        try tags[2].setValue([works[3], works[4], works[0]], forKey: "works")
        try rooms[0].setValue([works[0], works[3]], forKey: "works")
        try works[1].setValue("w1 again", forKey: "code")
        try context.save()
        context.delete(works[2])
        try context.save()
    }

    /// Changes something of each kind.
    func edit() throws {
        context.transactionAuthor = "restorer"
        let room = try object("Room", "name", "north")
        let added = try insert("Painting", ["code": "new", "image": Data(count: 4_000)])
        try room.setValue([added] + members(of: room, "works"), forKey: "works")
        try added.setValue([try object("Tag", "name", "late")], forKey: "tags")
        let work = try object("Work", "code", "w4")
        try work.setValue(["green": 1], forKey: "palette")
        try work.setValue(nil, forKey: "image")
        context.delete(try object("Work", "code", "w5"))
        try context.save()
    }

    /// Tries to save a unique value for the second time.
    func repeatUniqueValue() throws {
        _ = try insert("Work", ["code": "w0"])
        try context.save()
    }

    private func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
        guard let entity = Self.model.entity(named: entity) else { fatalError(entity) }
        let object = ManagedObject(entity: entity, context: context)
        for (name, value) in values { try object.setValue(value, forKey: name) }
        return object
    }

    // MARK: - Reading

    /// Everything, in lines of text.
    func description() throws -> String {
        var lines: [String] = []
        for (entity, key) in [("Room", "name"), ("Tag", "name"), ("Work", "code")] {
            for object in try objects(entity, sortedBy: key) {
                lines.append("\(object.entity.name) \(object.objectID.key)")
                lines += try object.entity.attributes.map(\.name).sorted().map { name in
                    "  \(name) = \(try text(of: object, name))"
                }
                for relationship in object.entity.relationships where relationship.isToMany {
                    let members = try members(of: object, relationship.name)
                    let names = try members.map { try text(of: $0, naming($0)) }
                    let order = relationship.isOrdered ? names : names.sorted()
                    lines.append("  \(relationship.name) = \(order.joined(separator: ", "))")
                }
            }
        }
        return (lines + (try history())).joined(separator: "\n") + "\n"
    }

    private func history() throws -> [String] {
        try context.execute(.fetchHistory(after: nil)).transactions.flatMap { transaction in
            let changes = (transaction.changes ?? []).map { change in
                let tombstone = (change.tombstone ?? [:]).map { "\($0): \($1)" }.sorted()
                return "  \(change.changeType) \(change.changedObjectID.entityName) "
                    + "\(change.changedObjectID.key) \(change.updatedProperties?.sorted() ?? [])"
                    + " \(tombstone)"
            }
            return ["Transaction of \(transaction.author ?? "nobody")"] + changes.sorted()
        }
    }

    private func object(_ entity: String, _ key: String, _ value: String) throws -> ManagedObject {
        let all = try objects(entity, sortedBy: key)
        guard let found = try all.first(where: { try $0.value(forKey: key) as? String == value })
        else { throw Missing(name: value) }
        return found
    }

    private func objects(_ entity: String, sortedBy key: String) throws -> [ManagedObject] {
        let request = FetchRequest<ManagedObject>(entityName: entity)
        return try context.fetch(request).sorted { try text(of: $0, key) < text(of: $1, key) }
    }

    private func members(of object: ManagedObject, _ name: String) throws -> [ManagedObject] {
        try object.value(forKey: name) as? [ManagedObject] ?? []
    }

    private func naming(_ object: ManagedObject) -> String {
        object.entity.property(named: "code") == nil ? "name" : "code"
    }

    private func text(of object: ManagedObject, _ name: String) throws -> String {
        switch try object.value(forKey: name) {
        case nil: "none"
        case let data as Data: "\(data.count) bytes of \(data.first ?? 0)"
        case let palette as [String: Int]: palette.map { "\($0) \($1)" }.sorted().description
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let value?: "\(value)"
        }
    }

    struct Missing: Error {
        let name: String
    }

    // MARK: - The model

    private static let work = EntityDescription(
        name: "Work",
        attributes: [
            AttributeDescription("code", .string, default: .text("")).preservedOnDeletion(),
            AttributeDescription("year", .integer32, isOptional: true),
            AttributeDescription("price", .decimal, isOptional: true),
            AttributeDescription("hung", .date, isOptional: true),
            AttributeDescription("image", .binaryData, isOptional: true).externallyStored(),
            .codable([String: Int]?.self, name: "palette", identifier: "Palette")
                // As no format before the third of LMDB's and the second of SQLite's.
                .transformed(by: "NSSecureUnarchiveFromData"),
            AttributeDescription("roomName", .string, isOptional: true)
                .derived(from: "room.name"),
        ],
        relationships: [
            .toOne("room", destination: "Room", inverse: "works"),
            .toMany("tags", destination: "Tag", inverse: "works"),
        ],
        uniquenessConstraints: [["code"]], indexes: [IndexDescription("year")])

    private static let painting = EntityDescription(
        name: "Painting", superentity: "Work",
        attributes: [AttributeDescription("medium", .string, isOptional: true)])

    private static let room = EntityDescription(
        name: "Room", attributes: [AttributeDescription("name", .string, isOptional: true)],
        relationships: [
            .toMany("works", destination: "Work", isOrdered: true)
        ])

    private static let tag = EntityDescription(
        name: "Tag", attributes: [AttributeDescription("name", .string, isOptional: true)],
        relationships: [.toMany("works", destination: "Work", isOrdered: true)])
}
