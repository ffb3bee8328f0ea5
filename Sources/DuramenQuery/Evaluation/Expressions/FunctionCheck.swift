import DuramenModel

/// Checks the arguments of a function, and determines the type of its result.
///
/// Messages name the function and its paths without values.
struct FunctionCheck {
    private let function: FetchFunction
    private let call: FetchExpression
    private let entityName: String

    init(_ function: FetchFunction, _ call: FetchExpression, _ entityName: String) {
        self.function = function
        self.call = call
        self.entityName = entityName
    }

    func result(of types: [ExpressionType]) throws(FetchPredicateError) -> ExpressionType {
        if !function.isOfCollection, function != .length, function != .noindex,
            function != .distance, types.contains(where: { $0.isCollection == true })
        {
            throw mismatch(
                "the function takes single values. Use one of collections, such as @sum.")
        }
        switch function {
        case .count: return .value(.number)
        case .sum, .average, .median, .stddev:
            try take([.number], types)
            return .value(.number)
        case .min, .max: return .value(try ordered(types))
        case .mode, .distinct, .union, .intersect, .minus:
            var type = ExpressionType(family: types[0].family, isCollection: true)
            type.entity = types[0].entity
            type.isOrdered = true
            if types.contains(where: { $0.family != types[0].family }) { type.family = nil }
            return type
        case .element, .first, .last:
            if types[0].isCollection == true, !types[0].isOrdered {
                throw mismatch(
                    "the elements of a to-many stand at no places of their own. Use @min or @max.")
            }
            return ExpressionType(family: types[0].family, entity: types[0].entity)
        case .add, .subtract: return .value(try sum(types))
        case .uppercase, .lowercase, .canonical, .localized:
            try take([.text], types)
            return .value(.text)
        case .length:
            if types[0].isCollection == false { try take([.text, .binary], types) }
            return .value(.number)
        case .now: return .value(.date)
        case .noindex: return types[0]
        case .distance: return .value(.number)
        default:
            try take([.number], types)
            return .value(.number)
        }
    }

    private func take(
        _ families: [ValueFamily], _ types: [ExpressionType]
    ) throws(FetchPredicateError) {
        for case let family? in types.map(\.family) where !families.contains(family) {
            throw mismatch(
                "the function takes \(families.map(\.rawValue).joined(separator: " or ")), not "
                    + "\(family.rawValue). Give it such values.")
        }
    }

    private func ordered(_ types: [ExpressionType]) throws(FetchPredicateError) -> ValueFamily? {
        if types.contains(where: { $0.family == .object || $0.family == .encoded }) {
            throw mismatch("objects and encoded values have no order. Name an attribute of them.")
        }
        let families = Set(types.compactMap(\.family))
        return families.count == 1 ? families.first : nil
    }

    private func sum(_ types: [ExpressionType]) throws(FetchPredicateError) -> ValueFamily? {
        try take([.number, .date], types)
        let dates = types.count { $0.family == .date }
        switch dates {
        case 0: return types.contains { $0.family == nil } ? nil : .number
        case 1: return types.contains { $0.family == nil } && function == .subtract ? nil : .date
        default:
            if function == .add { throw mismatch("two dates have no sum. Subtract them.") }
            return .number
        }
    }

    private func mismatch(_ problem: String) -> FetchPredicateError {
        FetchPredicateError(.typeMismatch, entity: entityName, "'\(call.shape)': \(problem)")
    }
}
