import DuramenArchives
import DuramenModel
import DuramenQuery

/// The rules for values in a model cache.
extension ModelCacheWriter {
    /// The conditions for values, with the warnings for invalid ones.
    ///
    /// Patterns are left out, and so are conditions whose form is unknown.
    mutating func validations(
        of attribute: AttributeDescription
    ) -> [(Part, Part)] {
        let rules = attribute.rules
        var found: [(Part, Part)] = []
        func bound(
            _ expression: FetchExpression, _ relation: PredicateComparison.Operator,
            _ limit: StoredValue
        ) -> FetchPredicate {
            .comparison(PredicateComparison(expression, relation, .constant(limit)))
        }
        let minimum = bound(.selfObject, .greaterOrEqual, rules.minimum)
        if !rules.minimum.isNull, let predicate = archive.predicate(minimum) {
            // A known cache has this number for the minimum of a double, and a text for a condition
            // of the application. The numbers for other limits are unknown.
            let warning =
                attribute.type == .date
                ? archive.text("The date is too early.") : archive.add(.integer(1_620))
            found.append((predicate, warning))
        }
        let maximum = bound(.selfObject, .lessOrEqual, rules.maximum)
        if !rules.maximum.isNull, let predicate = archive.predicate(maximum) {
            found.append((predicate, archive.text("The value is above its maximum.")))
        }
        // A URL does not have a length.
        if attribute.type == .string {
            let length = FetchExpression.keyPath(["length"])
            for (limit, relation) in [
                (rules.minimumLength, PredicateComparison.Operator.greaterOrEqual),
                (rules.maximumLength, .lessOrEqual),
            ] {
                guard let limit,
                    let predicate = archive.predicate(
                        bound(length, relation, .integer(Int64(limit))))
                else { continue }
                let side = relation == .lessOrEqual ? "long" : "short"
                found.append((predicate, archive.text("The text is too \(side).")))
            }
        }
        for rule in rules.predicates {
            guard let condition = try? FetchPredicate(format: rule.format, arguments: []),
                let predicate = archive.predicate(condition)
            else { continue }
            let warning = rule.warning ?? "The value does not fulfil its condition."
            found.append((predicate, archive.text(warning)))
        }
        return found
    }
}
