import Duramen
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Random result queries over random rows, against a slow computation that shares nothing with them
/// but the order of two values.
struct RandomResultTests {
    @Test(arguments: StoreKind.allCases)
    func resultsAreThoseOfASlowComputation(kind: StoreKind) throws {
        let seed = randomSeed()
        var generator = SplitMix64(seed: seed)
        let container = try kind.container(Sales.model)
        let rows = try RandomSales.insert(60, into: container, &generator)
        for number in 0..<repetitions(120) {
            let draft = RandomResultQuery(&generator)
            let found = try container.fetchDictionariesAndWait(draft.request()).map(\.values)
            let expected = draft.results(of: rows)
            #expect(found == expected, "seed \(seed), query \(number): \(draft)")
        }
    }
}

/// Rows as the slow computation has them: values by name.
typealias PlainSale = [String: StoredValue]

enum RandomSales {
    /// Inserts sales with few different values, so that many are equal, and gives them by their
    /// IDs.
    static func insert(
        _ count: Int, into container: PersistentContainer, _ generator: inout SplitMix64
    ) throws -> [PlainSale] {
        var plans: [PlainSale] = []
        for number in 0..<count {
            plans.append([
                "code": .text(StoredText("c\(number)")),
                "title": pick([.null, .text(""), .text("b"), .text("B"), .text("ä")], &generator),
                "quantity": pick([.null, .integer(-1), .integer(0), .integer(7)], &generator),
                "weight": pick([.null, .double(-0.1), .double(0.2), .double(1e16)], &generator),
                "amount": pick(
                    [.null, .decimal(2), .decimal(Decimal(string: "0.1") ?? 0)], &generator),
                "shop.name": pick([.null, .text("one"), .text("two")], &generator),
            ])
        }
        let final = plans
        try container.saveElsewhere { context in
            var shops: [String: Shop] = [:]
            for name in ["one", "two"] {
                let shop = Shop(context: context)
                shop.name = name
                shops[name] = shop
            }
            for plan in final {
                let sale =
                    plan["quantity"] == .integer(7)
                    ? OnlineSale(context: context) : Sale(context: context)
                sale.code = plan["code"]?.text ?? ""
                sale.title = plan["title"]?.text
                if case .integer(let value)? = plan["quantity"] { sale.quantity = Int(value) }
                if case .double(let value)? = plan["weight"] { sale.weight = value }
                if case .decimal(let value)? = plan["amount"] { sale.amount = value }
                sale.shop = plan["shop.name"]?.text.flatMap { shops[$0] }
            }
        }
        let ids = try container.makeContext().fetch(FetchRequest<Sale>()).map(\.code)
        return ids.compactMap { code in plans.first { $0["code"]?.text == code } }
    }

    private static func pick(
        _ values: [StoredValue], _ generator: inout SplitMix64
    ) -> StoredValue { values[Int.random(in: values.indices, using: &generator)] }
}

extension StoredValue {
    fileprivate var text: String? { if case .text(let text) = self { text.string } else { nil } }
}

/// A random query as the slow computation understands it.
struct RandomResultQuery: CustomStringConvertible {
    private static let paths = ["title", "quantity", "weight", "amount", "shop.name"]
    private static let functions = ["count", "sum", "average", "min", "max", "median"]

    private struct Column {
        var name: String
        /// Nil for the path itself.
        var function: String?
        var path: String

        var text: String { function.map { "\($0)(\(path))" } ?? path }
    }

    private var columns: [Column] = []
    private var groupBy: [String] = []
    private var least: Int?
    private var isDistinct = false
    private var sorts: [(name: String, isAscending: Bool)] = []
    private var offset = 0
    private var limit: Int?
    /// Rows of a quantity above it only.
    private var bound: Int?

    init(_ generator: inout SplitMix64) {
        func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        let isGrouped = random(3) > 0
        for path in Self.paths where random(3) == 0 {
            columns.append(Column(name: path, path: path))
            groupBy.append(path)
        }
        if isGrouped {
            for number in 0...random(3) {
                let function = Self.functions[random(Self.functions.count)]
                var path = Self.paths[random(Self.paths.count)]
                if !["count", "min", "max"].contains(function) {
                    path = ["quantity", "weight", "amount"][random(3)]
                }
                if function == "count", random(2) == 0 { path = "SELF" }
                columns.append(Column(name: "f\(number)", function: function, path: path))
            }
            if random(3) == 0 { least = random(8) }
            // A grouped path need not be a column.
            if !groupBy.isEmpty, random(3) == 0 { columns.removeFirst() }
        } else {
            if columns.isEmpty { columns.append(Column(name: "code", path: "code")) }
            groupBy = []
        }
        isDistinct = random(4) == 0
        for column in columns where random(3) == 0 {
            sorts.append((column.name, random(2) == 0))
        }
        sorts.shuffle(using: &generator)
        if random(3) == 0 { offset = random(5) }
        if random(3) == 0 { limit = random(8) }
        if random(3) == 0 { bound = random(9) - 2 }
    }

    var description: String {
        "\(columns.map { "\($0.name): \($0.text)" }) by \(groupBy) least \(least ?? -1) "
            + "distinct \(isDistinct) sorted \(sorts) \(offset)+\(limit ?? -1) above \(bound ?? -9)"
    }

    func request() throws -> DictionaryFetchRequest<Sale> {
        var request = DictionaryFetchRequest(
            FetchRequest<Sale>(), try columns.map { try ResultColumn($0.name, $0.text) })
        request.propertiesToGroupBy = groupBy
        request.returnsDistinctResults = isDistinct
        if let least { request = request.having(try FetchPredicate("count(SELF) >= %@", least)) }
        if let bound { request = request.where(try FetchPredicate("quantity > %@", bound)) }
        for sort in sorts {
            request = request.sorted(by: sort.name, sort.isAscending ? .ascending : .descending)
        }
        request.request.fetchOffset = offset
        request.request.fetchLimit = limit
        return request
    }

    // MARK: - The slow computation

    func results(of rows: [PlainSale]) -> [[StoredValue]] {
        let rows = rows.filter { row in
            guard let bound else { return true }
            guard case .integer(let quantity)? = row["quantity"] else { return false }
            return quantity > Int64(bound)
        }
        let isGrouped = !groupBy.isEmpty || columns.contains { $0.function != nil }
        var groups = isGrouped ? groups(of: rows) : rows.map { [$0] }
        if isGrouped, let least { groups = groups.filter { $0.count >= least } }
        if isGrouped, sorts.isEmpty {
            groups = stablySorted(groups) { a, b in
                Self.order(groupBy.map { value(a, $0) }, groupBy.map { value(b, $0) })
            }
        }
        var results = groups.map { group in columns.map { value(of: $0, group) } }
        if isDistinct {
            var kept: [[StoredValue]] = []
            for result in stablySorted(results, by: Self.orderWithForms)
            where !kept.contains(where: { Self.order($0, result) == 0 }) { kept.append(result) }
            results = kept
        }
        if isDistinct || !sorts.isEmpty {
            results = stablySorted(results) { a, b in
                for sort in sorts {
                    let place = columns.firstIndex { $0.name == sort.name } ?? 0
                    let order = Self.order([a[place]], [b[place]])
                    if order != 0 { return sort.isAscending ? order : -order }
                }
                return Self.orderWithForms(a, b)
            }
        }
        let rest = results.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    private func groups(of rows: [PlainSale]) -> [[PlainSale]] {
        if groupBy.isEmpty { return [rows] }
        var groups: [[PlainSale]] = []
        for row in rows {
            let place = groups.firstIndex { group in
                groupBy.allSatisfy { group[0][$0] == row[$0] }
            }
            if let place { groups[place].append(row) } else { groups.append([row]) }
        }
        return groups
    }

    private func value(_ group: [PlainSale], _ path: String) -> StoredValue {
        group.first?[path] ?? .null
    }

    private func value(of column: Column, _ group: [PlainSale]) -> StoredValue {
        guard let function = column.function else { return value(group, column.path) }
        if column.path == "SELF" { return .integer(Int64(group.count)) }
        var values = group.compactMap { $0[column.path] }.filter { !$0.isNull }
        values = stablySorted(values) { Self.order([$0], [$1]) }
        switch function {
        case "count": return .integer(Int64(values.count))
        case "min": return values.first ?? .null
        case "max": return values.last ?? .null
        case "sum": return sum(values)
        case "average":
            if values.isEmpty { return .null }
            switch sum(values) {
            case .integer(let sum): return .double(Double(sum) / Double(values.count))
            case .double(let sum): return .double(sum / Double(values.count))
            case .decimal(let sum): return .decimal(sum / Decimal(values.count))
            default: return .null
            }
        default:
            if values.isEmpty { return .null }
            let middle = values.count / 2
            if values.count % 2 == 1 { return values[middle] }
            let pair = Column(name: "", function: "average", path: "x")
            return value(of: pair, [["x": values[middle - 1]], ["x": values[middle]]])
        }
    }

    /// The values are few: sums are counted out, and doubles added as thirds of what they are
    /// exactly.
    private func sum(_ values: [StoredValue]) -> StoredValue {
        var whole: Int64 = 0
        var decimal: Decimal = 0
        var counts: [Double: Int] = [:]
        for value in values {
            switch value {
            case .integer(let number): whole += number
            case .decimal(let number): decimal += number
            case .double(let number): counts[number, default: 0] += 1
            default: break
            }
        }
        if !counts.isEmpty { return .double(ExactDoubles.sum(counts)) }
        if case .decimal? = values.first { return .decimal(decimal) }
        return .integer(whole)
    }

    private static func order(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
        for (x, y) in zip(a, b) {
            if x.isNull || y.isNull {
                if x.isNull != y.isNull { return x.isNull ? -1 : 1 }
                continue
            }
            let order = StoredValue.order(x, y) ?? 0
            if order != 0 { return order }
        }
        return 0
    }

    /// The same with 7 before 7.0, of which a median may be either.
    private static func orderWithForms(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
        for (x, y) in zip(a, b) {
            let order = order([x], [y])
            if order != 0 { return order }
            if case (.integer, .double) = (x, y) { return -1 }
            if case (.double, .integer) = (x, y) { return 1 }
        }
        return 0
    }

    private func stablySorted<Value>(
        _ values: [Value], by order: (Value, Value) -> Int
    ) -> [Value] {
        values.enumerated().sorted { a, b in
            let result = order(a.element, b.element)
            return result == 0 ? a.offset < b.offset : result < 0
        }.map(\.element)
    }
}

/// Sums of doubles as whole multiples of 2^-60, which the doubles of these tests are.
private enum ExactDoubles {
    static func sum(_ counts: [Double: Int]) -> Double {
        var total: Int128 = 0
        for (number, count) in counts {
            // Exact, since the product is a whole number of at most 53 bits times a power of two.
            total += Int128(number * 0x1p60) * Int128(count)
        }
        // The conversion rounds to the nearest.
        return Double(total) * 0x1p-60
    }
}
