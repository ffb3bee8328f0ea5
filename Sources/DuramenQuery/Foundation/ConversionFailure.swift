import Foundation

/// Why a conversion cannot go on.
enum ConversionFailure: Error {
    /// There is no counterpart.
    case refused(PredicateConversionError)
    /// A variable is not known where it is used. A quantifier knows its element only; a subquery,
    /// which is tried next, knows what is around it too.
    case unknown(PredicateExpressions.VariableID)

    /// There is no counterpart for an expression.
    static func unsupported(_ node: String, _ message: String) -> ConversionFailure {
        .refused(PredicateConversionError(.unsupportedExpression, node: node, message))
    }

    /// What the caller of the whole conversion is told.
    var conversionError: PredicateConversionError {
        switch self {
        case .refused(let error): error
        case .unknown:
            PredicateConversionError(
                .unsupportedExpression, node: "Variable",
                "A variable belongs to another predicate. Use the variables of this one.")
        }
    }
}
