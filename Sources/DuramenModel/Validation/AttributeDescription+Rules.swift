extension AttributeDescription {
    /// The reason why the rules cannot be checked, as a sentence; nil if they can.
    var problemWithRules: String? {
        if rules.isEmpty { return nil }
        if isTransient { return "a transient attribute has no rules; take them away." }
        return problemWithLimits ?? problemWithLengths ?? problemWithPattern
    }

    private var problemWithLimits: String? {
        let limits = [rules.minimum, rules.maximum].filter { !$0.isNull }
        if limits.isEmpty { return nil }
        guard Self.ordered.contains(type) else {
            return "a minimum and a maximum are for numbers and dates; take them away."
        }
        if let problem = limits.lazy.compactMap({ type.problem(with: $0) }).first {
            return "its minimum or maximum \(problem); correct it."
        }
        guard limits.count == 2, let order = StoredValue.order(limits[0], limits[1]), order > 0
        else { return nil }
        return "its minimum is above its maximum; exchange them."
    }

    private var problemWithLengths: String? {
        let lengths = [rules.minimumLength, rules.maximumLength].compactMap(\.self)
        if lengths.isEmpty { return nil }
        guard isText else { return "lengths are for text; take them away." }
        if lengths.contains(where: { $0 < 0 }) { return "a length is negative; give 0 or more." }
        if lengths.count == 2, lengths[0] > lengths[1] {
            return "its minimum length is above its maximum length; exchange them."
        }
        return nil
    }

    private var problemWithPattern: String? {
        guard let pattern = rules.pattern else { return nil }
        guard isText else { return "a pattern is for text; take it away." }
        do {
            _ = try Regex(pattern)
            return nil
        } catch {
            return "its pattern is not a regular expression; correct it."
        }
    }

    private var isText: Bool { type == .string || type == .uri }

    private static let ordered: Set<AttributeType> = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .date,
    ]
}
