import DuramenModel
import DuramenQuery

/// Generates random predicates that fit a model, with all forms of the language.
struct FuzzGenerator {
    /// A family of types whose values can be compared.
    enum Family: CaseIterable {
        case number, text, date, binary, uuid, object
    }

    let model: ManagedObjectModel
    let objects: [ManagedObjectID]
    var random: SplitMix64
    /// The variables of the enclosing subqueries, with the entities of their objects.
    var variables: [(name: String, entity: Entity)] = []

    init(_ model: ManagedObjectModel, objects: [ManagedObjectID], _ random: SplitMix64) {
        self.model = model
        self.objects = objects
        self.random = random
    }

    mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    // MARK: - Predicates

    mutating func predicate(_ entity: Entity, _ depth: Int) -> FetchPredicate {
        switch number(depth > 0 ? 16 : 8) {
        case 8: return .not(predicate(entity, depth - 1))
        case 9, 10: return .and(predicates(entity, depth - 1))
        case 11, 12: return .or(predicates(entity, depth - 1))
        case 13, 14:
            guard let (path, destination) = toMany(entity) else { break }
            return .quantified(
                random.pick(PredicateQuantifier.allCases), keyPath: path,
                // Paths start at the destination, but enclosing variables do not change.
                predicate(destination, depth - 1))
        case 15 where random.oneIn(2): return .constant(random.oneIn(2))
        default: break
        }
        return .comparison(comparison(entity, depth))
    }

    private mutating func predicates(_ entity: Entity, _ depth: Int) -> [FetchPredicate] {
        let count = random.oneIn(6) ? 3 : 2
        return (0..<count).map { _ in predicate(entity, depth) }
    }

    private mutating func comparison(_ entity: Entity, _ depth: Int) -> PredicateComparison {
        switch number(16) {
        case 0, 1: if let quantified = quantified(entity, depth) { return quantified }
        case 2, 3: if let membership = membership(entity, depth) { return membership }
        case 4: if let counted = subqueryCount(entity, depth) { return counted }
        case 5: if let odd = odd(entity, depth) { return odd }
        default: break
        }
        return plain(entity, depth)
    }

    private mutating func plain(_ entity: Entity, _ depth: Int) -> PredicateComparison {
        let family = random.pick(Family.allCases)
        if family == .object, random.oneIn(6) {
            // The only order that objects have.
            return PredicateComparison(
                .selfObject, random.pick([.less, .lessOrEqual, .greater, .greaterOrEqual]),
                .constant(.objectID(random.pick(objects))))
        }
        let left = expression(family, entity, depth)
        let relation = relation(family)
        let options = options(family)
        switch relation {
        case .isIn where family == .text && random.oneIn(4):
            return PredicateComparison(
                left, relation, expression(.text, entity, depth - 1), options: options)
        case .isIn, .between:
            return PredicateComparison(
                left, relation, list(family, entity, isPair: relation == .between),
                options: options)
        case .matches:
            return PredicateComparison(
                left, relation, .constant(.text(random.pick(Self.patterns))), options: options)
        case .like where random.oneIn(2):
            return PredicateComparison(
                left, relation, .constant(.text(random.pick(Self.wildcards))), options: options)
        default:
            let right = random.oneIn(3) ? expression(family, entity, depth - 1) : constant(family)
            return random.oneIn(12) && relation != .like
                ? PredicateComparison(right, relation, left, options: options)
                : PredicateComparison(left, relation, right, options: options)
        }
    }

    private static let patterns: [StoredText] = [
        "a.*", "[a-e]+", ".", "\\w*", "(a|b)?", "é|E", "", "[^a]*", "\\d+", "a.b", ".{2,3}",
        "e\u{301}", "\\p{L}*",
    ]

    private static let wildcards: [StoredText] = [
        "a*", "?", "*b", "\\*", "*", "", "??", "*?b*", "a\\?b", "é", "*\u{301}", "\\",
    ]

    private mutating func options(_ family: Family) -> PredicateComparison.Options {
        if family != .text || random.oneIn(2) { return [] }
        // Mostly [c] and [d].
        return .init(rawValue: UInt8(random.oneIn(6) ? number(32) : number(4)))
    }

    private mutating func list(
        _ family: Family, _ entity: Entity, isPair: Bool
    ) -> FetchExpression {
        let count = isPair ? 2 : number(random.oneIn(8) ? 30 : 5)
        if random.oneIn(2) {
            return .list(
                (0..<count).map { _ in
                    if case .constant(let value) = constant(family).form { value } else { .null }
                })
        }
        return .aggregate(
            (0..<count).map { _ in
                random.oneIn(4) ? expression(family, entity, 0) : constant(family)
            })
    }

    private mutating func relation(_ family: Family) -> PredicateComparison.Operator {
        switch family {
        case .object: random.pick([.equal, .notEqual, .isIn])
        case .text: random.pick(PredicateComparison.Operator.allCases)
        default:
            random.pick([
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .isIn,
            ])
        }
    }

    /// ANY, ALL or NONE before several values.
    private mutating func quantified(_ entity: Entity, _ depth: Int) -> PredicateComparison? {
        let family = random.pick(Family.allCases)
        guard let left = collection(family, entity, random.oneIn(4) ? depth : 0) else {
            return nil
        }
        let relation = relation(family)
        let quantifier = random.pick(PredicateQuantifier.allCases)
        let right: FetchExpression
        switch relation {
        case .isIn where random.oneIn(3):
            right = collection(family, entity, 0) ?? list(family, entity, isPair: false)
        case .isIn, .between: right = list(family, entity, isPair: relation == .between)
        case .matches: right = .constant(.text(random.pick(Self.patterns)))
        default: right = random.oneIn(4) ? expression(family, entity, 0) : constant(family)
        }
        return PredicateComparison(
            left, relation, right, options: options(family), quantifier: quantifier)
    }

    /// A test that a collection contains a value.
    private mutating func membership(_ entity: Entity, _ depth: Int) -> PredicateComparison? {
        let family = random.pick(Family.allCases)
        guard let several = collection(family, entity, depth) else { return nil }
        let one = random.oneIn(2) ? constant(family) : expression(family, entity, 0)
        let options = random.oneIn(4) ? options(family) : []
        return random.oneIn(2)
            ? PredicateComparison(one, .isIn, several, options: options)
            : PredicateComparison(several, .contains, one, options: options)
    }

    private mutating func subqueryCount(
        _ entity: Entity, _ depth: Int
    ) -> PredicateComparison? {
        guard let (subquery, _) = subquery(entity, depth) else { return nil }
        return PredicateComparison(
            .function(.count, [subquery]),
            random.pick([.equal, .greater, .notEqual, .lessOrEqual]),
            .constant(.integer(Int64(number(4)))))
    }

    /// Rare forms.
    private mutating func odd(_ entity: Entity, _ depth: Int) -> PredicateComparison? {
        let anyOrder = random.pick([PredicateComparison.Operator.equal, .less, .greaterOrEqual])
        switch number(8) {
        case 0:
            let family = random.pick(Family.allCases)
            return PredicateComparison(
                .anyKey, random.oneIn(2) ? .equal : relation(family), constant(family),
                options: random.oneIn(4) ? options(family) : [])
        case 1:
            // The current time differs between the stores, but it is between the tested dates for
            // all.
            return PredicateComparison(.function(.now, []), anyOrder, constant(.date))
        case 2:
            return PredicateComparison(
                .function(.random, []), anyOrder,
                .constant(random.pick([.integer(-1), .integer(1), .double(-0.5), .integer(2)])))
        case 3:
            return PredicateComparison(
                .function(.randomn, [.constant(random.pick([.integer(1), .integer(0), .null]))]),
                anyOrder, .constant(.integer(0)))
        case 4:
            let family = random.pick(Family.allCases.filter { $0 != .object })
            let name = "v\(number(2))"
            let value = expression(family, entity, depth - 1)
            return PredicateComparison(.assignment(name, value), relation(.number), .variable(name))
        case 5:
            let composites = entity.composites
            if composites.isEmpty { return nil }
            return PredicateComparison(
                .keyPath(random.pick(composites).name.split(separator: ".").map(String.init)),
                random.oneIn(2) ? .equal : .notEqual, .constant(.null))
        case 6:
            guard let attribute = entity.attributes.first(where: { $0.kind == .transformable })
            else { return nil }
            return PredicateComparison(
                .keyPath([attribute.name]), random.oneIn(2) ? .equal : .notEqual, .constant(.null))
        default:
            // Mostly refused: values of different kinds.
            return PredicateComparison(
                expression(random.pick(Family.allCases), entity, 1), anyOrder,
                expression(random.pick(Family.allCases), entity, 1))
        }
    }

    // MARK: - Constants

    mutating func constant(_ family: Family) -> FetchExpression {
        if random.oneIn(8) { return .constant(.null) }
        let kind: SlotKind
        switch family {
        case .number:
            kind = random.pick([.integer, .integer, .double, .decimal, .boolean])
        case .text: kind = random.oneIn(12) ? .uri : .text
        case .date: kind = .date
        case .binary: kind = .binary
        case .uuid: kind = .uuid
        case .object: return .constant(.objectID(random.pick(objects)))
        }
        return .constant(FuzzValues.constant(ofKind: kind, &random))
    }
}

extension FuzzGenerator.Family {
    init?(_ kind: SlotKind) {
        switch kind {
        case .integer, .boolean, .double, .float, .decimal: self = .number
        case .text, .uri: self = .text
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .reference, .referenceEntity, .transformable: return nil
        }
    }
}
