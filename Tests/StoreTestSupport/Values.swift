package import DuramenModel
package import DuramenQuery

/// Makes a model that is known to be right.
package func testModel(_ entities: [EntityDescription]) -> ManagedObjectModel {
    do {
        return try ManagedObjectModel(entities)
    } catch {
        fatalError("\(error)")
    }
}

/// A comparison of a property, or of the end of a path such as `"author.name"`, with a value.
package func compare(
    _ path: String, _ relation: PredicateComparison.Operator, _ value: StoredValue
) -> FetchPredicate {
    compare(path, relation, .constant(value))
}

/// A comparison of a property with a list.
package func compare(
    _ path: String, _ relation: PredicateComparison.Operator, _ list: [StoredValue]
) -> FetchPredicate {
    compare(path, relation, .list(list))
}

private func compare(
    _ path: String, _ relation: PredicateComparison.Operator, _ other: FetchExpression
) -> FetchPredicate {
    .comparison(
        PredicateComparison(
            .keyPath(path.split(separator: ".").map(String.init)), relation, other))
}

extension StoredValue {
    /// A text of one letter, repeated: rows that take so many bytes.
    package static func letters(_ count: Int, _ letter: String = "x") -> StoredValue {
        .text(StoredText(String(repeating: letter, count: count)))
    }
}
