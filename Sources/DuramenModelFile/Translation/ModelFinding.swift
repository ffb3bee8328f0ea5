/// What is to be said about a model file: a mistake, a decision that was taken to use it, or a remark.
public struct ModelFinding: Sendable, Hashable {
    /// How much a finding matters.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Nothing is lost.
        case note
        /// The model is used otherwise than the file says.
        case warning
        /// The model cannot be used.
        case error

        /// True for what matters less.
        public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// How much it matters.
    public let severity: Severity
    /// The entity's name, or that of what else it is about; nil for the whole.
    public let entity: String?
    /// The property's name, where it is about one.
    public let property: String?
    /// What the file says, and what was made of it or is to be done.
    public let message: String
    /// Where the file says it.
    public let place: SourcePlace

    /// The finding in one line in the form of a compiler's, so that a build log leads to the place.
    ///
    /// - Parameter path: The file; nil to leave the place out.
    public func line(in path: String?) -> String {
        let location = path.map {
            place.line > 0 ? "\($0):\(place.line):\(place.column): " : "\($0): "
        }
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        return "\(location ?? "")\(severity.rawValue): \(name)\(name.isEmpty ? "" : ": ")\(message)"
    }
}

extension ModelFinding: CustomStringConvertible {
    /// The finding without its place.
    public var description: String { line(in: nil) }
}
