/// Functions of numbers; null of null, and where there is no result.
extension PredicateOperand where Value: PredicateNumber {
    /// The magnitude: `abs(x)`.
    public var absolute: QueryExpression<Value.Wide> { call(.abs) }

    /// The greatest whole number that is not greater: `floor(x)`.
    public var floor: QueryExpression<Value.Wide> { call(.floor) }

    /// The smallest whole number that is not smaller: `ceiling(x)`.
    public var ceiling: QueryExpression<Value.Wide> { call(.ceiling) }

    /// The whole number towards zero: `trunc(x)`.
    public var truncated: QueryExpression<Value.Wide> { call(.trunc) }

    /// The square root: `sqrt(x)`.
    public var squareRoot: QueryExpression<Double> { call(.sqrt) }

    /// The logarithm to base 10: `log(x)`.
    public var commonLogarithm: QueryExpression<Double> { call(.log) }

    /// The logarithm to base e: `ln(x)`.
    public var naturalLogarithm: QueryExpression<Double> { call(.ln) }

    /// e to the power of the number: `exp(x)`.
    public var exponential: QueryExpression<Double> { call(.exp) }

    /// The number to a power, a double: `x ** power`.
    public func raised(to power: Double) -> QueryExpression<Double> {
        QueryExpression(.raise, fetchExpression, .constant(power.storedValue))
    }

    /// The number to a power, a double: `x ** power`.
    public func raised<Power: PredicateOperand>(to power: Power) -> QueryExpression<Double>
    where Power.Value: PredicateNumber {
        QueryExpression(.raise, fetchExpression, power.fetchExpression)
    }

    private func call<Result>(_ function: FetchFunction) -> QueryExpression<Result> {
        QueryExpression(function, fetchExpression)
    }
}
