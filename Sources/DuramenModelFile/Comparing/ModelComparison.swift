public import DuramenModel

/// Every difference between two versions of a model, and whether a migration between them can be
/// inferred.
///
/// Entities and properties are paired by their names, or by their renaming identifiers. The rules
/// of inference are those of Core Data's lightweight migration. Two more changes are inferred: a
/// type that can hold every value of the old type, and a destination that moves to an ancestor.
public struct ModelComparison: Sendable, Hashable {
    /// The differences, in the order of the new version's entities; removed entities come last.
    public private(set) var changes: [ModelChange] = []
    /// Pairs of a removed and an added property of one entity that could be a renaming.
    public let suspectedRenamings: [SuspectedRenaming]

    /// Compares two versions.
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public init(from old: ModelDocument, to new: ModelDocument) {
        let swiftTypes = Set(old.codableTypeNames + new.codableTypeNames)
        let comparison = DescriptionComparison(
            from: DocumentTranslation.comparableDescriptions(of: old),
            to: DocumentTranslation.comparableDescriptions(of: new), comparesDerivations: false,
            isSwiftType: { swiftTypes.contains($0) })
        changes = comparison.changes
        suspectedRenamings = comparison.suspectedRenamings
        compareOthers(old, new)
    }

    /// Whether the versions are equal.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether the new version can open a store of the old version without a migration.
    public var needsNoMigration: Bool { changes.allSatisfy { $0.effect == .none } }

    /// Whether a migration can be inferred, if one is needed.
    public var isInferable: Bool { !changes.contains(where: \.isUnsettled) }

    mutating func note(
        _ entity: String?, _ property: String?, _ effect: ModelChange.Effect, _ message: String
    ) {
        changes.append(
            ModelChange(entity: entity, property: property, message: message, effect: effect))
    }

    mutating func compare(
        _ old: Bool, _ new: Bool, _ entity: String, _ property: String?, _ what: String
    ) {
        if old != new {
            note(entity, property, .inferred, new ? "\(what) now" : "not \(what) any more")
        }
    }
}
