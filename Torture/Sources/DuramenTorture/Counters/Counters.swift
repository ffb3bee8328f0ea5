import Duramen

/// The work on a few counters that many processes want to change.
enum Counters {
    static let count = 8

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Counter",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("value", .integer64),
                ],
                uniquenessConstraints: [["number"]])
        ])
    }

    /// Makes the counters, in one save.
    static func make(_ count: Int, in context: ManagedObjectContext) throws {
        for number in 0..<count {
            let counter = try context.insert("Counter")
            try counter.setValue(number, forKey: "number")
            try counter.setValue(0, forKey: "value")
        }
        try context.save()
    }

    static func all(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        let found = try context.fetch(.all("Counter").sorted(by: "number"))
        guard found.count == count else { throw Unsound("\(found.count) counters of \(count)") }
        return found
    }

    static func values(_ count: Int, in context: ManagedObjectContext) throws -> [Int] {
        try all(count, in: context).map { try $0.integer("value") }
    }
}
