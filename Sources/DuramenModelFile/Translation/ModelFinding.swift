/// A finding about a model file: a mistake, a decision made in order to use it, or a remark.
public struct ModelFinding: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Nothing is lost.
        case note
        /// The model is not used exactly as the file describes it.
        case warning
        /// The model cannot be used.
        case error

        /// Returns whether a severity is less than another.
        public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The severity of the finding.
    public let severity: Severity
    /// The name of the entity or other part of the model; nil for the whole model.
    public let entity: String?
    /// The property's name; nil if the finding is not about a property.
    public let property: String?
    /// A description of the finding, and how it was handled or should be.
    public let message: String
    /// The position in the file.
    public let place: SourcePlace

    /// Returns the finding as one compiler message, so that tools can jump from a build log to the
    /// position.
    ///
    /// - Parameter path: The path of the file; nil to leave the position out.
    public func line(in path: String?) -> String {
        let location = path.map {
            place.line > 0 ? "\($0):\(place.line):\(place.column): " : "\($0): "
        }
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        return "\(location ?? "")\(severity.rawValue): \(name)\(name.isEmpty ? "" : ": ")\(message)"
    }
}

extension ModelFinding: CustomStringConvertible {
    /// The finding without its position.
    public var description: String { line(in: nil) }
}
