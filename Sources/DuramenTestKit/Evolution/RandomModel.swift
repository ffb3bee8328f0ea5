package import DuramenModel

/// Random models for stores.
package enum RandomModel {
    /// Returns the result of random edits of a model with two plain entities.
    package static func model(seed: UInt64, edits: Int) throws -> ManagedObjectModel {
        var random = SplitMix64(seed: seed)
        var evolution = ModelEvolution(seed: random.next())
        evolution.world.entities = ["E", "F"].map { name in
            EntityDescription(
                name: name,
                attributes: [
                    AttributeDescription("label\(name)", .string, isOptional: true),
                    AttributeDescription("number\(name)", .integer32, isOptional: true),
                ])
        }
        for _ in 0..<edits {
            // One edit per change of version: edits within one change avoid each other.
            evolution.beginHop()
            _ = evolution.apply(random.pick(ModelEdit.allCases))
        }
        return try evolution.world.model()
    }
}
