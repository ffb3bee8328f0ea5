/// A finding about a model file: a mistake, a decision made in order to use it, or a remark.
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
    /// A description of the finding, and how it was handled or should be.
    public let message: String
    /// The place in the file.
    public let place: SourcePlace

    /// Returns the finding as one line in a compiler's form, so that tools can jump from a build
    /// log to the place.
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
