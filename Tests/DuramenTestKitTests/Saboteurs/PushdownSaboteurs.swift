import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let pushdownSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.pushdown, HidesNullsFromNotEqual.self),
        SaboteurEntry(.pushdown, HidesNullsFromNot.self),
        SaboteurEntry(.pushdown, ExcludesTheEndsOfBetween.self),
        SaboteurEntry(.pushdown, FindsNullInLists.self),
        SaboteurEntry(.pushdown, CutsLongLists.self),
        SaboteurEntry(.pushdown, DisregardsCaseAlways.self),
        SaboteurEntry(.pushdown, DisregardsNothing.self),
        SaboteurEntry(.pushdown, EndsSearchedTextsAtNUL.self),
        SaboteurEntry(.pushdown, FindsNothingByIdentity.self),
        SaboteurEntry(.pushdown, ComparesReferencesByKey.self),
        SaboteurEntry(.pushdown, JoinsInward.self),
        SaboteurEntry(.pushdown, FindsNoneOfNothing.self),
        SaboteurEntry(.pushdown, CountsToOne.self),
        SaboteurEntry(.pushdown, TakesAnyForMember.self),
        SaboteurEntry(.pushdown, PutsNullsLast.self),
        SaboteurEntry(.pushdown, BreaksTiesBackwards.self),
        SaboteurEntry(.pushdown, CutsTheWindowFirst.self),
        SaboteurEntry(.pushdown, SortsByTheFirstKeyOnly.self),
        SaboteurEntry(.pushdown, SortsTextsByBytesOnly.self),
        SaboteurEntry(.pushdown, NeverFindsSubentities.self),
        SaboteurEntry(.pushdown, AnswersWrongQueriesWithNothing.self),
        SaboteurEntry(.pushdown, AnswersWhatItPrepared.self),
    ]
}

/// Claims to answer every query itself, and answers another one.
class PushdownSaboteur: Saboteur, @unchecked Sendable {
    /// The query that is answered instead.
    func answered(_ query: StoreQuery) -> StoreQuery {
        var query = query
        query.predicate = query.predicate.map(predicate)
        return query
    }

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.rewritten(comparison)
    }

    func comparison(_ comparison: PredicateComparison) -> FetchPredicate { .comparison(comparison) }

    func rows(_ query: StoreQuery, _ snapshot: any StoreSnapshot) throws(StoreError) -> [Row] {
        try QueryExecution(answered(query), on: base, in: snapshot).rows()
    }

    override func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in true }, acceptsOrder: { _ in true })
    }

    override var hooks: SnapshotHooks {
        SnapshotHooks(
            cursor: { [self] (base, query) throws(StoreError) in
                ListCursor(try rows(query, base), model)
            },
            count: { [self] (base, query) throws(StoreError) in try rows(query, base).count },
            objectIDs: { [self] (base, query) throws(StoreError) in
                try rows(query, base).map { $0.objectID(in: model, store: handle) }
            })
    }
}

extension FetchPredicate {
    /// The same with every comparison replaced.
    func rewritten(_ change: (PredicateComparison) -> FetchPredicate) -> FetchPredicate {
        switch form {
        case .constant: self
        case .comparison(let comparison): change(comparison)
        case .quantified(let quantifier, let path, let part):
            .quantified(quantifier, keyPath: path, part.rewritten(change))
        case .not(let part): .not(part.rewritten(change))
        case .and(let parts): .and(parts.map { $0.rewritten(change) })
        case .or(let parts): .or(parts.map { $0.rewritten(change) })
        }
    }

    /// The same with every quantified part replaced.
    func requantified(
        _ change: (PredicateQuantifier, [String], FetchPredicate) -> FetchPredicate
    ) -> FetchPredicate {
        switch form {
        case .constant, .comparison: self
        case .quantified(let quantifier, let path, let part):
            change(quantifier, path, part.requantified(change))
        case .not(let part): .not(part.requantified(change))
        case .and(let parts): .and(parts.map { $0.requantified(change) })
        case .or(let parts): .or(parts.map { $0.requantified(change) })
        }
    }
}

extension PredicateComparison {
    /// The relation of the left side to null.
    func left(_ relation: Operator) -> FetchPredicate {
        .comparison(PredicateComparison(left, relation, .constant(.null)))
    }

    /// Whether the left side is an attribute or to-one.
    var hasPath: Bool {
        guard case .keyPath = left.form else { return false }
        if case .constant(.objectID) = right.form, `operator` == .contains { return false }
        return true
    }
}

final class HidesNullsFromNotEqual: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard comparison.operator == .notEqual, comparison.hasPath,
            comparison.right != .constant(.null)
        else { return .comparison(comparison) }
        return .and([.comparison(comparison), comparison.left(.notEqual)])
    }
}

final class HidesNullsFromNot: PushdownSaboteur, @unchecked Sendable {
    override func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        guard case .not(let inner) = predicate.form,
            case .comparison(let comparison) = inner.form, comparison.hasPath
        else {
            switch predicate.form {
            case .and(let parts): return .and(parts.map(self.predicate))
            case .or(let parts): return .or(parts.map(self.predicate))
            default: return predicate
            }
        }
        return .and([predicate, comparison.left(.notEqual)])
    }
}

final class ExcludesTheEndsOfBetween: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard comparison.operator == .between, case .list(let ends) = comparison.right.form else {
            return .comparison(comparison)
        }
        return .and(
            [.comparison(comparison)]
                + ends.map {
                    .comparison(
                        PredicateComparison(
                            comparison.left, .notEqual, .constant($0), options: comparison.options))
                })
    }
}

final class FindsNullInLists: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard comparison.operator == .isIn, comparison.hasPath,
            case .list(let values) = comparison.right.form,
            values.contains(.null)
        else { return .comparison(comparison) }
        return .or([.comparison(comparison), comparison.left(.equal)])
    }
}

final class CutsLongLists: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard case .list(let values) = comparison.right.form, values.count > 20 else {
            return .comparison(comparison)
        }
        var comparison = comparison
        comparison.right = .list(Array(values.prefix(20)))
        return .comparison(comparison)
    }
}

final class DisregardsCaseAlways: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard case .constant(.text) = comparison.right.form else { return .comparison(comparison) }
        var comparison = comparison
        comparison.options.insert(.caseInsensitive)
        return .comparison(comparison)
    }
}

final class DisregardsNothing: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        var comparison = comparison
        comparison.options = []
        return .comparison(comparison)
    }
}

final class EndsSearchedTextsAtNUL: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard case .constant(.text(let text)) = comparison.right.form else {
            return .comparison(comparison)
        }
        var comparison = comparison
        comparison.right = .constant(
            .text(StoredText(String(text.string.prefix { $0 != "\u{0}" }))))
        return .comparison(comparison)
    }
}

final class FindsNothingByIdentity: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        comparison.left == .selfObject ? .constant(false) : .comparison(comparison)
    }
}

final class ComparesReferencesByKey: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard case .constant(.objectID(let id)) = comparison.right.form, comparison.hasPath,
            comparison.left != .selfObject, let entity = model.entity(of: id)
        else { return .comparison(comparison) }
        let ids = model[entity.root].family.map {
            StoredValue.objectID(
                ManagedObjectID(store: id.store, entity: model[$0].handle, key: id.key))
        }
        let found = FetchPredicate.comparison(
            PredicateComparison(comparison.left, .isIn, .list(ids)))
        return comparison.operator == .notEqual ? .not(found) : found
    }
}

final class JoinsInward: PushdownSaboteur, @unchecked Sendable {
    override func answered(_ query: StoreQuery) -> StoreQuery {
        var query = query
        var steps = Set(
            query.sortDescriptors.filter { $0.keyPath.count > 1 }.compactMap(\.keyPath.first))
        query.predicate = query.predicate?.rewritten { comparison in
            for side in [comparison.left, comparison.right] {
                if case .keyPath(let path) = side.form, path.count > 1 { steps.insert(path[0]) }
            }
            return .comparison(comparison)
        }
        // Paths inside quantifiers do not begin at the query's entity.
        let own = steps.filter { model[query.entity].property(named: $0) != nil }.sorted()
        let joins = own.map { FetchPredicate.keyPath($0, .notEqual, .null) }
        query.predicate = .and([query.predicate ?? .constant(true)] + joins)
        return query
    }
}

final class FindsNoneOfNothing: PushdownSaboteur, @unchecked Sendable {
    override func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.requantified { quantifier, path, part in
            let found = FetchPredicate.quantified(quantifier, keyPath: path, part)
            return .and([found, .quantified(.any, keyPath: path, .constant(true))])
        }
    }
}

final class CountsToOne: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard case .count(let path) = comparison.left.form,
            case .constant(.integer(let number)) = comparison.right.form, number > 1
        else { return .comparison(comparison) }
        let limited = PredicateComparison(
            .count(keyPath: path), comparison.operator, .constant(.integer(1)))
        return .comparison(limited)
    }
}

final class TakesAnyForMember: PushdownSaboteur, @unchecked Sendable {
    override func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        guard comparison.operator == .contains, case .keyPath(let path) = comparison.left.form,
            case .constant(.objectID) = comparison.right.form
        else { return .comparison(comparison) }
        return .quantified(.any, keyPath: path, .constant(true))
    }
}

/// Does something else with the rows than the query says.
class OrderSaboteur: PushdownSaboteur, @unchecked Sendable {
    func window(_ rows: [Row], _ query: StoreQuery) -> [Row] {
        let rest = rows.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    func unlimited(_ query: StoreQuery) -> StoreQuery {
        var query = query
        query.offset = 0
        query.limit = nil
        return query
    }
}

final class PutsNullsLast: OrderSaboteur, @unchecked Sendable {
    override func rows(_ query: StoreQuery, _ snapshot: any StoreSnapshot) throws(StoreError)
        -> [Row]
    {
        guard let key = query.sortDescriptors.first, key.isAscending else {
            return try QueryExecution(query, on: base, in: snapshot).rows()
        }
        var rows: [Row] = []
        for relation in [PredicateComparison.Operator.notEqual, .equal] {
            var part = unlimited(query)
            let null = FetchPredicate.comparison(
                PredicateComparison(.keyPath(key.keyPath), relation, .constant(.null)))
            part.predicate = .and([query.predicate ?? .constant(true), null])
            rows += try QueryExecution(part, on: base, in: snapshot).rows()
        }
        return window(rows, query)
    }
}

final class BreaksTiesBackwards: OrderSaboteur, @unchecked Sendable {
    override func rows(_ query: StoreQuery, _ snapshot: any StoreSnapshot) throws(StoreError)
        -> [Row]
    {
        var flipped = unlimited(query)
        for index in flipped.sortDescriptors.indices {
            flipped.sortDescriptors[index].isAscending.toggle()
        }
        // The opposite order turned round: only equal ones are in another order.
        return window(try QueryExecution(flipped, on: base, in: snapshot).rows().reversed(), query)
    }
}

final class CutsTheWindowFirst: OrderSaboteur, @unchecked Sendable {
    override func rows(_ query: StoreQuery, _ snapshot: any StoreSnapshot) throws(StoreError)
        -> [Row]
    {
        var all = query
        all.predicate = nil
        let cut = Set(try QueryExecution(all, on: base, in: snapshot).rows().map(\.key))
        return try QueryExecution(unlimited(query), on: base, in: snapshot).rows()
            .filter { cut.contains($0.key) }
    }
}

final class SortsByTheFirstKeyOnly: OrderSaboteur, @unchecked Sendable {
    override func answered(_ query: StoreQuery) -> StoreQuery {
        var query = query
        query.sortDescriptors = Array(query.sortDescriptors.prefix(1))
        return query
    }
}

final class SortsTextsByBytesOnly: OrderSaboteur, @unchecked Sendable {
    override func answered(_ query: StoreQuery) -> StoreQuery {
        var query = query
        for index in query.sortDescriptors.indices {
            query.sortDescriptors[index].comparison = .standard
        }
        return query
    }
}

final class NeverFindsSubentities: OrderSaboteur, @unchecked Sendable {
    override func answered(_ query: StoreQuery) -> StoreQuery {
        var query = query
        // The whole hierarchy is found, as the fixtures read it.
        if model[query.entity].superentity != nil { query.includesSubentities = false }
        return query
    }
}

final class AnswersWrongQueriesWithNothing: PushdownSaboteur, @unchecked Sendable {
    override func rows(_ query: StoreQuery, _ snapshot: any StoreSnapshot) throws(StoreError)
        -> [Row]
    {
        do {
            return try QueryExecution(query, on: base, in: snapshot).rows()
        } catch {
            if error.code == .invalidRequest { return [] }
            throw error
        }
    }
}

/// Answers what its pushdown was asked for last, whatever became of the query since.
final class AnswersWhatItPrepared: PushdownSaboteur, @unchecked Sendable {
    private let prepared = Locked<StoreQuery?>(nil)

    override func pushdown(for query: StoreQuery) -> Pushdown {
        prepared.withLock { $0 = query }
        return super.pushdown(for: query)
    }

    override func answered(_ query: StoreQuery) -> StoreQuery { prepared.withLock { $0 } ?? query }
}
