import DuramenModel

extension PredicateComparison {
    /// Checks that the operator and its options accept values of the given families.
    ///
    /// - Parameters:
    ///   - families: The families of the two sides.
    ///   - entity: The entity's name, for messages.
    ///   - orderRemedy: The remedy for a comparison of the order of objects.
    func checkFamilies(
        _ families: [ValueFamily], of entity: String, orderRemedy: String
    ) throws(FetchPredicateError) {
        switch `operator` {
        case .contains, .beginsWith, .endsWith, .like, .matches:
            if families.contains(where: { $0 != .text }) {
                throw mismatch(
                    "\(`operator`.rawValue) compares text only. Use another operator.", of: entity)
            }
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            if families.contains(.object) {
                throw mismatch("objects have no order. \(orderRemedy)", of: entity)
            }
        case .equal, .notEqual, .isIn: break
        }
        if !options.isEmpty, families.contains(where: { $0 != .text }) {
            throw mismatch("options apply to text only. Leave them out.", of: entity)
        }
    }

    /// Checks that values of the two families can be compared.
    func checkFamilies(
        _ left: ValueFamily, _ right: ValueFamily, of entity: String
    ) throws(FetchPredicateError) {
        if left != right {
            throw mismatch(
                "\(left.rawValue) does not compare with \(right.rawValue). "
                    + "Give a value of the left side's kind.", of: entity)
        }
    }

    /// Returns an error with the comparison, which is shown without its values.
    func error(
        _ code: FetchPredicateError.Code, _ problem: String, of entity: String
    ) -> FetchPredicateError {
        FetchPredicateError(
            code, entity: entity, "'\(FetchPredicate.comparison(self).shape)': \(problem)")
    }

    func mismatch(_ problem: String, of entity: String) -> FetchPredicateError {
        error(.typeMismatch, problem, of: entity)
    }
}
