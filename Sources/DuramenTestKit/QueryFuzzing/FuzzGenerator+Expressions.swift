import DuramenModel
import DuramenQuery

extension FuzzGenerator {
    /// An expression with one value of a family.
    mutating func expression(
        _ family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression {
        if depth <= 0 || random.oneIn(2) { return path(family, entity) }
        if random.oneIn(10) { return anyFamily(family, entity, depth - 1) }
        switch family {
        case .number: return numeric(entity, depth - 1)
        case .text: return text(entity, depth - 1)
        case .date:
            switch number(4) {
            case 0, 1:
                return .function(
                    random.pick([.add, .subtract]),
                    [expression(.date, entity, depth - 1), constant(.number)])
            case 2:
                return .cast(expression(random.pick([.text, .number]), entity, depth - 1), .date)
            default: break
            }
        case .binary where random.oneIn(4):
            return .cast(expression(.text, entity, depth - 1), .binary)
        case .uuid where random.oneIn(4):
            return .cast(expression(.text, entity, depth - 1), .uuid)
        case .object where random.oneIn(8):
            return .cast(.constant(.text("not a URI")), .objectID)
        default: break
        }
        if family != .object, random.oneIn(2), let chosen = extreme(of: family, entity, depth - 1) {
            return chosen
        }
        return path(family, entity)
    }

    /// Forms for values of any family.
    private mutating func anyFamily(
        _ family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression {
        switch number(4) {
        case 0: return .function(.noindex, [path(family, entity)])
        case 1:
            let parts = (0...number(3)).map { _ in
                random.oneIn(2) ? constant(family) : path(family, entity)
            }
            return .function(
                .element,
                [
                    .aggregate(parts),
                    random.oneIn(4) ? path(.number, entity) : .constant(.integer(Int64(number(4)))),
                ])
        case 2:
            guard let several = collection(family, entity, depth) else { break }
            return .function(
                random.pick([.first, .last]),
                [.function(random.pick([.distinct, .mode]), [several])])
        default: break
        }
        return .conditional(
            predicate(entity, 0), expression(family, entity, depth),
            random.oneIn(2) ? constant(family) : expression(family, entity, 0))
    }

    /// The smallest or greatest of several values.
    private mutating func extreme(
        of family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression? {
        let function = random.pick([FetchFunction.min, .max])
        if random.oneIn(2) {
            return .function(
                function, (0...number(2)).map { _ in expression(family, entity, depth) })
        }
        return collection(family, entity, depth).map { .function(function, [$0]) }
    }

    // MARK: - Numbers

    private mutating func numeric(_ entity: Entity, _ depth: Int) -> FetchExpression {
        func number(_ generator: inout Self) -> FetchExpression {
            generator.expression(.number, entity, depth)
        }
        switch self.number(12) {
        case 0, 1:
            return .function(
                random.pick([
                    .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
                    .bitwiseXor, .leftShift, .rightShift,
                ]), [number(&self), random.oneIn(2) ? constant(.number) : number(&self)])
        case 2:
            return .function(
                random.pick([
                    .negate, .sqrt, .log, .ln, .exp, .floor, .ceiling, .trunc, .abs,
                    .onesComplement,
                ]), [number(&self)])
        case 3: return length(entity, depth)
        case 4, 5: return aggregate(entity, depth) ?? number(&self)
        case 6:
            return .cast(
                expression(random.pick([.text, .date, .number]), entity, depth),
                random.pick([.number, .decimal]))
        case 7:
            return .function(
                random.pick([.sum, .average, .min, .max, .median, .stddev, .count]),
                (0...self.number(3)).map { _ in number(&self) })
        case 8:
            return .function(
                .subtract,
                [expression(.date, entity, depth), expression(.date, entity, depth)])
        case 9:
            let places = (0..<2).map { _ in
                FetchExpression.aggregate([
                    random.oneIn(2) ? number(&self) : constant(.number), constant(.number),
                ])
            }
            return .function(.distance, places)
        default:
            guard let (path, _) = toMany(entity) else { return number(&self) }
            return .count(keyPath: path)
        }
    }

    private mutating func length(_ entity: Entity, _ depth: Int) -> FetchExpression {
        switch number(4) {
        case 0: return .function(.length, [expression(.binary, entity, depth)])
        case 1:
            if let several = collection(random.pick(Family.allCases), entity, depth) {
                return .function(.length, [several])
            }
        case 2:
            if case .keyPath(let path) = path(.text, entity).form {
                return .keyPath(path + ["length"])
            }
        default: break
        }
        return .function(.length, [expression(.text, entity, depth)])
    }

    /// A function of all elements of a collection.
    private mutating func aggregate(_ entity: Entity, _ depth: Int) -> FetchExpression? {
        if random.oneIn(4) {
            let family = random.pick(Family.allCases)
            return collection(family, entity, depth).map { .function(.count, [$0]) }
        }
        guard let several = collection(.number, entity, depth) else { return nil }
        if random.oneIn(6) {
            return .function(.element, [.function(.mode, [several]), .constant(.integer(0))])
        }
        return .function(
            random.pick([.sum, .average, .min, .max, .median, .stddev, .count]), [several])
    }

    // MARK: - Text

    private mutating func text(_ entity: Entity, _ depth: Int) -> FetchExpression {
        switch number(4) {
        case 0, 1:
            return .function(
                random.pick([.uppercase, .lowercase, .canonical, .localized]),
                [expression(.text, entity, depth)])
        case 2:
            return .cast(
                expression(random.pick(Family.allCases), entity, depth),
                random.oneIn(4) ? .uri : .text)
        default: return extreme(of: .text, entity, depth) ?? path(.text, entity)
        }
    }

    // MARK: - Collections

    /// An expression with several values of a family; nil without a to-many.
    mutating func collection(
        _ family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression? {
        guard let plain = values(family, entity, depth) else { return nil }
        if depth <= 0 { return plain }
        switch number(8) {
        case 0: return .function(random.pick([.distinct, .mode]), [plain])
        case 1:
            let other =
                random.oneIn(2)
                ? values(family, entity, 0)
                : .aggregate((0..<number(4)).map { _ in constant(family) })
            return .function(random.pick([.union, .intersect, .minus]), [plain, other ?? plain])
        default: return plain
        }
    }

    private mutating func values(
        _ family: Family, _ entity: Entity, _ depth: Int
    ) -> FetchExpression? {
        if depth > 0, random.oneIn(4), let (subquery, destination) = subquery(entity, depth) {
            if family == .object { return subquery }
            return attribute(of: destination, in: family).map { .property(subquery, $0) }
        }
        if let last = variables.last, random.oneIn(3), let (path, end) = toMany(last.entity) {
            if family == .object { return .property(.variable(last.name), path) }
            return attribute(of: end, in: family).map { .property(.variable(last.name), path + $0) }
        }
        guard let (path, destination) = toMany(entity) else { return nil }
        if family == .object, random.oneIn(2) { return .keyPath(path) }
        return attribute(of: destination, in: family).map { .keyPath(path + $0) }
    }

    mutating func subquery(
        _ entity: Entity, _ depth: Int
    ) -> (expression: FetchExpression, destination: Entity)? {
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
        return (.subquery(collection, variable: name, condition), destination)
    }
}
