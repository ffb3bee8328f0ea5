import Foundation

/// The reason why a conversion fails.
enum ConversionFailure: Error {
    /// An expression cannot be converted.
    case refused(PredicateConversionError)
    /// A variable is unknown at this place. A quantifier knows only its element. A subquery, which
    /// is tried next, also knows the variables around it.
    case unknown(PredicateExpressions.VariableID)

    /// Returns the failure of an expression without an equivalent.
    static func unsupported(_ node: String, _ message: String) -> ConversionFailure {
        .refused(PredicateConversionError(.unsupportedExpression, node: node, message))
    }

    /// The error for the caller of the whole conversion.
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
