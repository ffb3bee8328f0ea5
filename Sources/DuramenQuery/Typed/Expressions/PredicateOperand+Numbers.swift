/// Functions of numbers. The result is null for null, and for numbers without a result.
extension PredicateOperand where Value: PredicateNumber {
    /// The absolute value: `abs(x)`.
    public var absolute: QueryExpression<Value.Wide> { call(.abs) }

    /// The greatest integer that is not greater than the number: `floor(x)`.
    public var floor: QueryExpression<Value.Wide> { call(.floor) }

    /// The smallest integer that is not smaller than the number: `ceiling(x)`.
    public var ceiling: QueryExpression<Value.Wide> { call(.ceiling) }

    /// The integer part of the number: `trunc(x)`.
    public var truncated: QueryExpression<Value.Wide> { call(.trunc) }

    /// The square root: `sqrt(x)`.
    public var squareRoot: QueryExpression<Double> { call(.sqrt) }

    /// The logarithm to base 10: `log(x)`.
    public var commonLogarithm: QueryExpression<Double> { call(.log) }

    /// The logarithm to base e: `ln(x)`.
    public var naturalLogarithm: QueryExpression<Double> { call(.ln) }

    /// e to the power of the number: `exp(x)`.
    public var exponential: QueryExpression<Double> { call(.exp) }

    /// Returns the number raised to a power, as a double: `x ** power`.
    public func raised(to power: Double) -> QueryExpression<Double> {
        QueryExpression(.raise, fetchExpression, .constant(power.storedValue))
    }

    /// Returns the number raised to a power, as a double: `x ** power`.
    public func raised<Power: PredicateOperand>(to power: Power) -> QueryExpression<Double>
    where Power.Value: PredicateNumber {
        QueryExpression(.raise, fetchExpression, power.fetchExpression)
    }

    private func call<Result>(_ function: FetchFunction) -> QueryExpression<Result> {
        QueryExpression(function, fetchExpression)
    }
}
