/// One difference between two versions of a model.
public struct ModelChange: Sendable, Hashable {
    /// The effect of a change on opening a store of the old version with the new one.
    public enum Effect: Sendable, Hashable {
        /// No effect: version hashes do not include the difference.
        case none
        /// A migration that is inferred from the two models.
        case inferred
        /// A migration that is inferred if the values of all objects allow it. The text is the
        /// condition.
        case checked(String)
        /// A migration that needs a decision first. The text is the reason.
        case unsettled(String)
    }

    /// The entity's name in the new version, or in the old version if it was removed; nil for the
    /// whole model.
    public let entity: String?
    /// The property's name; nil if the change is not about a property.
    public let property: String?
    /// A description of the difference.
    public let message: String
    /// The effect on opening a store of the old version.
    public let effect: Effect
    /// The data that stores lose, or nil when nothing is lost.
    public let loss: String?

    /// Creates a change.
    package init(
        entity: String?, property: String?, message: String, effect: Effect, loss: String? = nil
    ) {
        self.entity = entity
        self.property = property
        self.message = message
        self.effect = effect
        self.loss = loss
    }

    /// Whether the change needs a decision first.
    public var isUnsettled: Bool { if case .unsettled = effect { true } else { false } }

    /// Whether a value for objects that have none would settle the change.
    package var isAboutMissingValue: Bool {
        if case .unsettled(let reason) = effect {
            [Self.addedWithoutValue, Self.mandatoryWithoutValue].contains(reason)
        } else {
            false
        }
    }

    /// Whether allowing the loss of the data would settle the change.
    package var isSettledByLoss: Bool { isUnsettled && loss != nil }

    /// The reason for an added attribute without a value.
    package static let addedWithoutValue = "it is mandatory and has no default value"
    /// The reason for an attribute that became mandatory.
    package static let mandatoryWithoutValue = "objects without a value have no default value"

    /// Returns a change that may be a renaming or an addition, because another property or entity
    /// already continues the old one.
    static func ambiguousRenaming(
        of property: String?, in entity: String, from old: String
    ) -> ModelChange {
        let reason =
            "its renaming identifier names '\(old)', and something else is that now; take the "
            + "identifier away, or name another"
        return ModelChange(
            entity: entity, property: property, message: "renamed or added",
            effect: .unsettled(reason))
    }

    /// The entity and the property, such as `Book.title`.
    public var name: String { [entity, property].compactMap(\.self).joined(separator: ".") }
}

extension ModelChange: CustomStringConvertible {
    /// The change in one line.
    public var description: String {
        let ending: String =
            switch effect {
            case .none: " (no migration)"
            case .inferred: ""
            case .checked(let reason): "; inferred if \(reason)"
            case .unsettled(let reason): "; not inferred: \(reason)"
            }
        return "\(name)\(name.isEmpty ? "" : ": ")\(message)\(ending)"
    }
}
