public import Foundation

extension FetchSortDescriptor {
    /// Converts a Foundation sort descriptor: `FetchSortDescriptor(SortDescriptor(\Quake.time))`.
    ///
    /// Text is ordered by its bytes; Foundation treats canonically equal texts as equal. Its
    /// localized orders become the localized orders of this library, which do not depend on a
    /// language. Nil comes first in all.
    /// - Throws: ``PredicateConversionError`` `.unsupportedKeyPath` for a key path that is not a
    ///   single managed property, `.unsupportedComparator` for an order of text that stores do not
    ///   support.
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

    // The steps of a Swift key path are not accessible, so a path with several steps has no name.
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
    /// Creates the comparison that orders text like a comparator; nil if there is none.
    fileprivate init?(_ comparator: String.StandardComparator?) {
        switch comparator {
        case nil, .lexical: self = .standard
        #if canImport(Darwin)
        // On other platforms, Foundation has no others.
        case .localized: self = .localized
        case .localizedStandard: self = .localizedStandard
        #endif
        default: return nil
        }
    }
}
