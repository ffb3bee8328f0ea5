package import DuramenModel
package import DuramenQuery

/// Turns a predicate into SQL that answers exactly as the evaluator would, or refuses it.
///
/// A condition has two forms. Where nothing negates it, null may stand for false, which keeps plain
/// comparisons that an index serves. Below a `not` every comparison is made never null (`strict`).
package struct PredicateCompiler<Mapping: SQLMapping, Dialect: SQLDialect> {
    let mapping: Mapping
    let dialect: Dialect
    /// The values of the placeholders, in their order.
    package private(set) var parameters: [SQLParameter] = []
    /// Where each of ``parameters`` comes from, as ``PredicateShape`` counts values; nil for one
    /// that belongs to the text.
    package private(set) var sources: [ParameterSource?] = []
    /// The values, as ``PredicateShape`` counts them, that the text was made for and no other.
    package private(set) var fixedValues: [Int] = []
    /// The values, as ``PredicateShape`` counts them, that the text takes for equal to those behind
    /// them.
    package internal(set) var equalValues: [Int] = []
    /// The to-ones whose columns the conditions compare or follow backwards: an index speeds them
    /// up.
    package internal(set) var comparedToOnes: [SQLToOne] = []
    /// The joins that the conditions at the top need, to stand behind the first table `t0`.
    package var joins: String { root.joins }

    /// Whether a condition was compiled whose types nobody has checked yet.
    package private(set) var isUnchecked = false

    var root: SQLScope
    /// The tables of what the variables of the subqueries around stand for.
    var variables: [String: SQLScope] = [:]
    private var aliasCount = 0
    /// How many exchangeable values were met; nil inside of an expression, where none is.
    var nextValue: Int? = 0
    /// The first exchangeable value of the comparison that is being compiled.
    var currentValue: Int?
    private var depth = 0
    private var deepestSeen = 0

    /// Deeper predicates stay with the evaluator, so that no engine's parser comes to its limit.
    private static var deepest: Int { 48 }
    /// What is no deeper than this needs no look at the text, unless it has expressions.
    private static var surelyShallow: Int { 3 }

    /// Starts a statement on an entity's table, named `t0`.
    package init(mapping: Mapping, dialect: Dialect, entity: EntityID) {
        self.mapping = mapping
        self.dialect = dialect
        root = SQLScope(alias: "t0", entity: entity)
    }

    /// The condition in SQL; nil when the answer might differ from the evaluator's.
    ///
    /// - Parameter isAccepted: Whether each part was compiled before, so that the whole is not too
    ///   deep.
    package mutating func compile(
        _ predicate: FetchPredicate, isAccepted: Bool = false
    ) -> String? {
        let count = parameters.count
        var scope = root
        if let text = condition(predicate, &scope, strict: false),
            parameters.count <= dialect.maximumParameters,
            isAccepted || deepestSeen <= Self.surelyShallow && !isUnchecked
                || StatementDepth.places(text) <= dialect.maximumDepth
        {
            root = scope
            return text
        }
        forgetParameters(after: count)
        return nil
    }

    private mutating func forgetParameters(after count: Int) {
        parameters.removeLast(parameters.count - count)
        sources.removeLast(sources.count - count)
    }

    /// Tries one way of saying something. When it fails, it leaves no parameters and no joins
    /// behind.
    mutating func attempt<R>(
        _ scope: inout SQLScope, _ body: (inout Self, inout SQLScope) -> R?
    ) -> R? {
        let (count, outer, outside) = (parameters.count, scope, variables)
        let toOneCount = comparedToOnes.count
        if let result = body(&self, &scope) { return result }
        forgetParameters(after: count)
        comparedToOnes.removeLast(comparedToOnes.count - toOneCount)
        scope = outer
        variables = outside
        return nil
    }

    // MARK: - The tree

    mutating func condition(
        _ predicate: FetchPredicate, _ scope: inout SQLScope, strict: Bool
    ) -> String? {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.deepest { return nil }
        deepestSeen = max(deepestSeen, depth)
        switch predicate.form {
        case .constant(let value): return value ? "1" : "0"
        case .not(let inner):
            return condition(inner, &scope, strict: true).map { "(NOT \($0))" }
        case .and(let parts):
            if !strict, let text = position(parts, &scope) { return text }
            return list(parts, &scope, strict, "AND", empty: "1")
        case .or(let parts): return list(parts, &scope, strict, "OR", empty: "0")
        case .comparison(let comparison): return self.comparison(comparison, &scope, strict)
        case .quantified(let quantifier, let path, let inner):
            return quantified(quantifier, path, inner, &scope)
        }
    }

    private mutating func comparison(
        _ comparison: PredicateComparison, _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        let values = nextValue == nil ? 0 : PredicateShape.valueCount(of: comparison)
        let first = nextValue
        nextValue = first.map { $0 + values }
        currentValue = values == 0 ? nil : first
        defer { currentValue = nil }
        let count = parameters.count
        if comparison.quantifier == nil,
            let text = attempt(&scope, { $0.plain(comparison, &$1, strict) })
        {
            if let first, sources[count...].contains(nil) { fixedValues += first..<first + values }
            return text
        }
        isUnchecked = true
        currentValue = nil
        if let first { fixedValues += first..<first + values }
        let met = nextValue
        nextValue = nil
        defer { nextValue = met }
        return general(comparison, &scope)
    }

    private mutating func list(
        _ parts: [FetchPredicate], _ scope: inout SQLScope, _ strict: Bool, _ word: String,
        empty: String
    ) -> String? {
        if parts.isEmpty { return empty }
        var texts: [String] = []
        texts.reserveCapacity(parts.count)
        for part in parts {
            guard let text = condition(part, &scope, strict: strict) else { return nil }
            texts.append(text)
        }
        return Self.balanced(texts[...], word)
    }

    /// Joins halves, so that a long list makes a tree of little depth.
    private static func balanced(_ texts: ArraySlice<String>, _ word: String) -> String {
        if texts.count <= 16 {
            return texts.count == 1
                ? texts[texts.startIndex] : "(" + texts.joined(separator: " \(word) ") + ")"
        }
        let middle = texts.startIndex + texts.count / 2
        return "(" + balanced(texts[..<middle], word) + " \(word) "
            + balanced(texts[middle...], word) + ")"
    }

    // MARK: - Pieces

    /// The placeholder of a value that belongs to the text.
    mutating func placeholder(_ value: SQLParameter) -> String { append(value, from: nil) }

    /// The placeholder of a value of the comparison that is being compiled; nil when it has no such
    /// form.
    ///
    /// - Parameter place: Which of the comparison's values it is.
    mutating func placeholder(
        _ value: StoredValue, _ form: ParameterForm, at place: Int = 0
    ) -> String? {
        guard let parameter = form.parameter(of: value) else { return nil }
        return append(parameter, from: currentValue.map { ParameterSource($0 + place, form) })
    }

    /// The placeholder of the key of the object that is compared.
    mutating func placeholder(keyOf id: ManagedObjectID) -> String {
        append(.integer(id.key), from: currentValue.map { ParameterSource($0, .key) })
    }

    private mutating func append(
        _ parameter: SQLParameter, from source: ParameterSource?
    ) -> String {
        parameters.append(parameter)
        sources.append(source)
        return dialect.placeholder(parameters.count)
    }

    mutating func nextAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    /// A comparison that is null for null operands.
    func nullIsFalse(_ text: String, _ strict: Bool) -> String {
        strict ? dialect.isTrue(text) : "(\(text))"
    }
}

/// A to-one by its entity and slot.
package struct SQLToOne: Sendable, Hashable {
    /// An entity that has the to-one.
    package let entity: EntityID
    /// Its slot in that entity.
    package let slot: Int

    /// Names a to-one.
    package init(entity: EntityID, slot: Int) {
        self.entity = entity
        self.slot = slot
    }
}

/// The tables that a condition may name: one of an entity, and those joined to it.
package struct SQLScope: Sendable {
    var alias: String
    var entity: EntityID
    var joins = ""
    // Alias and entity by the path of to-ones that leads there.
    var joined: [[StoredText]: (alias: String, entity: EntityID)] = [:]

    init(alias: String, entity: EntityID) {
        self.alias = alias
        self.entity = entity
    }
}
