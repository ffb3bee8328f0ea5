public import DuramenModel

/// A conflict between a store's values and a change of its model, with equal messages for all
/// stores.
public struct MigrationProblem {
    private let change: SchemaChange
    private let path: String

    /// Creates the errors for a store.
    public init(change: SchemaChange, path: String) {
        self.change = change
        self.path = path
    }

    /// Returns the error for objects of an entity that is now abstract.
    public func hasObjects(_ entity: Entity, count: Int) -> StoreError {
        StoreError(
            .valuesDoNotFit,
            "'\(path)' has \(count) object\(count == 1 ? "" : "s") of exactly '\(entity.name)', which is abstract in "
                + "the new model; delete them first, or leave the entity as it was. Nothing was changed."
        )
    }

    /// Returns the error for links that the new model does not allow.
    public func linksDoNotFit(
        _ relationship: Relationship, _ demand: LinkChange.Demand, count: Int
    ) -> StoreError {
        // The message names the side that has a name.
        let named = relationship.isHidden ? change.source[relationship.inverse] : relationship
        let name = "\(change.source[named.declaringEntity].name).\(named.name)"
        let reason =
            switch demand {
            case .none: "and the relationship that takes its place leads somewhere else"
            case .within(let entity):
                "to objects that are no '\(change.target[entity].name)', as they have to be in the new model"
            case .single: "besides the one that an object may have in the new model"
            }
        return StoreError(
            .valuesDoNotFit,
            "'\(path)' has \(count) link\(count == 1 ? "" : "s") of '\(name)' \(reason); take \(count == 1 ? "it" : "them") away "
                + "first, or leave the relationship as it was. Nothing was changed.")
    }

    /// Returns the error for values that do not fit their new type.
    public func doNotFit(
        _ entity: Entity, _ attribute: String, _ conversion: ValueConversion, count: Int
    ) -> StoreError {
        StoreError(
            .valuesDoNotFit,
            "\(count) value\(count == 1 ? "" : "s") of '\(entity.name).\(attribute)' in '\(path)' \(count == 1 ? "is" : "are") "
                + "\(conversion.source) and cannot be \(conversion.target) without loss; change them first, or keep "
                + "the type. Nothing was changed.")
    }
}

extension ManagedObjectModel {
    /// Returns the error for objects that share values of a new constraint.
    public func sharedValues(
        _ constraint: UniquenessConstraint, in path: String
    ) -> StoreError {
        StoreError(
            .uniquenessViolated,
            "Objects of '\(self[constraint.entity].name)' in '\(path)' share values of "
                + "'\(constraint.properties.joined(separator: ", "))', which is unique in the new model; change them "
                + "first. Nothing was changed.")
    }
}

extension StoreError {
    /// Returns the error for unique values that objects would share once the change has set or
    /// computed them.
    public static func valuesWouldBeShared(_ path: String) -> StoreError {
        StoreError(
            .uniquenessViolated,
            "Values in '\(path)' would be shared that are unique in the new model. Nothing was changed."
        )
    }

    /// Returns the error for a store that this process has open with its current model.
    public static func openElsewhere(_ path: String) -> StoreError {
        StoreError(
            .storeBusy,
            "This process has '\(path)' open elsewhere with the model that it has now; close that before the store is "
                + "migrated.")
    }

    /// Returns the error for a store that was migrated while it was open.
    public static func storeMigrated(_ path: String) -> StoreError {
        StoreError(
            .storeMigrated,
            "The model of '\(path)' was changed while it was open; close the store and open it with the new model."
        )
    }
}
