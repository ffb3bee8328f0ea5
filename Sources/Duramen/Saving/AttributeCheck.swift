import DuramenModel
import DuramenQuery

/// The rules for the values of one attribute, ready for validation.
struct AttributeCheck {
    let attribute: Attribute
    private let pattern: Regex<AnyRegexOutput>?
    private let conditions: [(predicate: FetchPredicate, warning: String?)]

    init(_ attribute: Attribute) {
        self.attribute = attribute
        // The model rejects invalid patterns.
        pattern = attribute.rules.pattern.flatMap { pattern in
            (try? Regex(pattern))?.matchingSemantics(.unicodeScalar)
        }
        // The container rejects invalid conditions.
        conditions = attribute.rules.predicates.compactMap { rule in
            (try? FetchPredicate(format: rule.format, arguments: [])).map { ($0, rule.warning) }
        }
    }

    /// Returns the first rule that a row violates, with a remedy; nil if there is none.
    func failure(of row: Row) -> (code: ValidationError.Code, message: String)? {
        if row.isNull(attribute.slot) { return nil }
        return limitFailure(of: row) ?? textFailure(of: row) ?? conditionFailure(of: row)
    }

    private func conditionFailure(of row: Row) -> (ValidationError.Code, String)? {
        if conditions.isEmpty { return nil }
        let value = QueryValue.value(row.value(attribute.slot, attribute.kind))
        for (predicate, warning) in conditions
        where (try? predicate.evaluate(with: value)) != true {
            return (
                .invalidValue,
                warning
                    ?? "the value does not fulfil a condition of the attribute; take another one."
            )
        }
        return nil
    }

    private func limitFailure(of row: Row) -> (ValidationError.Code, String)? {
        let rules = attribute.rules
        if rules.minimum.isNull, rules.maximum.isNull { return nil }
        let value = row.value(attribute.slot, attribute.kind)
        let isDate = attribute.type == .date
        if let order = StoredValue.order(value, rules.minimum), order < 0 {
            return isDate
                ? (.dateTooSoon, "the date is before the earliest one; take a later one.")
                : (.numberTooSmall, "the number is below the minimum; take a larger one.")
        }
        if let order = StoredValue.order(value, rules.maximum), order > 0 {
            return isDate
                ? (.dateTooLate, "the date is after the latest one; take an earlier one.")
                : (.numberTooLarge, "the number is above the maximum; take a smaller one.")
        }
        return nil
    }

    private func textFailure(of row: Row) -> (ValidationError.Code, String)? {
        let rules = attribute.rules
        if rules.minimumLength == nil, rules.maximumLength == nil, pattern == nil { return nil }
        let bytes = row.unsafeBytes(attribute.slot)
        // Continuation bytes of a scalar begin with the bits 10.
        let length = bytes.count { $0 & 0b1100_0000 != 0b1000_0000 }
        if let minimum = rules.minimumLength, length < minimum {
            return (
                .stringTooShort,
                "the text has \(length) Unicode scalars and needs \(minimum) at least; lengthen "
                    + "it."
            )
        }
        if let maximum = rules.maximumLength, length > maximum {
            return (
                .stringTooLong,
                "the text has \(length) Unicode scalars and takes \(maximum) at most; shorten "
                    + "it."
            )
        }
        guard let pattern else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        // Matching throws only errors of code inside a pattern, and a pattern from text has no
        // code.
        if (try? pattern.wholeMatch(in: text)) != nil { return nil }
        return (
            .stringPatternMatching,
            "the text does not match the pattern of the attribute; take one that does."
        )
    }
}
