import Foundation

/// A kind of expression in a Foundation predicate that has a counterpart, or says why it has none.
protocol ConvertibleExpression: PredicateExpression {
    /// Turns the expression into ours.
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode

    /// Whether the value is known now, without an object. Arithmetic never says so: Swift's traps.
    func isConstant(in conversion: PredicateConversion) -> Bool
}

extension ConvertibleExpression {
    func isConstant(in conversion: PredicateConversion) -> Bool { false }
}

/// Walks down a Foundation predicate, and knows what its variables stand for at the place where it
/// is.
struct PredicateConversion {
    /// How deep expressions may stand within each other, chains of `&&` and `||` left out. A step
    /// takes about 2 KB of stack, and 6 KB in a debug build.
    static let deepestNesting = PredicateComplexity.deepestNesting

    /// Counts what was converted, since elements of captured collections multiply.
    private final class Budget {
        var nodes = 0
    }

    /// What variables stand for.
    private var meanings: [PredicateExpressions.VariableID: FetchExpression]
    /// The variables whose values are captured ones, and these.
    private var constants: Set<PredicateExpressions.VariableID> = []
    private var bindings = PredicateBindings()
    private var depth = 0
    private var subqueries = 0
    private let budget = Budget()

    /// Begins at the object that the predicate is asked about.
    init(object: PredicateExpressions.VariableID) { meanings = [object: .selfObject] }

    // MARK: - Expressions

    /// Turns an expression into ours.
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

    /// Turns a condition into a predicate.
    func predicate(
        _ expression: some PredicateExpression
    ) throws(ConversionFailure) -> FetchPredicate {
        try node(expression).predicate
    }

    /// Turns an expression into what comparisons compare.
    func expression(
        _ expression: some PredicateExpression
    ) throws(ConversionFailure) -> FetchExpression {
        try node(expression).expression
    }

    /// Foundation's name of an expression. It takes the whole type apart, so only errors ask for
    /// it.
    static func name(of expression: some PredicateExpression) -> String {
        String("\(type(of: expression))".prefix { $0 != "<" })
    }

    // MARK: - What is known now

    /// Whether the value of an expression is known without an object.
    func isConstant(_ expression: some PredicateExpression) -> Bool {
        (expression as? any ConvertibleExpression)?.isConstant(in: self) ?? false
    }

    /// The value of an expression that is known without an object.
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

    /// What a variable stands for.
    func meaning(
        of variable: PredicateExpressions.VariableID
    ) throws(ConversionFailure) -> FetchExpression {
        guard let meaning = meanings[variable] else { throw .unknown(variable) }
        return meaning
    }

    /// Whether a variable has a captured value.
    func isConstant(_ variable: PredicateExpressions.VariableID) -> Bool {
        constants.contains(variable)
    }

    /// Whether a variable may be used here.
    func knows(_ variable: PredicateExpressions.VariableID) -> Bool {
        meanings[variable] != nil || constants.contains(variable)
    }

    /// The same place, where a variable stands for an expression.
    func with<Value>(
        _ variable: PredicateExpressions.Variable<Value>, as meaning: FetchExpression
    ) -> PredicateConversion {
        var inner = self
        inner.meanings[variable.key] = meaning
        inner.constants.remove(variable.key)
        return inner
    }

    /// The same place, where a variable stands for a captured value.
    func with<Value>(
        _ variable: PredicateExpressions.Variable<Value>, value: Value
    ) -> PredicateConversion {
        var inner = self
        inner.bindings[variable] = value
        inner.constants.insert(variable.key)
        return inner
    }

    /// Within a quantifier, whose condition knows the element only.
    func within<Value>(_ element: PredicateExpressions.Variable<Value>) -> PredicateConversion {
        var inner = self
        inner.meanings = [element.key: .selfObject]
        inner.constants.remove(element.key)
        return inner
    }

    /// Within a subquery, and its variable's name.
    func withinSubquery<Value>(
        _ element: PredicateExpressions.Variable<Value>
    ) -> (conversion: PredicateConversion, variable: String) {
        let name = subqueries == 0 ? "x" : "x\(subqueries + 1)"
        var inner = with(element, as: .variable(name))
        inner.subqueries += 1
        return (inner, name)
    }
}
