/// An attribute in a typed predicate; see ``PredicateOperand`` for its operators and functions.
public struct AttributePath<Value: PredicateValue>: PredicateOperand, Sendable {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    /// The attribute's key path.
    public var fetchExpression: FetchExpression { .keyPath(queryNames) }
}
