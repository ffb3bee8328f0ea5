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
    /// The to-ones whose columns the conditions compare or follow backwards: an index speeds them up.
    package internal(set) var comparedToOnes: [SQLToOne] = []
    /// The joins that the conditions at the top need, to stand behind the first table `t0`.
    package var joins: String { root.joins }

    /// Whether a condition was compiled whose types nobody has checked yet.
    package private(set) var isUnchecked = false

    var root: SQLScope
    /// The tables of what the variables of the subqueries around stand for.
    var variables: [String: SQLScope] = [:]
    private var aliasCount = 0
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
    /// - Parameter isAccepted: Whether each part was compiled before, so that the whole is not too deep.
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
        parameters.removeLast(parameters.count - count)
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
        switch predicate {
        case .constant(let value): return value ? "1" : "0"
        case .not(let inner):
            return condition(inner, &scope, strict: true).map { "(NOT \($0))" }
        case .and(let parts): return list(parts, &scope, strict, "AND", empty: "1")
        case .or(let parts): return list(parts, &scope, strict, "OR", empty: "0")
        case .comparison(let comparison):
            let outer = scope
            let count = parameters.count
            if comparison.quantifier == nil, let text = plain(comparison, &scope, strict) {
                return text
            }
            // What was tried must leave no parameters and no joins behind.
            parameters.removeLast(parameters.count - count)
            scope = outer
            isUnchecked = true
            return general(comparison, &scope)
        case .quantified(let quantifier, let path, let inner):
            return quantified(quantifier, path, inner, &scope)
        }
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

    mutating func placeholder(_ value: SQLParameter) -> String {
        parameters.append(value)
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
    var joined: [[String]: (alias: String, entity: EntityID)] = [:]

    init(alias: String, entity: EntityID) {
        self.alias = alias
        self.entity = entity
    }
}
