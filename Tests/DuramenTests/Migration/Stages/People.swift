import Duramen
import DuramenStore

/// Three versions of a model of people: a name is split, an address becomes unique, and a number
/// becomes text.
enum People {
    static func text(_ name: String, isOptional: Bool = true) -> AttributeDescription {
        AttributeDescription(name, .string, isOptional: isOptional)
    }

    static func model(
        _ attributes: [AttributeDescription], relationships: [RelationshipDescription] = [],
        unique: [[String]] = [], others: [EntityDescription] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Person", attributes: attributes, relationships: relationships,
                    uniquenessConstraints: unique)
            ] + others)
    }

    static let first = Result { try model([text("name"), text("email")]) }
    static let second = Result {
        try model([text("firstName", isOptional: false), text("lastName"), text("email")])
    }
    static let third = Result {
        try model(
            [text("firstName", isOptional: false), text("lastName"), text("email")],
            unique: [["email"]])
    }

    /// Splits names by a handler, as is widespread in programs for Core Data.
    static func splitting() throws -> CustomMigrationStage {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try first.get(), name: "1.0"),
            to: ManagedObjectModelReference(model: try second.get(), name: "2.0"))
        stage.label = "Split names"
        stage.willMigrateHandler = { manager, stage in
            guard let container = manager.container else { return }
            try container.newBackgroundContext().performAndWait { context in
                let request = FetchRequest<ManagedObject>(entityName: "Person")
                for person in try context.fetch(request) {
                    let name = try person.value(forKey: "name") as? String ?? ""
                    let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
                    try person.setValue(parts.first ?? "", forKey: "firstName")
                    try person.setValue(parts.dropFirst().first, forKey: "lastName")
                }
                try context.save()
            }
        }
        return stage
    }
}
