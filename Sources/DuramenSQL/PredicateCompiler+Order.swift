import DuramenModel
package import DuramenQuery

extension PredicateCompiler {
    /// The terms behind ORDER BY, always ending with the key, which makes the order total; nil when an
    /// engine might order otherwise than the evaluator.
    package mutating func order(by descriptors: [FetchSortDescriptor]) -> String? {
        var terms: [String] = []
        var scope = root
        defer { root = scope }
        for descriptor in descriptors {
            guard descriptor.comparison == .standard,
                case .attribute(let column, let kind)? = target(of: descriptor.keyPath, &scope),
                kind != .decimal
            else { return nil }
            terms.append(
                dialect.sortKey(
                    column, isText: kind == .text || kind == .uri,
                    ascending: descriptor.isAscending))
        }
        // Keys are unique in a table, so the entity never has to break a tie.
        terms.append("\(root.alias).\(mapping.keyColumn)")
        return terms.joined(separator: ", ")
    }
}
