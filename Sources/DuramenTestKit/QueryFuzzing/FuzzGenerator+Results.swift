import DuramenModel
import DuramenQuery

extension FuzzGenerator {
    private typealias Column = (column: ResultColumn, family: Family)

    /// A question whose answer is a table.
    mutating func resultQuery(_ entity: Entity) -> ResultQuery {
        var query = ResultQuery(
            entity: entity.id, includesSubentities: number(4) != 0,
            predicate: random.oneIn(2) ? nil : predicate(entity, 1), columns: [])
        let columns: [Column]
        if random.oneIn(3) {
            columns = (0...number(3)).map { rowColumn("c\($0)", entity) }
        } else {
            let groups = groups(entity)
            query.groupBy = groups.map(\.path)
            columns = (0...number(3)).map { groupColumn("c\($0)", entity, groups) }
            if random.oneIn(2) { query.having = having(columns, entity, groups) }
        }
        query.columns = columns.map(\.column)
        query.isDistinct = random.oneIn(3)
        if random.oneIn(2) {
            query.sortDescriptors = columns.filter { $0.family != .object && random.oneIn(2) }
                .map { sortDescriptor($0.column.name, $0.family) }
            // Rows can be ordered by any attribute; for groups it is refused.
            if random.oneIn(4), !query.isDistinct {
                query.sortDescriptors += sortDescriptors(entity)
            }
        }
        if random.oneIn(4) { query.offset = number(4) }
        if random.oneIn(4) { query.limit = number(8) }
        return query
    }

    // MARK: - Columns

    private mutating func rowColumn(_ name: String, _ entity: Entity) -> Column {
        let family = random.pick(Family.allCases)
        if random.oneIn(2), let path = attribute(of: entity, in: family) {
            return (ResultColumn(name, .keyPath(path)), family)
        }
        return (ResultColumn(name, expression(family, entity, 2)), family)
    }

    private mutating func groups(_ entity: Entity) -> [(path: [String], family: Family)] {
        var groups: [(path: [String], family: Family)] = []
        for _ in 0..<number(3) {
            let family = random.pick(Family.allCases)
            if let path = attribute(of: entity, in: family),
                !groups.contains(where: { $0.path == path })
            {
                groups.append((path, family))
            }
        }
        return groups
    }

    private mutating func groupColumn(
        _ name: String, _ entity: Entity, _ groups: [(path: [String], family: Family)]
    ) -> Column {
        if !groups.isEmpty, random.oneIn(3) {
            let group = random.pick(groups)
            return (ResultColumn(name, .keyPath(group.path)), group.family)
        }
        let (expression, family) = ofGroup(entity, groups)
        return (ResultColumn(name, expression), family)
    }

    /// An expression on the values of a group.
    private mutating func ofGroup(
        _ entity: Entity, _ groups: [(path: [String], family: Family)]
    ) -> (expression: FetchExpression, family: Family) {
        switch number(10) {
        case 0:
            return (
                .function(
                    random.pick([.add, .subtract, .multiply, .divide]),
                    [aggregate(entity).expression, constant(.number)]), .number
            )
        case 1:
            let (first, family) = aggregate(entity)
            return (
                .conditional(
                    .comparison(
                        PredicateComparison(
                            .function(.count, [.selfObject]), .greater,
                            .constant(.integer(Int64(number(4)))))),
                    first, constant(family)), family
            )
        case 2:
            let family = random.pick(Family.allCases)
            return (constant(family), family)
        case 3:
            return (.cast(aggregate(entity).expression, .text), .text)
        case 4:
            // The mode and the distinct values need functions of their own.
            let family = random.pick(Family.allCases.filter { $0 != .object })
            let several = FetchExpression.function(
                random.pick([.mode, .distinct]), [operand(family, entity)])
            return random.oneIn(2)
                ? (.function(.count, [several]), .number)
                : (.function(random.pick([.first, .last]), [several]), family)
        default: return aggregate(entity)
        }
    }

    private mutating func aggregate(
        _ entity: Entity
    ) -> (expression: FetchExpression, family: Family) {
        switch number(6) {
        case 0: return (.function(.count, [.selfObject]), .number)
        case 1:
            let family = random.pick(Family.allCases)
            return (.function(.count, [operand(family, entity)]), .number)
        case 2, 3:
            let family = random.pick(Family.allCases.filter { $0 != .object })
            return (.function(random.pick([.min, .max]), [operand(family, entity)]), family)
        default:
            return (
                .function(
                    random.pick([.sum, .average, .median, .stddev]), [operand(.number, entity)]),
                .number
            )
        }
    }

    private mutating func operand(_ family: Family, _ entity: Entity) -> FetchExpression {
        random.oneIn(2)
            ? attribute(of: entity, in: family).map { .keyPath($0) }
                ?? expression(family, entity, 1)
            : expression(family, entity, 2)
    }

    // MARK: - Conditions

    /// A condition that uses columns as variables or key paths, or computes values itself.
    private mutating func having(
        _ columns: [Column], _ entity: Entity, _ groups: [(path: [String], family: Family)]
    ) -> FetchPredicate {
        let left: (expression: FetchExpression, family: Family)
        let column = random.pick(columns)
        switch number(4) {
        case 0: left = (.variable(column.column.name), column.family)
        case 1: left = (.keyPath([column.column.name]), column.family)
        case 2 where !groups.isEmpty:
            let group = random.pick(groups)
            left = (.keyPath(group.path), group.family)
        default: left = ofGroup(entity, groups)
        }
        let relation = random.pick(
            left.family == .object
                ? [PredicateComparison.Operator.equal, .notEqual]
                : [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
        let right =
            left.family == .number && random.oneIn(2)
            ? FetchExpression.constant(.integer(Int64(number(4)))) : constant(left.family)
        let condition = FetchPredicate.comparison(
            PredicateComparison(left.expression, relation, right))
        if random.oneIn(6) { return .not(condition) }
        return random.oneIn(4)
            ? .or([condition, having(columns, entity, groups)]) : condition
    }
}
