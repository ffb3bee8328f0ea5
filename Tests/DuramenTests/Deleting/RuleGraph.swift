import Duramen
import DuramenTestKit

/// A graph in which deletions go round: cascades over to-ones and in cycles, orders on both sides,
/// what denies, and what is left leading nowhere.
///
/// ```
///   Node.next ↔ Node.previous   one to one, cascades        Node.friends     its own inverse
///   Node.hub  ↔ Hub.nodes       ordered, cascades both ways Node.picks ↔ Node.pickedBy   ordered on both sides
///   Hub.twin                    one to one, its own inverse Node.wards ↔ Hub.guardian    denies
///   Leaf.holder ↔ Node.leaves   does nothing
/// ```
@MainActor struct RuleGraph {
    static let model: ManagedObjectModel = {
        let name = AttributeDescription("name", .string, default: .text(""))
        let rank = AttributeDescription("rank", .integer64, isOptional: true)
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Node", attributes: [name, rank],
                    relationships: [
                        .toOne(
                            "next", destination: "Node", deleteRule: .cascade, inverse: "previous"),
                        .toOne("previous", destination: "Node"),
                        .toOne("hub", destination: "Hub", deleteRule: .cascade, inverse: "nodes"),
                        .toMany("friends", destination: "Node", inverse: "friends"),
                        .toMany("picks", destination: "Node", inverse: "pickedBy", isOrdered: true),
                        .toMany("pickedBy", destination: "Node", isOrdered: true),
                        .toMany(
                            "wards", destination: "Hub", deleteRule: .deny, inverse: "guardian"),
                        .toMany(
                            "leaves", destination: "Leaf", deleteRule: .noAction, inverse: "holder"),
                    ], uniquenessConstraints: [["name"]]),
                EntityDescription(
                    name: "Hub", attributes: [name],
                    relationships: [
                        .toMany(
                            "nodes", destination: "Node", deleteRule: .cascade, isOrdered: true),
                        .toOne("twin", destination: "Hub", inverse: "twin"),
                        .toOne("guardian", destination: "Node"),
                    ]),
                EntityDescription(
                    name: "Leaf", attributes: [name],
                    relationships: [.toOne("holder", destination: "Node")]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    let context: ManagedObjectContext
    private var number: Int
    /// What was done.
    private(set) var log: [String] = []

    init(_ context: ManagedObjectContext, countingFrom number: Int = 0) {
        self.context = context
        self.number = number
    }

    // MARK: - Editing

    mutating func change(_ generator: inout SplitMix64) throws {
        number += 1
        let nodes = try all("Node"), hubs = try all("Hub"), leaves = try all("Leaf")
        let node = nodes.randomElement(using: &generator)
        let other = nodes.randomElement(using: &generator)
        let hub = hubs.randomElement(using: &generator)
        let what = Int.random(in: 0..<22, using: &generator)
        log.append("\(what)\(node.map { " \(Self.name($0))" } ?? "")")
        switch what {
        case 0...3 where nodes.count < 14:
            let made = insert("Node")
            if Bool.random(using: &generator) { try made.setValue(hub, forKey: "hub") }
        case 4 where hubs.count < 5: _ = insert("Hub")
        case 5 where leaves.count < 6: try insert("Leaf").setValue(node, forKey: "holder")
        case 6, 7: try node?.setValue(other, forKey: "next")
        case 8: try node?.setValue(nil, forKey: "next")
        case 9, 10: try node?.setValue(hub, forKey: "hub")
        case 11: try node?.setValue([other].compactMap { $0 }, forKey: "friends")
        case 12, 13:
            let picked = nodes.shuffled(using: &generator).prefix(3)
            try node?.setValue(Array(picked), forKey: "picks")
        case 14:
            if let hub {
                try hub.setValue(members(hub, "nodes").shuffled(using: &generator), forKey: "nodes")
            }
        case 15: try hub?.setValue(hubs.randomElement(using: &generator), forKey: "twin")
        case 16: try hub?.setValue(Bool.random(using: &generator) ? node : nil, forKey: "guardian")
        case 17: try node?.setValue(Int64.random(in: 0..<3, using: &generator), forKey: "rank")
        case 18:
            // Two swap their unique names.
            if let node, let other, node !== other {
                let (a, b) = (Self.name(node), Self.name(other))
                try node.setValue(b, forKey: "name")
                try other.setValue(a, forKey: "name")
            }
        case 19: if let leaf = leaves.randomElement(using: &generator) { context.delete(leaf) }
        case 20: if let hub { context.delete(hub) }
        default: if let node { context.delete(node) }
        }
    }

    /// Makes an object with a name of its own.
    func insert(_ name: String) -> ManagedObject {
        guard let entity = Self.model.entity(named: name) else { fatalError(name) }
        let object = ManagedObject(entity: entity, context: context)
        try? object.setValue("\(name) \(number)", forKey: "name")
        return object
    }

    /// Makes nodes with names.
    func insertNodes(_ names: String...) throws -> [ManagedObject] {
        try names.map { name in
            let node = insert("Node")
            try node.setValue(name, forKey: "name")
            return node
        }
    }

    // MARK: - Looking

    func all(_ entity: String) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
            .filter { !$0.isDeleted }.sorted { Self.name($0) < Self.name($1) }
    }

    static func name(_ object: ManagedObject) -> String {
        (try? object.value(forKey: "name")) as? String ?? ""
    }

    private func members(_ object: ManagedObject, _ name: String) throws -> [ManagedObject] {
        let value = try object.value(forKey: name)
        return value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
    }

    /// Which object has which name.
    func names() throws -> [ManagedObjectID: String] {
        let objects = try ["Node", "Hub", "Leaf"].flatMap(all)
        return Dictionary(
            objects.map { ($0.objectID, Self.name($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Everything that the context shows: a line for each object, with bars between its properties.
    /// A reference to a missing object reads "nowhere".
    ///
    /// - Parameter label: Returns the text that represents an object; by default its name.
    func contents(_ label: @MainActor (ManagedObject) -> String = Self.name) throws -> [String] {
        let objects = try ["Node", "Hub", "Leaf"].flatMap(all)
        let labels = Dictionary(
            objects.map { ($0.objectID, label($0)) }, uniquingKeysWith: { first, _ in first })
        return try objects.map { object in
            let rank = try object.value(forKey: "rank", in: "Node") ?? "-"
            var line = "\(label(object)) | name \(Self.name(object)) | rank \(rank)"
            for relationship in object.entity.relationships where !relationship.name.hasPrefix(".")
            {
                let members = try members(object, relationship.name)
                // What a rule protects leads to what is deleted until the save says that it cannot.
                let isProtected = relationship.name == "guardian"
                let found = members.map {
                    labels[$0.objectID] ?? (isProtected && $0.isDeleted ? "deleted" : "nowhere")
                }
                line += " | \(relationship.name) \(relationship.isOrdered ? found : found.sorted())"
            }
            return line
        }.sorted()
    }

    /// Relationships between objects that are there which the other end does not know.
    func oneSided() throws -> [String] {
        let names = try names()
        return try ["Node", "Hub", "Leaf"].flatMap(all).flatMap { object in
            try object.entity.relationships.flatMap { relationship in
                let inverse = Self.model[relationship.inverse].name
                return try members(object, relationship.name).filter {
                    try names[$0.objectID] != nil && !members($0, inverse).contains(object)
                }.map { "\(Self.name(object)).\(relationship.name) \(Self.name($0))" }
            }
        }
    }

    /// What leads to no object, but for what a rule leaves so.
    func ghosts() throws -> [String] {
        try contents().filter { line in
            line.contains("nowhere") && !line.hasPrefix("Leaf")
        }
    }
}

extension ManagedObject {
    fileprivate func value(forKey key: String, in entityName: String) throws -> Any? {
        entity.name == entityName ? try value(forKey: key) : nil
    }
}
