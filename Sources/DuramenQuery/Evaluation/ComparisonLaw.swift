import DuramenModel

/// Defines the result of a comparison of two values. Every faster form must agree with it.
struct ComparisonLaw: Sendable {
    let `operator`: PredicateComparison.Operator
    let options: PredicateComparison.Options

    init(operator: PredicateComparison.Operator, options: PredicateComparison.Options) {
        self.operator = `operator`
        self.options = options.effective(for: `operator`)
    }

    /// Returns whether the comparison holds between two values.
    func holds(_ left: StoredValue, _ right: StoredValue) -> Bool {
        switch `operator` {
        case .equal: return areEqual(left, right)
        case .notEqual: return !areEqual(left, right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let order = order(left, right) else { return false }
            return accepts(order)
        case .contains, .beginsWith, .endsWith, .like, .matches: return matches(left, right)
        case .between, .isIn: return false
        }
    }

    /// Returns whether the comparison holds between a value and a list.
    func holds(_ left: StoredValue, list: [StoredValue]) -> Bool {
        if left.isNull { return false }
        if `operator` == .isIn { return list.contains { areEqual(left, $0) } }
        guard `operator` == .between, list.count == 2, let low = order(left, list[0]),
            let high = order(left, list[1])
        else { return false }
        return low >= 0 && high <= 0
    }

    /// Returns whether an order of two values satisfies `<`, `<=`, `>`, `>=`, `==` or `!=`.
    func accepts(_ order: Int) -> Bool {
        switch `operator` {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

    private func areEqual(_ left: StoredValue, _ right: StoredValue) -> Bool {
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        return order(left, right) == 0
    }

    private func order(_ left: StoredValue, _ right: StoredValue) -> Int? {
        if !options.isEmpty, let a = left.textValue, let b = right.textValue {
            return StoredValue.order(
                .text(TextFolding.fold(a, options)), .text(TextFolding.fold(b, options)))
        }
        return StoredValue.order(left, right)
    }

    private func matches(_ left: StoredValue, _ right: StoredValue) -> Bool {
        guard let text = left.textValue, let sought = right.textValue,
            let test = TextTest(`operator`, sought, options)
        else { return false }
        return TextFolding.fold(text, options).withUTF8 { test.holds($0) }
    }
}

extension StoredValue {
    /// The text of a text or URI; nil for other values.
    var textValue: StoredText? {
        switch self {
        case .text(let text), .uri(let text): text
        default: nil
        }
    }

    /// The object ID of a reference; nil for other values.
    var objectIDValue: ManagedObjectID? {
        if case .objectID(let id) = self { id } else { nil }
    }
}
