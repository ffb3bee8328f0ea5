/// One difference between two versions of a model.
public struct ModelChange: Sendable, Hashable {
    /// What a store of the old version needs to be opened with the new one.
    public enum Effect: Sendable, Hashable {
        /// Nothing: the difference takes no part in version hashes.
        case none
        /// A migration that is inferred from the two models.
        case inferred
        /// A migration that somebody writes, for this reason.
        case unsettled(String)
    }

    /// The entity's name in the new version, or in the old one where it is gone; nil for the whole.
    public let entity: String?
    /// The property's name, where it is about one.
    public let property: String?
    /// What is different.
    public let message: String
    /// What it takes.
    public let effect: Effect
}

extension ModelChange: CustomStringConvertible {
    /// The change in one line.
    public var description: String {
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        let ending: String =
            switch effect {
            case .none: " (no migration)"
            case .inferred: ""
            case .unsettled(let reason): "; not inferred: \(reason)"
            }
        return "\(name)\(name.isEmpty ? "" : ": ")\(message)\(ending)"
    }
}
