import DuramenArchives
import DuramenModel
import DuramenQuery

/// Predicates in the forms that known caches have; other forms are unknown.
extension KeyedArchiveBuilder {
    /// Adds a predicate; nil if its form is unknown.
    ///
    /// It recurses into `AND`; a predicate limits its own depth. The known parts of an unknown
    /// predicate stay in the archive, without references to them.
    mutating func predicate(_ predicate: FetchPredicate) -> Part? {
        switch predicate.form {
        case .comparison(let comparison): return self.comparison(comparison)
        case .and(let parts):
            let references = parts.compactMap { self.predicate($0) }
            if parts.isEmpty || references.count < parts.count { return nil }
            let list = list(.array, references)
            return add(
                .compoundPredicate,
                [("NSCompoundPredicateType", .integer(1)), ("NSSubpredicates", list)])
        default: return nil
        }
    }

    private mutating func comparison(_ comparison: PredicateComparison) -> Part? {
        guard comparison.quantifier == nil, comparison.options.isEmpty,
            let left = expression(comparison.left), let right = expression(comparison.right),
            let `operator` = self.operator(comparison.operator)
        else { return nil }
        return add(
            .comparisonPredicate,
            [
                ("NSLeftExpression", left), ("NSPredicateOperator", `operator`),
                ("NSRightExpression", right),
            ])
    }

    private mutating func `operator`(_ operator: PredicateComparison.Operator) -> Part? {
        let modifier = ("NSModifier", Part.integer(0))
        func fields(_ type: Int64, _ other: Fields) -> Fields {
            [("NSOperatorType", .integer(type)), modifier] + other
        }
        func bound(_ type: Int64) -> Fields {
            fields(type, [("NSOptions", .integer(0)), ("NSVariant", .integer(type))])
        }
        switch `operator` {
        case .equal:
            return add(
                .equalityOperator,
                fields(4, [("NSOptions", .integer(0)), ("NSNegate", .boolean(false))]))
        case .lessOrEqual: return add(.comparisonOperator, bound(1))
        case .greaterOrEqual: return add(.comparisonOperator, bound(3))
        case .contains: return add(.inOperator, fields(99, [("NSFlags", .integer(0))]))
        default: return nil
        }
    }

    // MARK: - Expressions

    /// Adds an expression; nil if its form is unknown.
    mutating func expression(_ expression: FetchExpression) -> Part? {
        switch expression.form {
        case .selfObject: return selfExpression()
        case .variable(let name): return variable(name)
        case .constant(let value):
            return value.isNull ? nil : constant([("NSConstantValue", self.value(value))])
        case .keyPath(let names) where names.count == 1:
            return keyPath(names, of: selfExpression(), selector: "valueForKey:", type: 3)
        case .property(let base, let names):
            guard case .variable(let name) = base.form else { return nil }
            return keyPath(names, of: variable(name), selector: "valueForKeyPath:", type: 4)
        // No known path of several names starts at the object itself.
        default: return nil
        }
    }

    /// Adds the expression that counts the objects of a to-many.
    mutating func count(ofToMany name: String) -> Part {
        let text = text("_NSPredicateUtilities")
        let operand = constant([("NSConstantValueClassName", text)])
        let argument = keyPath([name], of: selfExpression(), selector: "valueForKey:", type: 3)
        return function(
            .functionExpression, "count:", type: 4, of: operand, list(.array, [argument]))
    }

    private mutating func selfExpression() -> Part {
        add(.selfExpression, [("NSExpressionType", .integer(1))])
    }

    private mutating func variable(_ name: String) -> Part {
        let text = text(name)
        return add(.variableExpression, [("NSExpressionType", .integer(2)), ("NSVariable", text)])
    }

    private mutating func constant(_ content: Fields) -> Part {
        add(.constantExpression, [("NSExpressionType", .integer(0))] + content)
    }

    private mutating func keyPath(
        _ names: [String], of operand: Part, selector: String, type: Int64
    ) -> Part {
        let text = text(names.joined(separator: "."))
        let specifier = add(
            .keyPathSpecifier, [("NSExpressionType", .integer(10)), ("NSKeyPath", text)])
        return function(
            .keyPathExpression, selector, type: type, of: operand, list(.mutableArray, [specifier]))
    }

    private mutating func function(
        _ class: ModelCacheClass, _ selector: String, type: Int64, of operand: Part,
        _ arguments: Part
    ) -> Part {
        let name = text(selector)
        return add(
            `class`,
            [
                ("NSExpressionType", .integer(type)), ("NSOperand", operand),
                ("NSSelectorName", name), ("NSArguments", arguments),
            ])
    }
}
