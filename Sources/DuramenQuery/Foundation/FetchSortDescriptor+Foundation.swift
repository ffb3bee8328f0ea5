public import Foundation

extension FetchSortDescriptor {
    /// Turns a sort descriptor of Foundation into ours:
    /// `FetchSortDescriptor(SortDescriptor(\Quake.time))`.
    ///
    /// Text is ordered by its bytes; Foundation orders canonically equal texts as one. Its
    /// localized orders become ours, which follow no one language. Nil comes first in all.
    /// - Throws: ``PredicateConversionError`` `.unsupportedKeyPath` for a key path that is not one
    ///   managed property, `.unsupportedComparator` for an order of text that stores do not know.
    public init<Object: QueryableObject>(
        _ descriptor: SortDescriptor<Object>
    ) throws(PredicateConversionError) {
        guard let keyPath = descriptor.keyPath, let name = Object.propertyName(for: keyPath) else {
            throw Self.unsupportedKeyPath(descriptor.keyPath, of: Object.self)
        }
        guard let comparison = Comparison(descriptor.stringComparator) else {
            throw PredicateConversionError(
                .unsupportedComparator, node: "SortDescriptor",
                "'\(name)' is ordered by a comparator that stores do not know. Use .lexical, .localized or "
                    + ".localizedStandard.")
        }
        self.init(name, ascending: descriptor.order == .forward, comparison: comparison)
    }

    // A Swift key path does not tell its steps, so one of several has no name.
    private static func unsupportedKeyPath<Object: QueryableObject>(
        _ keyPath: PartialKeyPath<Object>?, of type: Object.Type
    ) -> PredicateConversionError {
        let path = keyPath.map { "\($0)" } ?? "nil"
        return PredicateConversionError(
            .unsupportedKeyPath, node: "SortDescriptor",
            "'\(path)' is not one managed property of \(type). Over to-ones, write the steps: "
                + "FetchSortDescriptor(\(type).self) { $0.region.name } or "
                + "FetchSortDescriptor(\"region.name\").")
    }
}

extension FetchSortDescriptor.Comparison {
    /// The comparison that orders text like a comparator; nil when none does.
    fileprivate init?(_ comparator: String.StandardComparator?) {
        switch comparator {
        case nil, .lexical: self = .standard
        #if canImport(Darwin)
        // Elsewhere Foundation has no others.
        case .localized: self = .localized
        case .localizedStandard: self = .localizedStandard
        #endif
        default: return nil
        }
    }
}
