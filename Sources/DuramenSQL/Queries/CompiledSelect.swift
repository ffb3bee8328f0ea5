/// A statement's SQL, with a placeholder for each value, and its number in the caches of
/// connections.
package struct StatementText: Sendable {
    /// The number, equal for equal texts of one ``CompiledQueries``.
    package let number: Int
    /// The SQL.
    package let sql: String
}

/// A statement, with the values for one run.
package struct CompiledSelect: Sendable {
    /// The statement.
    package let text: StatementText
    /// The values of its placeholders, in order.
    package let parameters: [SQLParameter]
    /// The type of each of ``parameters``.
    package let types: [SQLParameterType]
    /// The to-ones for which an index is useful.
    package let comparedToOnes: [SQLToOne]
}
