public import DuramenModel

/// Every difference between two versions of a model, and whether a migration between them can be
/// inferred.
///
/// Entities and properties are the same when their names are, or when their renaming identifiers
/// say so. The rules of inference are those of Core Data's lightweight migration; a type that keeps
/// every value of the other counts as inferred, and so does a destination that moves to an
/// ancestor: its references still lead to objects that are there.
public struct ModelComparison: Sendable, Hashable {
    /// The differences, in the order of the new version's entities, those that are gone last.
    public private(set) var changes: [ModelChange] = []
    /// Properties that went and came in one entity and could be the same one.
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

    /// Whether nothing is different.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a store of the old version is opened with the new one as it is.
    public var needsNoMigration: Bool { changes.allSatisfy { $0.effect == .none } }

    /// Whether a migration can be inferred, where one is needed at all.
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
