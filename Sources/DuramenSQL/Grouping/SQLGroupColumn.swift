package import DuramenModel

/// A key or an aggregate of groups in SQL.
package struct SQLGroupColumn: Sendable {
    /// How the selected columns are decoded.
    package enum Form: Sendable, Hashable {
        /// One ``BoxedValue``.
        case boxed
        /// One column with the type of a kind.
        case value(SQLKind)
        /// The key and the entity number of an object; null for none.
        case object
        /// A sum of integers as an exact decimal; see ``SQLGroupColumn/sum(_:)``.
        case wholeSum
        /// A sum of integers as an exact decimal, and their count; see
        /// ``SQLGroupColumn/average(_:count:)``.
        case wholeAverage
    }

    /// The selected columns, one or two.
    package let columns: [String]
    /// How they are decoded.
    package let form: Form
    /// The terms of GROUP BY; empty for an aggregate.
    package var terms: [String] = []

    init(_ columns: [String], _ form: Form, terms: [String] = []) {
        self.columns = columns
        self.form = form
        self.terms = terms
    }

    /// Returns the sum of integers as the evaluator gives it.
    package static func sum(_ whole: Int128) -> StoredValue {
        Int64(exactly: whole).map { .integer($0) } ?? .double(Double(whole))
    }

    /// Returns the mean of integers as the evaluator gives it; null for none.
    package static func average(_ whole: Int128, count: Int64) -> StoredValue {
        if count == 0 { return .null }
        let sum = Int64(exactly: whole).map(Double.init) ?? Double(whole)
        return .double(sum / Double(count))
    }
}
