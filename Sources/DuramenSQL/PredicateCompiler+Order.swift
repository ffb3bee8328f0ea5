import DuramenModel
package import DuramenQuery

extension PredicateCompiler {
    /// The terms of ORDER BY, always ending with the key, which makes the order total; nil if an
    /// engine might order differently from the evaluator.
    package mutating func order(by descriptors: [FetchSortDescriptor]) -> String? {
        var terms: [String] = []
        var scope = root
        defer { root = scope }
        // Descriptors after the object itself have no effect.
        for descriptor in descriptors.beforeSelf {
            if let path = descriptor.countedPath {
                guard descriptor.comparison == .standard, let count = count(path, &scope) else {
                    return nil
                }
                terms.append(
                    dialect.sortKey(count, isText: false, ascending: descriptor.isAscending))
                continue
            }
            guard case .attribute(let column, let kind)? = target(of: descriptor.keyPath, &scope),
                kind != .decimal || dialect.comparesDecimals, kind != .transformable
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
        let own = descriptors.first(where: \.isSelf)
        // The evaluator rejects other comparisons of objects.
        if let own, own.comparison != .standard { return nil }
        // Keys are unique in a table, so the entity is not needed to break ties.
        let direction = own?.isAscending == false ? " DESC" : ""
        terms.append("\(root.alias).\(mapping.keyColumn)\(direction)")
        return terms.joined(separator: ", ")
    }
}
