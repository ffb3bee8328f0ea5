import DuramenModel
import DuramenStore
import Foundation

/// A changing model and the expected data of its objects, with which migrations are compared.
///
/// It applies every edit with dictionaries of names only, and shares no code with stores and plans.
struct EvolvingWorld {
    /// One object.
    struct Object {
        var entity: String
        var key: Int64
        var values: [String: StoredValue] = [:]
        var toOnes: [String: Int] = [:]
        /// Members with their order numbers, if they have one.
        var toManys: [String: [Int: Int64?]] = [:]
    }

    var entities: [EntityDescription] = []
    /// By numbers that no edit changes.
    var objects: [Int: Object] = [:]

    // MARK: - Names

    func index(of name: String) -> Int { entities.firstIndex { $0.name == name } ?? 0 }

    func isKind(_ entity: String, of other: String) -> Bool {
        var name: String? = entity
        while let current = name {
            if current == other { return true }
            name = entities[index(of: current)].superentity
        }
        return false
    }

    func children(of name: String) -> [String] {
        entities.filter { $0.superentity == name }.map(\.name)
    }

    /// The objects of an entity and its sub-entities.
    func members(of name: String) -> [Int] {
        objects.keys.filter { isKind(objects[$0]?.entity ?? "", of: name) }.sorted()
    }

    func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities) }

    // MARK: - Stores

    /// Creates the objects from a store's contents.
    mutating func read(_ contents: StoreContents, _ model: ManagedObjectModel) {
        objects = [:]
        var numbers: [ManagedObjectID: Int] = [:]
        for (number, id) in contents.records.keys.sorted().enumerated() { numbers[id] = number }
        for (id, record) in contents.records {
            guard let number = numbers[id], let entity = model.entity(of: id) else { continue }
            var object = Object(entity: entity.name, key: id.key)
            for attribute in entity.attributes {
                object.values[attribute.name] = record.values[attribute.name]
            }
            for relationship in entity.relationships where !relationship.isHidden {
                let name = relationship.name
                if relationship.isToMany {
                    var members: [Int: Int64?] = [:]
                    for member in contents.destinations[relationship.id]?[id] ?? [] {
                        if let place = numbers[member] { members[place] = Int64?.none }
                    }
                    for member in contents.orders[relationship.id]?[id] ?? [] {
                        if let place = numbers[member.id] { members[place] = member.order }
                    }
                    if !members.isEmpty { object.toManys[name] = members }
                } else if case .objectID(let destination)? = record.values[name] {
                    object.toOnes[name] = numbers[destination]
                }
            }
            objects[number] = object
        }
    }

    /// All data of the objects, one line per value.
    var lines: Set<String> {
        var lines: Set<String> = []
        func name(_ number: Int) -> String {
            objects[number].map { "\($0.entity)/\($0.key)" } ?? "nobody"
        }
        for (number, object) in objects {
            let start = name(number)
            lines.insert(start)
            for (attribute, value) in object.values where !value.isNull {
                lines.insert("\(start).\(attribute) = \(value)")
            }
            for (toOne, destination) in object.toOnes {
                lines.insert("\(start).\(toOne) -> \(name(destination))")
            }
            for (toMany, members) in object.toManys {
                for (member, order) in members {
                    lines.insert(
                        "\(start).\(toMany) -> \(name(member)) #\(order.map(String.init) ?? "-")")
                }
            }
        }
        return lines
    }
}
