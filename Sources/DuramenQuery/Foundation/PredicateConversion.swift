import Foundation

/// A kind of expression in a Foundation predicate that can be converted, or reports why it cannot.
protocol ConvertibleExpression: PredicateExpression {
    /// Converts the expression.
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode

    /// Returns whether the value is known without an object. False for arithmetic, because Swift's
    /// traps.
    func isConstant(in conversion: PredicateConversion) -> Bool
}

extension ConvertibleExpression {
    func isConstant(in conversion: PredicateConversion) -> Bool { false }
}

/// Converts a Foundation predicate recursively, and knows the meaning of its variables at each
/// place.
struct PredicateConversion {
    /// The maximum depth of nested expressions, without chains of `&&` and `||`. A level takes
    /// about 2 KB of stack, and 6 KB in a debug build.
    static let deepestNesting = PredicateComplexity.deepestNesting

    /// Counts the converted expressions, since elements of captured collections multiply them.
    private final class Budget {
        var nodes = 0
    }

    /// The meanings of the variables.
    private var meanings: [PredicateExpressions.VariableID: FetchExpression]
    /// The variables with captured values; ``bindings`` has the values.
    private var constants: Set<PredicateExpressions.VariableID> = []
    private var bindings = PredicateBindings()
    private var depth = 0
    private var subqueries = 0
    private let budget = Budget()

    /// Creates a conversion for the object of the predicate.
    init(object: PredicateExpressions.VariableID) { meanings = [object: .selfObject] }

    // MARK: - Expressions

    /// Converts an expression.
    func node(_ expression: some PredicateExpression) throws(ConversionFailure) -> ConvertedNode {
        budget.nodes += 1
        if depth >= Self.deepestNesting || budget.nodes > PredicateComplexity.mostNodes {
            throw .refused(
                PredicateConversionError(
                    .tooComplex, node: "Predicate",
                    "The predicate is nested more than \(Self.deepestNesting) deep or has more than "
                        + "\(PredicateComplexity.mostNodes) parts. Ask a list with contains(_:)."))
        }
        guard let expression = expression as? any ConvertibleExpression else {
            throw .unsupported(
                Self.name(of: expression),
                "Stores know nothing like it. Use a predicate from a format string.")
        }
        if expression.isConstant(in: self) {
            return try CapturedValue.node(try value(expression), of: expression)
        }
        var inner = self
        inner.depth += 1
        return try expression.converted(by: inner)
    }

    /// Converts a condition to a predicate.
    func predicate(
        _ expression: some PredicateExpression
    ) throws(ConversionFailure) -> FetchPredicate {
        try node(expression).predicate
    }

    /// Converts an expression to a value that can be compared.
    func expression(
        _ expression: some PredicateExpression
    ) throws(ConversionFailure) -> FetchExpression {
        try node(expression).expression
    }

    /// Returns Foundation's name of an expression. It is slow, since it describes the whole type,
    /// so only errors use it.
    static func name(of expression: some PredicateExpression) -> String {
        String("\(type(of: expression))".prefix { $0 != "<" })
    }

    // MARK: - Constants

    /// Returns whether the value of an expression is known without an object.
    func isConstant(_ expression: some PredicateExpression) -> Bool {
        (expression as? any ConvertibleExpression)?.isConstant(in: self) ?? false
    }

    /// Returns the value of an expression that is known without an object.
    func value<Expression: PredicateExpression>(
        _ expression: Expression
    ) throws(ConversionFailure) -> Expression.Output {
        do {
            return try expression.evaluate(bindings)
        } catch {
            throw .refused(
                PredicateConversionError(
                    .unsupportedValue, node: Self.name(of: expression),
                    "A captured value cannot be read: it is nil, or has no such place or type. Read it "
                        + "before the predicate is made."))
        }
    }

    // MARK: - Variables

    /// Returns the meaning of a variable.
    func meaning(
        of variable: PredicateExpressions.VariableID
    ) throws(ConversionFailure) -> FetchExpression {
        guard let meaning = meanings[variable] else { throw .unknown(variable) }
        return meaning
    }

    /// Returns whether a variable has a captured value.
    func isConstant(_ variable: PredicateExpressions.VariableID) -> Bool {
        constants.contains(variable)
    }

    /// Returns whether a variable may be used at this place.
    func knows(_ variable: PredicateExpressions.VariableID) -> Bool {
        meanings[variable] != nil || constants.contains(variable)
    }

    /// Returns this conversion with an expression as the meaning of a variable.
    func with<Value>(
        _ variable: PredicateExpressions.Variable<Value>, as meaning: FetchExpression
    ) -> PredicateConversion {
        var inner = self
        inner.meanings[variable.key] = meaning
        inner.constants.remove(variable.key)
        return inner
    }

    /// Returns this conversion with a captured value for a variable.
    func with<Value>(
        _ variable: PredicateExpressions.Variable<Value>, value: Value
    ) -> PredicateConversion {
        var inner = self
        inner.bindings[variable] = value
        inner.constants.insert(variable.key)
        return inner
    }

    /// Returns the conversion within a quantifier, whose condition knows only the element.
    func within<Value>(_ element: PredicateExpressions.Variable<Value>) -> PredicateConversion {
        var inner = self
        inner.meanings = [element.key: .selfObject]
        inner.constants.remove(element.key)
        return inner
    }

    /// Returns the conversion within a subquery, and the name of its variable.
    func withinSubquery<Value>(
        _ element: PredicateExpressions.Variable<Value>
    ) -> (conversion: PredicateConversion, variable: String) {
        let name = subqueries == 0 ? "x" : "x\(subqueries + 1)"
        var inner = with(element, as: .variable(name))
        inner.subqueries += 1
        return (inner, name)
    }
}
