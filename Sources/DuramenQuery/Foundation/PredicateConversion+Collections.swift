import Foundation

extension PredicateConversion {
    /// Returns a collection of objects.
    func collection<Objects: PredicateExpression>(
        _ sequence: Objects, _ node: String
    ) throws(ConversionFailure) -> FetchExpression where Objects.Output: Sequence {
        guard Objects.Output.Element.self is any QueryableObject.Type else {
            throw .unsupported(
                node,
                "'\(Objects.Output.self)' is not a collection of objects, and stores cannot search within "
                    + "values. Use a to-many, or contains(_:) on text.")
        }
        return try expression(sequence)
    }

    /// Returns a condition that any or all elements of a collection satisfy a condition.
    func satisfied<Elements: PredicateExpression>(
        _ quantifier: PredicateQuantifier, _ sequence: Elements,
        _ variable: PredicateExpressions.Variable<Elements.Output.Element>,
        _ test: some PredicateExpression, _ node: String
    ) throws(ConversionFailure) -> ConvertedNode where Elements.Output: Sequence {
        if isConstant(sequence) {
            let parts = try each(sequence, variable, test)
            return .predicate(quantifier == .all ? .all(parts) : .any(parts))
        }
        let collection = try collection(sequence, node)
        if let predicate = try quantified(quantifier, collection, variable, test) {
            return .predicate(predicate)
        }
        let counted = try subquery(collection, variable, test) { quantifier.counted($0) }
        return .predicate(quantifier.comparison(ofCountOf: counted))
    }

    /// Returns a condition on the objects of a to-many; nil if it needs a subquery.
    ///
    /// Stores evaluate a quantifier faster, but its condition cannot refer to the outer object.
    private func quantified<Element>(
        _ quantifier: PredicateQuantifier, _ collection: FetchExpression,
        _ variable: PredicateExpressions.Variable<Element>, _ test: some PredicateExpression
    ) throws(ConversionFailure) -> FetchPredicate? {
        guard case .keyPath(let names) = collection.form else { return nil }
        do throws(ConversionFailure) {
            return .quantified(
                quantifier, keyPath: names, try within(variable).predicate(test))
        } catch {
            if case .unknown(let variable) = error, knows(variable) { return nil }
            throw error
        }
    }

    /// Returns the elements that satisfy a condition.
    func subquery<Element>(
        _ collection: FetchExpression, _ element: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression, _ change: (FetchPredicate) -> FetchPredicate
    ) throws(ConversionFailure) -> FetchExpression {
        let (inner, variable) = withinSubquery(element)
        return .subquery(
            collection, variable: variable, change(try inner.predicate(test)))
    }

    /// Returns a condition for each element of a captured collection.
    private func each<Elements: PredicateExpression>(
        _ sequence: Elements, _ variable: PredicateExpressions.Variable<Elements.Output.Element>,
        _ test: some PredicateExpression
    ) throws(ConversionFailure) -> [FetchPredicate] where Elements.Output: Sequence {
        var parts: [FetchPredicate] = []
        for element in try value(sequence) {
            parts.append(try with(variable, value: element).predicate(test))
        }
        return parts
    }
}

extension FetchPredicate {
    /// Returns a predicate that is true if one part is true. A single part is returned unchanged.
    static func any(_ parts: [FetchPredicate]) -> FetchPredicate {
        parts.isEmpty ? .constant(false) : parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Returns a predicate that is true if all parts are true. A single part is returned unchanged.
    static func all(_ parts: [FetchPredicate]) -> FetchPredicate {
        parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .and(parts)
    }
}
