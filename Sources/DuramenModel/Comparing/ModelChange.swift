/// One difference between two versions of a model.
public struct ModelChange: Sendable, Hashable {
    /// The work that a store of the old version needs before it can be opened with the new one.
    public enum Effect: Sendable, Hashable {
        /// Nothing: the difference takes no part in version hashes.
        case none
        /// A migration that is inferred from the two models.
        case inferred
        /// A migration that is inferred as long as every object's values allow it, for this reason.
        case checked(String)
        /// A migration that somebody writes, for this reason.
        case unsettled(String)
    }

    /// The entity's name in the new version, or in the old one where it is gone; nil for the whole.
    public let entity: String?
    /// The property's name, where it is about one.
    public let property: String?
    /// A description of the difference.
    public let message: String
    /// The work that the difference requires.
    public let effect: Effect
    /// A description of the data that stores lose; nil when nothing is lost.
    public let loss: String?

    package init(
        entity: String?, property: String?, message: String, effect: Effect, loss: String? = nil
    ) {
        self.entity = entity
        self.property = property
        self.message = message
        self.effect = effect
        self.loss = loss
    }

    /// Whether somebody has to decide something first.
    public var isUnsettled: Bool { if case .unsettled = effect { true } else { false } }

    /// Whether a value for objects that have none would settle it.
    package var isAboutMissingValue: Bool {
        if case .unsettled(let reason) = effect {
            [Self.addedWithoutValue, Self.mandatoryWithoutValue].contains(reason)
        } else {
            false
        }
    }

    /// Whether what stores have against it would simply go, which somebody may allow.
    package var isSettledByLoss: Bool { isUnsettled && loss != nil }

    package static let addedWithoutValue = "it is mandatory and has no default value"
    package static let mandatoryWithoutValue = "objects without a value have no default value"

    /// A thing that may have been renamed or added: something else is what its identifier names.
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
