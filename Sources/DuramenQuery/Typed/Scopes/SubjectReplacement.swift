import DuramenModel

/// Replaces a closure's name for its object by the object itself, or by a variable.
struct SubjectReplacement {
    /// The closure; nil for a condition without one, whose paths begin at the object itself.
    let subject: ClosureSubject?
    /// The variable for the object; nil for the object itself.
    let variable: String?
    /// The names of variables that are already in use.
    var names: Set<String> = []

    /// Returns the elements of a collection that satisfy a condition on them.
    static func subquery(
        of collection: FetchExpression, _ condition: FetchPredicate, subject: ClosureSubject?,
        names: Set<String>
    ) -> FetchExpression {
        let variable = Self.variable(besides: names)
        let replacement = SubjectReplacement(
            subject: subject, variable: variable, names: names.union([variable]))
        return .subquery(collection, variable: variable, replacement.predicate(condition))
    }

    /// Returns the first free name of `x`, `x2`, `x3` and so on.
    private static func variable(besides names: Set<String>) -> String {
        var number = 1
        while names.contains(number == 1 ? "x" : "x\(number)") { number += 1 }
        return number == 1 ? "x" : "x\(number)"
    }

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate.form {
        case .constant: return predicate
        case .comparison(var comparison):
            comparison.left = expression(comparison.left)
            comparison.right = expression(comparison.right)
            return .comparison(comparison)
        case .not(let part): return .not(self.predicate(part))
        case .and(let parts): return .and(parts.map { self.predicate($0) })
        case .or(let parts): return .or(parts.map { self.predicate($0) })
        case .quantified(let quantifier, let path, let part):
            return quantified(quantifier, path, part)
        }
    }

    /// The condition applies to the destinations themselves, whichever closure the path belongs to.
    private func quantified(
        _ quantifier: PredicateQuantifier, _ path: [String], _ part: FetchPredicate
    ) -> FetchPredicate {
        guard let names = self.names(path) else {
            return .quantified(quantifier, keyPath: path, part)
        }
        guard let variable else { return .quantified(quantifier, keyPath: names, part) }
        // Quantifiers cannot apply to the destinations of a variable, but counts can.
        return quantifier.comparison(
            ofCountOf: Self.subquery(
                of: .property(.variable(variable), names), quantifier.counted(part), subject: nil,
                names: self.names))
    }

    private func expression(_ expression: FetchExpression) -> FetchExpression {
        switch expression.form {
        case .keyPath(let path): return names(path).map(keyPath) ?? expression
        case .count(let path): return names(path).map(count) ?? expression
        case .selfObject: return variable.map { .variable($0) } ?? expression
        case .anyKey: return variable == nil ? expression : keyPath([ClosureSubject.anyKey])
        default:
            return expression.mapping(
                operands: { self.expression($0) }, condition: { self.predicate($0) })
        }
    }

    /// Returns the names after the closure's name; nil for the path of another closure.
    private func names(_ path: [String]) -> [String]? {
        if let subject, subject.isFirst(of: path) { return subject.names(path) }
        return ClosureSubject.isMarked(path) ? nil : path
    }

    private func keyPath(_ names: [String]) -> FetchExpression {
        if variable == nil, names.count == 1,
            StoredText(names[0]) == StoredText(ClosureSubject.anyKey)
        {
            return .anyKey
        }
        if let variable {
            return names.isEmpty ? .variable(variable) : .property(.variable(variable), names)
        }
        return names.isEmpty ? .selfObject : .keyPath(names)
    }

    private func count(_ names: [String]) -> FetchExpression {
        variable == nil ? .count(keyPath: names) : .function(.count, [keyPath(names)])
    }
}
