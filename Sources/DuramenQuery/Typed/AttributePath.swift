/// An attribute in a typed predicate; see ``PredicateOperand`` for what can be done with it.
public struct AttributePath<Value: PredicateValue>: PredicateOperand, Sendable {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    /// The attribute's key path.
    public var fetchExpression: FetchExpression { .keyPath(queryNames) }
}
