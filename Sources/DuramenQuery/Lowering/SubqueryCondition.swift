/// Converts the condition of a subquery to a condition on the elements: `$x.name` becomes `name`.
struct SubqueryCondition {
    let variable: String

    /// Returns the converted condition; nil if it refers to anything but the variable and values.
    func predicate(_ predicate: FetchPredicate) -> FetchPredicate? {
        switch predicate.form {
        case .constant: return predicate
        case .comparison(let comparison):
            guard let left = expression(comparison.left), let right = expression(comparison.right)
            else { return nil }
            var turned = comparison
            turned.left = left
            turned.right = right
            return .comparison(turned)
        case .not(let part): return self.predicate(part).map { .not($0) }
        case .and(let parts): return self.parts(parts).map { .and($0) }
        case .or(let parts): return self.parts(parts).map { .or($0) }
        // The path of a quantifier begins at the outer object.
        case .quantified: return nil
        }
    }

    private func parts(_ parts: [FetchPredicate]) -> [FetchPredicate]? {
        let turned = parts.compactMap { predicate($0) }
        return turned.count == parts.count ? turned : nil
    }

    private func expression(_ expression: FetchExpression) -> FetchExpression? {
        switch expression.form {
        case .constant, .list: return expression
        case .variable(let name): return name == variable ? .selfObject : nil
        case .property(let base, let names):
            guard let name = base.variableName else { return nil }
            return name == variable ? .keyPath(names) : nil
        case .function(let function, let arguments):
            let turned = arguments.compactMap { self.expression($0) }
            return turned.count == arguments.count ? .function(function, turned) : nil
        case .aggregate(let parts):
            let turned = parts.compactMap { self.expression($0) }
            return turned.count == parts.count ? .aggregate(turned) : nil
        case .cast(let value, let type): return self.expression(value).map { .cast($0, type) }
        default: return nil
        }
    }
}
