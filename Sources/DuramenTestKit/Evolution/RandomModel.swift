package import DuramenModel

/// Random models that stores take.
package enum RandomModel {
    /// Returns the model that random edits make of two plain entities.
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
            // One edit to each change of version: edits of one change do not meet.
            evolution.beginHop()
            _ = evolution.apply(random.pick(ModelEdit.allCases))
        }
        return try evolution.world.model()
    }
}
