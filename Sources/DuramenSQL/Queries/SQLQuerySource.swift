package import DuramenQuery

/// A store for whose queries ``QueryCompiler`` makes statements.
package protocol SQLQuerySource: Sendable {
    associatedtype Mapping: SQLMapping
    associatedtype Dialect: SQLDialect

    /// The store's tables.
    var mapping: Mapping { get }
    /// The SQL of the store's engine.
    var dialect: Dialect { get }
    /// The object that identifies these tables. Statements made for another one are not used.
    var tables: any AnyObject & Sendable { get }
    /// The statements so far.
    var compiled: CompiledQueries { get }
    /// Returns the columns to select for the rows of a query.
    func selection(for query: StoreQuery) -> SQLSelection
}

/// The columns that a statement selects for rows.
package struct SQLSelection: Sendable {
    /// The columns, with commas, of the table `t0`.
    package var columns: String
    /// The store's plan for decoding the columns; see ``CompiledQuery/plan``.
    package var plan: any AnyObject & Sendable
    /// A condition that receives the rows of a complete table and is never true; nil for none.
    package var sink: String?

    /// Describes columns.
    package init(columns: String, plan: any AnyObject & Sendable, sink: String? = nil) {
        self.columns = columns
        self.plan = plan
        self.sink = sink
    }
}
