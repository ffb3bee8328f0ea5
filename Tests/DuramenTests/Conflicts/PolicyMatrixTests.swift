import Duramen
import Foundation
import Testing

/// Every policy, against what either side does, for every kind of property: compared with the
/// tables in the article WhenTwoWritersMeet, which are written by hand.
@Suite struct PolicyMatrixTests {
    @Test("What each policy makes of each conflict is what its table says", arguments: Matrix.runs)
    func theTablesHold(run: Matrix.Run) throws {
        let tables = try PolicyTables.documented()
        let expected = try #require(tables[run.kind.heading])
        var found: [String: [String]] = [:]
        let container = try run.store.container(Matrix.model)
        for (name, policy) in Matrix.policies {
            for here in Matrix.Side.allCases {
                for there in Matrix.Side.allCases {
                    let column = "\(here), \(there)"
                    let cell = Cell(
                        container: container, kind: run.kind, policy: policy, here: here,
                        there: there)
                    let outcome = try cell.outcome()
                    found[name, default: []].append(outcome)
                    #expect(
                        outcome == expected[name]?[column], "\(run.kind), \(name), \(column)")
                }
            }
        }
        if run.store == .memory { PolicyTables.print(found, run.kind) }
    }
}

/// What the matrix is made of.
enum Matrix {
    enum Side: String, CaseIterable, CustomStringConvertible {
        case kept, changed, deleted
        var description: String { rawValue }
    }

    enum Kind: String, CaseIterable, Sendable, CustomStringConvertible {
        case attribute, toOne, element, nilAttribute, toMany, manyToMany, order, pairOrder

        var description: String { rawValue }

        var heading: String {
            switch self {
            case .attribute, .toOne, .element: "Attribute, to-one, element of a composite"
            case .nilAttribute: "Optional attribute, set to nil in this context"
            case .toMany: "To-many whose inverse is a to-one"
            case .manyToMany: "Many-to-many"
            case .order: "Order of a to-many whose inverse is a to-one"
            case .pairOrder: "Order of a many-to-many"
            }
        }

        /// The to-many of `Item` that the kind is about.
        var toMany: (name: String, entity: String)? {
            switch self {
            case .toMany: ("parts", "Part")
            case .manyToMany: ("tags", "Tag")
            case .order: ("steps", "Step")
            case .pairOrder: ("songs", "Song")
            default: nil
            }
        }

        /// What values of the property are called in the tables.
        var names: [String: String] {
            switch self {
            case .toMany, .manyToMany:
                ["ab": "base", "bx": "own", "ay": "stored", "xy": "both", "x": "added", "": "none"]
            case .order, .pairOrder:
                [
                    "abcd": "base", "bcda": "own", "bcad": "stored", "": "none", "a": "moved",
                ]
            case .nilAttribute: ["base": "base", "nil": "own", "stored": "stored"]
            default: ["base": "base", "own": "own", "stored": "stored"]
            }
        }
    }

    struct Run: Sendable, CustomTestStringConvertible {
        let kind: Kind
        let store: StoreKind
        var testDescription: String { "\(kind) on \(store)" }
    }

    static let runs = Kind.allCases.flatMap { kind in
        StoreKind.allCases.map { Run(kind: kind, store: $0) }
    }

    static let policies: [(String, MergePolicy)] = [
        ("error", .error), ("mergeByPropertyStoreTrump", .mergeByPropertyStoreTrump),
        ("mergeByPropertyObjectTrump", .mergeByPropertyObjectTrump), ("fill", .fill),
        ("overwrite", .overwrite), ("rollback", .rollback),
    ]

    static let model: ManagedObjectModel = {
        func named(_ name: String, _ relationship: RelationshipDescription) -> EntityDescription {
            EntityDescription(
                name: name, attributes: [AttributeDescription("name", .string)],
                relationships: [relationship])
        }
        let item = EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("tick", .integer64, default: .integer(0)),
                AttributeDescription("title", .string, default: .text("base")),
                AttributeDescription("note", .string, isOptional: true),
                .composite(Location?.self, name: "place"),
            ],
            relationships: [
                .toOne("box", destination: "Box", inverse: "items"),
                .toMany("parts", destination: "Part", inverse: "item"),
                .toMany("tags", destination: "Tag", inverse: "items"),
                .toMany("steps", destination: "Step", inverse: "item", isOrdered: true),
                .toMany("songs", destination: "Song", inverse: "items", isOrdered: true),
            ])
        do {
            return try ManagedObjectModel([
                item, named("Box", .toMany("items", destination: "Item")),
                named("Part", .toOne("item", destination: "Item")),
                named("Tag", .toMany("items", destination: "Item")),
                named("Step", .toOne("item", destination: "Item")),
                named("Song", .toMany("items", destination: "Item")),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()
}

/// One cell of a table.
private struct Cell {
    let container: PersistentContainer
    let kind: Matrix.Kind
    let policy: MergePolicy
    let here: Matrix.Side
    let there: Matrix.Side

    /// What the save made of the property, in the words of the tables.
    func outcome() throws -> String {
        let (id, others) = try prepare()
        let mine = container.makeContext(ContextOptions(name: "mine", mergePolicy: policy))
        let item = try mine.existingObject(with: id)
        _ = try value(of: item)
        let theirs = container.makeContext(ContextOptions(name: "theirs"))
        let other = try theirs.existingObject(with: id)
        _ = try value(of: other)
        try change(other, there, isHere: false, others)
        try theirs.save()
        try change(item, here, isHere: true, others)
        do {
            try mine.save()
        } catch is SaveConflictError {
            #expect(mine.hasChanges)
            return "error"
        }
        #expect(!mine.hasChanges)
        try mine.save()
        mine.processPendingChanges()
        let fresh = container.makeContext()
        let request = FetchRequest<ManagedObject>(entityName: "Item")
        guard let saved = try fresh.fetch(request).first(where: { $0.objectID == id }) else {
            #expect(mine.registeredObject(for: id)?.isDeleted != false)
            return "deleted"
        }
        let result = try value(of: saved)
        // What the context has is what it saved.
        let own = try value(of: item)
        #expect(own == result, "\(kind) \(here) \(there)")
        if here != .deleted, there == .deleted {
            try #expect(saved.value(forKey: "tick") as? Int64 == 2)
        }
        return kind.names[result] ?? "'\(result)'"
    }

    /// Saves an item with its base values, and what it may lead to.
    private func prepare() throws -> (ManagedObjectID, [String: ManagedObjectID]) {
        let context = container.makeContext()
        let item = context.insert(
            "Item", ["title": "base", "note": "base", "place": Location(latitude: 0)])
        var others: [String: ManagedObject] = [:]
        for name in ["base", "own", "stored"] {
            others[name] = context.insert("Box", ["name": name])
        }
        try item.setValue(others["base"], forKey: "box")
        if let (name, entity) = kind.toMany {
            for letter in ["a", "b", "c", "d", "x", "y"] {
                others[letter] = context.insert(entity, ["name": letter])
            }
            let isOrder = kind == .order || kind == .pairOrder
            let members = (isOrder ? ["a", "b", "c", "d"] : ["a", "b"]).map { others[$0] }
            try item.setValue(members.compactMap(\.self), forKey: name)
        }
        try context.save()
        return (item.objectID, others.mapValues(\.objectID))
    }

    private func change(
        _ item: ManagedObject, _ side: Matrix.Side, isHere: Bool,
        _ others: [String: ManagedObjectID]
    ) throws {
        let context = try #require(item.managedObjectContext)
        if side == .deleted { return context.delete(item) }
        try item.setValue(isHere ? 2 : 1, forKey: "tick")
        if side == .kept { return }
        let name = isHere ? "own" : "stored"
        switch kind {
        case .attribute: try item.setValue(name, forKey: "title")
        case .nilAttribute: try item.setValue(isHere ? nil : name, forKey: "note")
        case .element: try item.setValue(isHere ? 2.0 : 1.0, forKey: "place.latitude")
        case .toOne:
            try item.setValue(context.object(with: try #require(others[name])), forKey: "box")
        case .toMany, .manyToMany, .order, .pairOrder:
            let list =
                switch (kind, isHere) {
                case (.toMany, true), (.manyToMany, true): ["b", "x"]
                case (.toMany, false), (.manyToMany, false): ["a", "y"]
                case (_, true): ["b", "c", "d", "a"]
                case (_, false): ["b", "c", "a", "d"]
                }
            let members = try list.map { context.object(with: try #require(others[$0])) }
            try item.setValue(members, forKey: try #require(kind.toMany).name)
        }
    }

    /// The property as a text.
    private func value(of item: ManagedObject) throws -> String {
        switch kind {
        case .attribute: return try item.value(forKey: "title") as? String ?? "nil"
        case .nilAttribute: return try item.value(forKey: "note") as? String ?? "nil"
        case .element:
            let latitude = try item.value(forKey: "place.latitude") as? Double
            return latitude.map { ["base", "stored", "own"][Int($0)] } ?? "nil"
        case .toOne:
            let box = try item.value(forKey: "box") as? ManagedObject
            return try box?.value(forKey: "name") as? String ?? "nil"
        case .toMany, .manyToMany, .order, .pairOrder:
            let name = try #require(kind.toMany).name
            let members = try #require(try item.value(forKey: name) as? [ManagedObject])
            let letters = try members.map { try $0.value(forKey: "name") as? String ?? "?" }
            let isOrder = kind == .order || kind == .pairOrder
            return (isOrder ? letters : letters.sorted()).joined()
        }
    }
}

/// The tables of the article WhenTwoWritersMeet.
private enum PolicyTables {
    /// By heading, policy and column.
    static func documented() throws -> [String: [String: [String: String]]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Duramen/Duramen.docc/WhenTwoWritersMeet.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        var tables: [String: [String: [String: String]]] = [:]
        for section in text.components(separatedBy: "\n### ").dropFirst() {
            let lines = section.components(separatedBy: "\n")
            let rows = lines.filter { $0.hasPrefix("| ") }.map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            guard let columns = rows.first else { continue }
            for row in rows.dropFirst() {
                tables[lines[0], default: [:]][row[0]] = Dictionary(
                    uniqueKeysWithValues: zip(columns.dropFirst(), row.dropFirst()))
            }
        }
        return tables
    }

    static func print(_ found: [String: [String]], _ kind: Matrix.Kind) {
        let width = 9
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        var lines = [
            "What merge policies made of \(kind) (here/there: k kept, c changed, d deleted)"
        ]
        let heads = Matrix.Side.allCases.flatMap { here in
            Matrix.Side.allCases.map { "\(here.rawValue.prefix(1))/\($0.rawValue.prefix(1))" }
        }
        lines.append(padded("", 28) + heads.map { padded($0, width) }.joined())
        for (name, _) in Matrix.policies {
            let cells = (found[name] ?? []).map { padded($0, width) }.joined()
            lines.append(padded(name, 28) + cells)
        }
        Swift.print(lines.joined(separator: "\n"))
    }
}
