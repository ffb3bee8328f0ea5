public import DuramenModel

/// The errors for stored values that do not allow a change of the model, worded alike for all
/// stores.
public struct MigrationProblem {
    private let change: SchemaChange
    private let path: String

    /// Speaks of a store.
    public init(change: SchemaChange, path: String) {
        self.change = change
        self.path = path
    }

    /// Objects are of an entity that is abstract now.
    public func hasObjects(_ entity: Entity, count: Int) -> StoreError {
        StoreError(
            .valuesDoNotFit,
            "'\(path)' has \(count) object\(count == 1 ? "" : "s") of exactly '\(entity.name)', which is abstract in "
                + "the new model; delete them first, or leave the entity as it was. Nothing was changed."
        )
    }

    /// Objects are linked as the new model does not allow.
    public func linksDoNotFit(
        _ relationship: Relationship, _ demand: LinkChange.Demand, count: Int
    ) -> StoreError {
        // People know the end that has a name.
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

    /// Values are none of their new type.
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
    /// The error of a new constraint whose values objects share.
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
    /// The error of unique values that objects would share once the change has set or computed
    /// them.
    public static func valuesWouldBeShared(_ path: String) -> StoreError {
        StoreError(
            .uniquenessViolated,
            "Values in '\(path)' would be shared that are unique in the new model. Nothing was changed."
        )
    }

    /// The error of a store that this process uses with the model that it has.
    public static func openElsewhere(_ path: String) -> StoreError {
        StoreError(
            .storeBusy,
            "This process has '\(path)' open elsewhere with the model that it has now; close that before the store is "
                + "migrated.")
    }

    /// The error of a store whose model somebody else has changed.
    public static func storeMigrated(_ path: String) -> StoreError {
        StoreError(
            .storeMigrated,
            "The model of '\(path)' was changed while it was open; close the store and open it with the new model."
        )
    }
}
