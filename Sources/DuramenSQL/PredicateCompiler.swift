package import DuramenModel
package import DuramenQuery

/// Compiles a predicate to SQL with exactly the evaluator's results, or rejects the predicate.
///
/// A condition has two forms. If it is not negated, null may stand for false, which allows plain
/// comparisons that use an index. Below a `not`, every comparison is made never null (`strict`).
package struct PredicateCompiler<Mapping: SQLMapping, Dialect: SQLDialect> {
    let mapping: Mapping
    let dialect: Dialect
    /// The values of the placeholders, in order.
    package private(set) var parameters: [SQLParameter] = []
    /// The type of each of ``parameters``.
    package private(set) var types: [SQLParameterType] = []
    /// The source of each of ``parameters`` among the values that ``PredicateShape`` counts; nil
    /// for a fixed value.
    package private(set) var sources: [ParameterSource?] = []
    /// The values, as ``PredicateShape`` counts them, for which alone the text is valid.
    package private(set) var fixedValues: [Int] = []
    /// The values, as ``PredicateShape`` counts them, that the text assumes to equal the next
    /// value.
    package internal(set) var equalValues: [Int] = []
    /// The to-ones whose columns the conditions compare, or follow from the destination: an index
    /// makes them faster.
    package internal(set) var comparedToOnes: [SQLToOne] = []
    /// The joins for the top-level conditions, after the first table `t0`.
    package var joins: String { root.joins }

    /// Whether a condition was compiled whose types were not checked yet.
    package private(set) var isUnchecked = false

    var root: SQLScope
    /// The tables of the variables of the enclosing subqueries.
    var variables: [String: SQLScope] = [:]
    private var aliasCount = 0
    /// The number of exchangeable values so far; nil inside an expression, which has none.
    var nextValue: Int? = 0
    /// The first exchangeable value of the comparison that is being compiled.
    var currentValue: Int?
    /// Whether the text of the comparison that is being compiled depends on its values.
    var isFixed = false
    private var depth = 0
    private var deepestSeen = 0

    /// Deeper predicates are left to the evaluator, so that no engine's parser reaches its limit.
    private static var deepest: Int { 48 }
    /// Shallower predicates without expressions need no check of the text.
    private static var surelyShallow: Int { 3 }

    /// Starts a statement on an entity's table, named `t0`.
    package init(mapping: Mapping, dialect: Dialect, entity: EntityID) {
        self.mapping = mapping
        self.dialect = dialect
        root = SQLScope(alias: "t0", entity: entity)
    }

    /// Returns the condition in SQL; nil if its results might differ from the evaluator's.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - isAccepted: Whether each part was compiled before, so that the whole is not too deep.
    package mutating func compile(
        _ predicate: FetchPredicate, isAccepted: Bool = false
    ) -> String? {
        let count = parameters.count
        var scope = root
        if let text = condition(predicate, &scope, strict: false),
            parameters.count <= dialect.maximumParameters,
            isAccepted || deepestSeen <= Self.surelyShallow && !isUnchecked
                || dialect.fits(text)
        {
            root = scope
            return text
        }
        forgetParameters(after: count)
        return nil
    }

    private mutating func forgetParameters(after count: Int) {
        parameters.removeLast(parameters.count - count)
        types.removeLast(types.count - count)
        sources.removeLast(sources.count - count)
    }

    /// Tries one way to compile an expression. On failure, removes its parameters and joins.
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
        case .constant(let value): return dialect.truth(value)
        case .not(let inner):
            return condition(inner, &scope, strict: true).map { "(NOT \($0))" }
        case .and(let parts):
            if !strict, let text = position(parts, &scope) { return text }
            return list(parts, &scope, strict, "AND", empty: true)
        case .or(let parts): return list(parts, &scope, strict, "OR", empty: false)
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
        isFixed = false
        if comparison.quantifier == nil,
            let text = attempt(&scope, { $0.plain(comparison, &$1, strict) })
        {
            if let first, isFixed || sources[count...].contains(nil) {
                fixedValues += first..<first + values
            }
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
        empty: Bool
    ) -> String? {
        if parts.isEmpty { return dialect.truth(empty) }
        var texts: [String] = []
        texts.reserveCapacity(parts.count)
        for part in parts {
            guard let text = condition(part, &scope, strict: strict) else { return nil }
            texts.append(text)
        }
        return Self.balanced(texts[...], word)
    }

    /// Joins halves recursively, so that a long list makes a shallow tree.
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

    /// The placeholder of a fixed value.
    mutating func placeholder(_ value: SQLParameter, _ type: SQLParameterType) -> String {
        append(value, type, from: nil)
    }

    /// The placeholder of a value of the current comparison; nil if the value does not have the
    /// form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - form: The form of the parameter.
    ///   - place: The index of the value in the comparison.
    mutating func placeholder(
        _ value: StoredValue, _ form: ParameterForm, at place: Int = 0
    ) -> String? {
        guard let parameter = form.parameter(of: value) else { return nil }
        return append(
            parameter, form.type, from: currentValue.map { ParameterSource($0 + place, form) })
    }

    /// The placeholder of the key of the compared object.
    mutating func placeholder(keyOf id: ManagedObjectID) -> String {
        append(.integer(id.key), .bigint, from: currentValue.map { ParameterSource($0, .key) })
    }

    /// The form of a value that is compared with a column.
    func form(of kind: SlotKind) -> ParameterForm {
        dialect.isTyped ? .typed(kind) : .column(kind)
    }

    /// `column IN (…)`: one array, or a list whose length is a power of two, so that few lengths
    /// occur. Nil for too many values.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - values: The values, at least one.
    ///   - type: The type of the values.
    ///   - filler: The value with which a list is filled up.
    mutating func member(
        _ column: String, _ values: [SQLParameter], _ type: SQLParameterType, filler: SQLParameter
    ) -> String? {
        if dialect.hasArrays {
            return dialect.member(column, placeholder(.list(values), .list(type)))
        }
        if values.count > dialect.maximumParameters / 2 { return nil }
        var size = 1
        while size < values.count { size *= 2 }
        var marks: [String] = []
        for place in 0..<size {
            marks.append(placeholder(place < values.count ? values[place] : filler, type))
        }
        return dialect.member(column, marks.joined(separator: ","))
    }

    private mutating func append(
        _ parameter: SQLParameter, _ type: SQLParameterType, from source: ParameterSource?
    ) -> String {
        parameters.append(parameter)
        types.append(type)
        sources.append(source)
        return dialect.placeholder(parameters.count, type)
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

    /// Creates a to-one.
    package init(entity: EntityID, slot: Int) {
        self.entity = entity
        self.slot = slot
    }
}

/// The tables that a condition may use: one of an entity, and those joined to it.
package struct SQLScope: Sendable {
    var alias: String
    var entity: EntityID
    var joins = ""
    // Alias and entity by path of to-ones.
    var joined: [[StoredText]: (alias: String, entity: EntityID)] = [:]

    init(alias: String, entity: EntityID) {
        self.alias = alias
        self.entity = entity
    }
}
