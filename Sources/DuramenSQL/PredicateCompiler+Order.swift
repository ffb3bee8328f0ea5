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
            guard case .attribute(let column, let kind)? = target(of: descriptor.keyPath, &scope),
                kind != .decimal, kind != .transformable
            else { return nil }
            let isText = kind == .text || kind == .uri
            var key = column
            if descriptor.comparison != .standard {
                guard isText, let folded = dialect.folded(column, descriptor.comparison.options)
                else { return nil }
                key = folded
            }
            terms.append(
                dialect.sortKey(key, isText: isText, ascending: descriptor.isAscending))
        }
        // Keys are unique in a table, so the entity never has to break a tie.
        terms.append("\(root.alias).\(mapping.keyColumn)")
        return terms.joined(separator: ", ")
    }
}
