import DuramenModel
import DuramenQuery

/// Writes random predicates that fit a model, of every form that the language has.
struct FuzzPredicates {
    /// What values compare with each other.
    enum Family: CaseIterable {
        case number, text, date, binary, uuid, object
    }

    let model: ManagedObjectModel
    let objects: [ManagedObjectID]
    var random: SplitMix64
    /// The variables of the subqueries around, with the entities of what they stand for.
    private var variables: [(name: String, entity: Entity)] = []

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
        case 9, 10: return .and((0...1).map { _ in predicate(entity, depth - 1) })
        case 11, 12: return .or((0...1).map { _ in predicate(entity, depth - 1) })
        case 13, 14:
            guard let (path, destination) = toMany(entity) else { break }
            return .quantified(
                random.pick(PredicateQuantifier.allCases), keyPath: path,
                // A variable around stays what it is; the paths begin at the destination.
                predicate(destination, depth - 1))
        case 15: return .constant(random.oneIn(2))
        default: break
        }
        return .comparison(comparison(entity, depth))
    }

    private mutating func comparison(_ entity: Entity, _ depth: Int) -> PredicateComparison {
        switch number(12) {
        case 0, 1: if let quantified = quantified(entity) { return quantified }
        case 2: if let membership = membership(entity, depth) { return membership }
        case 3: return subqueryCount(entity, depth) ?? plain(entity, depth)
        default: break
        }
        return plain(entity, depth)
    }

    private mutating func plain(_ entity: Entity, _ depth: Int) -> PredicateComparison {
        let family = random.pick(Family.allCases)
        let options: PredicateComparison.Options =
            family == .text && random.oneIn(2) ? .init(rawValue: UInt8(number(4))) : []
        let left = expression(family, entity, depth)
        let relation = relation(family)
        switch relation {
        case .isIn, .between:
            let count = relation == .between ? 2 : number(4)
            let parts = (0..<count).map { _ in
                random.oneIn(4) ? expression(family, entity, 0) : constant(family)
            }
            return PredicateComparison(left, relation, .aggregate(parts), options: options)
        case .matches:
            return PredicateComparison(
                left, relation,
                .constant(.text(random.pick(["a.*", "[a-e]+", ".", "\\w*", "(a|b)?", "é|E"]))),
                options: options)
        case .like:
            return PredicateComparison(
                left, relation, .constant(.text(random.pick(["a*", "?", "*b", "\\*", "*", ""]))),
                options: options)
        default:
            let right = random.oneIn(3) ? expression(family, entity, depth - 1) : constant(family)
            return PredicateComparison(left, relation, right, options: options)
        }
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

    /// ANY, ALL or NONE before a path over a to-many.
    private mutating func quantified(_ entity: Entity) -> PredicateComparison? {
        guard let (path, destination) = toMany(entity) else { return nil }
        let family = random.pick(Family.allCases)
        guard let (end, found) = attribute(of: destination, in: family) else { return nil }
        _ = found
        var relation = relation(family)
        if [.between, .isIn, .matches, .like].contains(relation) { relation = .equal }
        return PredicateComparison(
            .keyPath(path + end), relation, constant(family),
            quantifier: random.pick(PredicateQuantifier.allCases))
    }

    /// A value among those that a path over a to-many leads to.
    private mutating func membership(_ entity: Entity, _ depth: Int) -> PredicateComparison? {
        guard let (path, destination) = toMany(entity) else { return nil }
        let family = random.pick(Family.allCases)
        guard let (end, _) = attribute(of: destination, in: family) else { return nil }
        let one = random.oneIn(2) ? constant(family) : expression(family, entity, 0)
        return random.oneIn(2)
            ? PredicateComparison(one, .isIn, .keyPath(path + end))
            : PredicateComparison(.keyPath(path + end), .contains, one)
    }

    private mutating func subqueryCount(
        _ entity: Entity, _ depth: Int
    ) -> PredicateComparison? {
        guard let subquery = subquery(entity, depth) else { return nil }
        return PredicateComparison(
            .function(.count, [subquery]),
            random.pick([.equal, .greater, .notEqual, .lessOrEqual]),
            .constant(.integer(Int64(number(4)))))
    }

    private mutating func subquery(_ entity: Entity, _ depth: Int) -> FetchExpression? {
        guard variables.count < 2 else { return nil }
        let collection: FetchExpression
        let destination: Entity
        if let last = variables.last, random.oneIn(2), let (path, end) = toMany(last.entity) {
            (collection, destination) = (.property(.variable(last.name), path), end)
        } else {
            guard let (path, end) = toMany(entity) else { return nil }
            (collection, destination) = (.keyPath(path), end)
        }
        let name = "x\(variables.count)"
        variables.append((name, destination))
        let condition = predicate(entity, min(depth - 1, 1))
        variables.removeLast()
        return .subquery(collection, variable: name, condition)
    }

    // MARK: - Paths

    /// An attribute, or a to-one for objects, perhaps behind to-ones.
    private mutating func attribute(
        of start: Entity, in family: Family
    ) -> (path: [String], entity: Entity?)? {
        var (path, entity): ([String], Entity) = ([], start)
        while random.oneIn(3), let step = toOne(entity) {
            path.append(step.name)
            entity = model[step.destination]
        }
        if family == .object {
            guard let step = toOne(entity) else { return nil }
            return (path + [step.name], model[step.destination])
        }
        let fitting = entity.attributes.filter { Family($0.kind) == family }
        return fitting.isEmpty ? nil : (path + [random.pick(fitting).name], nil)
    }

    private mutating func toOne(_ entity: Entity) -> Relationship? {
        let all = entity.relationships.filter { !$0.isToMany && !$0.isHidden }
        return all.isEmpty ? nil : random.pick(all)
    }

    /// A to-many, perhaps behind other relationships.
    private mutating func toMany(_ start: Entity) -> (path: [String], entity: Entity)? {
        var (path, entity): ([String], Entity) = ([], start)
        while random.oneIn(4) {
            let all = entity.relationships.filter { !$0.isHidden }
            if all.isEmpty { break }
            let step = random.pick(all)
            path.append(step.name)
            entity = model[step.destination]
        }
        let all = entity.toManyRelationships.filter { !$0.isHidden }
        if all.isEmpty { return nil }
        let step = random.pick(all)
        return (path + [step.name], model[step.destination])
    }

    // MARK: - Expressions

    mutating func constant(_ family: Family) -> FetchExpression {
        if random.oneIn(8) { return .constant(.null) }
        switch family {
        case .number:
            let kind = random.pick([SlotKind.integer, .integer, .double, .decimal, .boolean])
            return .constant(FuzzValues.constant(ofKind: kind, &random))
        case .text: return .constant(FuzzValues.constant(ofKind: .text, &random))
        case .date: return .constant(FuzzValues.constant(ofKind: .date, &random))
        case .binary: return .constant(FuzzValues.constant(ofKind: .binary, &random))
        case .uuid: return .constant(FuzzValues.constant(ofKind: .uuid, &random))
        case .object: return .constant(.objectID(random.pick(objects)))
        }
    }

    /// An expression that gives one value of a family.
    mutating func expression(
        _ family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression {
        if depth <= 0 || random.oneIn(2) { return path(family, entity) }
        switch family {
        case .number: return numeric(entity, depth - 1)
        case .text: return text(entity, depth - 1)
        case .date where random.oneIn(2):
            return .function(
                random.pick([.add, .subtract]),
                [expression(.date, entity, depth - 1), constant(.number)])
        case .object: return path(family, entity)
        default:
            if random.oneIn(3) {
                return .conditional(
                    predicate(entity, 0), expression(family, entity, depth - 1), constant(family))
            }
            return path(family, entity)
        }
    }

    private mutating func path(_ family: Family, _ entity: Entity) -> FetchExpression {
        if let last = variables.last, !random.oneIn(3) {
            if family == .object, random.oneIn(2) { return .variable(last.name) }
            if let (path, _) = attribute(of: last.entity, in: family) {
                return .property(.variable(last.name), path)
            }
        }
        if family == .object, random.oneIn(2) { return .selfObject }
        if family == .text, random.oneIn(12) { return .keyPath(["entity"]) }
        return attribute(of: entity, in: family).map { .keyPath($0.path) } ?? constant(family)
    }

    private mutating func numeric(_ entity: Entity, _ depth: Int) -> FetchExpression {
        func number(_ generator: inout Self) -> FetchExpression {
            generator.expression(.number, entity, depth)
        }
        switch self.number(9) {
        case 0:
            return .function(
                random.pick([
                    .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
                    .bitwiseXor, .leftShift, .rightShift,
                ]), [number(&self), random.oneIn(2) ? constant(.number) : number(&self)])
        case 1:
            return .function(
                random.pick([
                    .negate, .sqrt, .log, .ln, .exp, .floor, .ceiling, .trunc, .abs,
                    .onesComplement,
                ]), [number(&self)])
        case 2: return .function(.length, [expression(.text, entity, depth)])
        case 3, 4: return aggregate(entity) ?? number(&self)
        case 5:
            return .conditional(predicate(entity, 0), number(&self), constant(.number))
        case 6: return .cast(expression(random.pick([.text, .date]), entity, depth), .number)
        case 7:
            return .function(
                random.pick([.sum, .average, .min, .max, .median, .stddev, .count]),
                (0...self.number(3)).map { _ in number(&self) })
        default:
            guard let (path, _) = toMany(entity) else { return number(&self) }
            return .count(keyPath: path)
        }
    }

    /// A function of all that a path over a to-many leads to.
    private mutating func aggregate(_ entity: Entity) -> FetchExpression? {
        guard let (path, destination) = toMany(entity),
            let (end, _) = attribute(of: destination, in: .number)
        else { return nil }
        var collection = FetchExpression.keyPath(path + end)
        switch number(6) {
        case 0: collection = .function(.distinct, [collection])
        case 1:
            collection = .function(
                random.pick([.union, .intersect, .minus]),
                [collection, .list([.integer(1), .integer(2), .double(0.5)])])
        case 2:
            return .function(.element, [.function(.mode, [collection]), .constant(.integer(0))])
        default: break
        }
        return .function(
            random.pick([.sum, .average, .min, .max, .median, .stddev, .count]), [collection])
    }

    private mutating func text(_ entity: Entity, _ depth: Int) -> FetchExpression {
        switch number(4) {
        case 0:
            return .function(
                random.pick([.uppercase, .lowercase, .canonical]),
                [expression(.text, entity, depth)])
        case 1:
            return .cast(
                expression(random.pick([.number, .date, .uuid, .binary]), entity, depth), .text)
        case 2:
            return .conditional(
                predicate(entity, 0), expression(.text, entity, depth), constant(.text))
        default: return path(.text, entity)
        }
    }
}

extension FuzzPredicates.Family {
    fileprivate init?(_ kind: SlotKind) {
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
