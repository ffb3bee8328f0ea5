import DuramenModel

/// A comparison for many pairs of values. A pattern or a list on the right is prepared once.
public final class PreparedComparison: Sendable {
    private let law: ComparisonLaw
    private let quantifier: PredicateQuantifier?
    /// The constant list on the right; nil if there is none, or if it needs no lookup.
    private let members: MemberList?
    private let pattern = Locked<(text: StoredText, test: TextTest)?>(nil)

    /// Prepares a comparison.
    public convenience init(
        _ relation: PredicateComparison.Operator, _ options: PredicateComparison.Options,
        quantifier: PredicateQuantifier? = nil
    ) {
        self.init(relation, options, quantifier: quantifier, list: nil)
    }

    /// Prepares a comparison.
    ///
    /// - Parameters:
    ///   - relation: The operator.
    ///   - options: The options for comparing text.
    ///   - quantifier: The quantifier for several values on the left; nil for one value.
    ///   - list: The constant list on the right; nil if there is none.
    init(
        _ relation: PredicateComparison.Operator, _ options: PredicateComparison.Options,
        quantifier: PredicateQuantifier?, list: [StoredValue]?
    ) {
        law = ComparisonLaw(operator: relation, options: options)
        self.quantifier = quantifier
        members = relation == .isIn ? list.map { [law] in MemberList($0, law.options) } : nil
    }

    /// Whether the left side has several values.
    var isQuantified: Bool { quantifier != nil }

    /// Returns whether the comparison holds between two values.
    public func holds(_ left: QueryValue, _ right: QueryValue) -> Bool {
        guard let quantifier else { return relate(left, right) }
        return quantifier.holds(of: left.elements ?? [left]) { relate($0, right) }
    }

    private func relate(_ left: QueryValue, _ right: QueryValue) -> Bool {
        if let members, case .value(let value) = left { return members.contains(value) }
        guard law.operator == .like || law.operator == .matches,
            let text = left.scalar.textValue, let sought = right.scalar.textValue
        else { return law.holds(left, right) }
        let test = pattern.withLock { known -> TextTest? in
            if let known, known.text == sought { return known.test }
            guard let test = TextTest(law.operator, sought, law.options) else { return nil }
            known = (sought, test)
            return test
        }
        guard let test else { return false }
        return text.withUTF8 { utf8 in
            TextFolding.withFolded(utf8, law.options) { test.holds($0) }
        }
    }
}
