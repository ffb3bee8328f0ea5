import DuramenModel

/// Checks that the values of two expressions can be compared, as far as their types are known.
///
/// Messages name the comparison without its values.
struct ExpressionCheck {
    private let comparison: PredicateComparison
    private let entityName: String

    init(_ comparison: PredicateComparison, entity: String) {
        self.comparison = comparison
        entityName = entity
    }

    func check(
        _ left: ExpressionType, _ right: ExpressionType, isQuantified: Bool
    ) throws(FetchPredicateError) {
        if left.family == .encoded || right.family == .encoded {
            throw mismatch("a transformable attribute compares with nil only, by == and !=.")
        }
        if isQuantified, left.isCollection == false {
            throw mismatch(
                "the left side has one value, but a quantifier needs several. Leave the quantifier out."
            )
        }
        let leftIsMany = left.isCollection == true && !isQuantified
        switch comparison.operator {
        case .isIn, .between:
            if leftIsMany {
                throw several("the left side has several values. Use ANY or ALL.")
            }
            if right.isCollection == false, !(comparison.operator == .isIn && right.mayBeText) {
                throw mismatch(
                    "the right side of \(comparison.operator.rawValue) is not a list. Give one.")
            }
        case .contains:
            if right.isCollection == true {
                throw mismatch("the right side has several values. Use ANY with IN.")
            }
            if leftIsMany {
                if let element = left.family, let sought = right.family, element != sought {
                    throw mismatch("\(element.rawValue) does not compare with \(sought.rawValue).")
                }
                return
            }
        default:
            if leftIsMany || right.isCollection == true {
                throw several(
                    "one side has several values. Use ANY or ALL, IN, or a function such as @max."
                )
            }
        }
        if let left = left.family, let right = right.family {
            try comparison.checkFamilies(left, right, of: entityName)
        }
        try comparison.checkFamilies(
            [left.family, right.family].compactMap { $0 }, of: entityName,
            orderRemedy: "Compare one of their attributes.")
    }

    /// Checks the right side of `MATCHES`, if it is a constant.
    func pattern() throws(FetchPredicateError) {
        guard comparison.operator == .matches, case .constant(let value) = comparison.right.form,
            let text = value.textValue
        else { return }
        do throws(RegularExpressionError) {
            _ = try RegularExpression(text.string, options: comparison.options)
        } catch {
            throw comparison.error(.invalidPattern, error.message, of: entityName)
        }
    }

    private func several(_ problem: String) -> FetchPredicateError {
        comparison.error(.invalidKeyPath, problem, of: entityName)
    }

    private func mismatch(_ problem: String) -> FetchPredicateError {
        comparison.mismatch(problem, of: entityName)
    }
}

extension ExpressionType {
    fileprivate var mayBeText: Bool { family == nil || family == .text }
}
