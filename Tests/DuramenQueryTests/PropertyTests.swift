import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// A small generator whose sequence its seed fixes (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

@Suite struct PropertyTests {
    private static let seed =
        ProcessInfo.processInfo.environment["DURAMEN_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 0 ... .max)

    private let numbers: [StoredValue] = [
        .null, .integer(0), .integer(1), .integer(-3), .integer(.max), .integer(.min), .double(0),
        .double(0.5), .double(-3), .double(0x1p63), .double(1e300), .decimal(0.5), .decimal(1),
        .boolean(true), .boolean(false),
    ]
    private let texts: [StoredValue] = [
        .null, .text(""), .text("a"), .text("A"), .text("ab"), .text("\u{E9}"), .text("e\u{301}"),
        .text("\u{C9}a"), .text("a\u{0}"), .text("a*?"), .uri("a"),
    ]

    private func leaf(_ random: inout SeededGenerator) -> FetchPredicate {
        let isText = Bool.random(using: &random)
        let names =
            isText
            ? ["note", "code", "link", "region.name"]
            : ["magnitude", "depth", "reports", "isFelt", "damage"]
        let pool = isText ? texts : numbers
        let name = names.randomElement(using: &random) ?? "note"
        func value() -> StoredValue { pool.randomElement(using: &random) ?? .null }
        var options: PredicateComparison.Options = []
        if isText { options = .init(rawValue: UInt8.random(in: 0...15, using: &random)) }
        let relation = PredicateComparison.Operator.allCases.randomElement(using: &random) ?? .equal
        switch relation {
        case .between: return .keyPath(name, relation, [value(), value()], options)
        case .isIn:
            return .keyPath(
                name, relation, (0..<Int.random(in: 0...4, using: &random)).map { _ in value() },
                options)
        case .contains, .beginsWith, .endsWith, .like:
            return .keyPath(name, isText ? relation : .equal, value(), options)
        case .matches:
            return .keyPath(
                name, isText ? relation : .equal, isText ? .text("a?.*") : value(), options)
        default: return .keyPath(name, relation, value(), options)
        }
    }

    private func predicate(_ random: inout SeededGenerator, depth: Int) -> FetchPredicate {
        switch depth == 0 ? 0 : Int.random(in: 0...4, using: &random) {
        case 1: return !predicate(&random, depth: depth - 1)
        case 2: return predicate(&random, depth: depth - 1) && predicate(&random, depth: depth - 1)
        case 3: return predicate(&random, depth: depth - 1) || predicate(&random, depth: depth - 1)
        case 4:
            let quantifier = PredicateQuantifier.allCases.randomElement(using: &random) ?? .any
            return .quantified(
                quantifier, keyPath: ["region", "quakes"], predicate(&random, depth: depth - 1))
        default: return leaf(&random)
        }
    }

    private func objects(_ random: inout SeededGenerator) -> Objects {
        var objects = Objects()
        func text() -> StoredValue { texts.dropLast().randomElement(using: &random) ?? .null }
        let region = objects.add("Region", 1, ["name": text()])
        var quakes: [ManagedObjectID] = []
        for key in 1...4 as ClosedRange<Int64> {
            var values: [String: StoredValue] = ["note": text(), "code": text(), "link": text()]
            values["magnitude"] = [.null, .double(0), .double(-3), .double(0x1p63)].randomElement(
                using: &random)
            values["depth"] = [.null, .double(0.5)].randomElement(using: &random)
            values["reports"] = [.null, .integer(1), .integer(.max), .integer(.min)].randomElement(
                using: &random)
            values["isFelt"] = [.null, .boolean(true)].randomElement(using: &random)
            values["damage"] = [.null, .decimal(0.5), .decimal(1)].randomElement(using: &random)
            if Bool.random(using: &random) { values["region"] = .objectID(region) }
            quakes.append(objects.add("Quake", key, values))
        }
        objects.link(region, "quakes", quakes)
        return objects
    }

    @Test func negationIsTwoValuedWhateverIsNull() throws {
        print("PropertyTests seed: \(Self.seed) (repeat with DURAMEN_SEED)")
        var random = SeededGenerator(state: Self.seed)
        var truths = 0
        var asked = 0
        for _ in 0..<400 {
            let objects = objects(&random)
            let (a, b) = (predicate(&random, depth: 3), predicate(&random, depth: 3))
            for id in objects.rows.keys where id.entityName == "Quake" {
                let (x, y) = (try objects.holds(a, id), try objects.holds(b, id))
                let comment: Comment = "seed \(Self.seed): \(a) / \(b)"
                #expect(try objects.holds(!a, id) == !x, comment)
                #expect(try objects.holds(!(!a), id) == x, comment)
                #expect(try objects.holds(!(a && b), id) == (!x || !y), comment)
                #expect(try objects.holds(!a || !b, id) == (!x || !y), comment)
                #expect(try objects.holds(!(a || b), id) == (!x && !y), comment)
                truths += x ? 1 : 0
                asked += 1
            }
        }
        #expect(truths > asked / 10 && truths < asked * 9 / 10)
    }

    /// Each fast form against the general law, which a constant on the left takes.
    @Test func fastFormsAgreeWithTheGeneralLaw() throws {
        var random = SeededGenerator(state: Self.seed)
        for _ in 0..<4_000 {
            let leaf = leaf(&random)
            guard case .comparison(let comparison) = leaf.form,
                case .keyPath(let names) = comparison.left.form,
                names.count == 1
            else { continue }
            let objects = objects(&random)
            let quake = try #require(objects.rows.keys.first { $0.entityName == "Quake" })
            let row = try #require(objects.rows[quake])
            let property = try #require(Earth.entity("Quake").property(named: names[0]))
            guard case .attribute(let attribute) = property else { continue }
            var general = comparison
            general.left = .constant(row.value(attribute.slot, attribute.kind))
            #expect(
                try objects.holds(leaf, quake) == objects.holds(.comparison(general), quake),
                "seed \(Self.seed): \(leaf) with \(general.left)")
        }
    }

    /// Rows that are judged together, against each of them alone.
    @Test func aGroupOfRowsIsJudgedAsEachOfThem() throws {
        var random = SeededGenerator(state: Self.seed)
        for _ in 0..<400 {
            let objects = objects(&random)
            let predicate = predicate(&random, depth: 4)
            let bound = try predicate.bound(to: Earth.entity("Quake"), in: Earth.model)
            let quakes = objects.rows.filter { $0.key.entityName == "Quake" }
            // Every row many times, so that all bits are used.
            let ids = (0..<64).map { _ in quakes.keys.randomElement(using: &random) }.compactMap(
                \.self)
            let rows = ContiguousArray(ids.compactMap { quakes[$0] })
            let count = Int.random(in: 0...64, using: &random)
            let asked = random.next()
            let found = bound.matches(
                ContiguousArray(rows.prefix(count)), among: asked, in: objects)
            var expected: UInt64 = 0
            for place in 0..<count where asked >> UInt64(place) & 1 != 0 {
                if bound.evaluate(rows[place], id: ids[place], in: objects) {
                    expected |= 1 << UInt64(place)
                }
            }
            #expect(found == expected, "seed \(Self.seed): \(predicate)")
        }
    }

    /// Conditions on one number, which become one range, against each of them alone.
    @Test func conditionsOnOneNumberHoldTogetherAsTheyDoAlone() throws {
        var random = SeededGenerator(state: Self.seed)
        let relations: [PredicateComparison.Operator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        for _ in 0..<2_000 {
            let objects = objects(&random)
            let name = ["magnitude", "depth", "reports", "isFelt"].randomElement(using: &random)
            let parts = (0..<3).map { _ in
                FetchPredicate.keyPath(
                    name ?? "depth", relations.randomElement(using: &random) ?? .equal,
                    numbers.randomElement(using: &random) ?? .null)
            }
            let quake = try #require(objects.rows.keys.first { $0.entityName == "Quake" })
            #expect(
                try objects.holds(.and(parts), quake)
                    == parts.allSatisfy { try objects.holds($0, quake) },
                "seed \(Self.seed): \(FetchPredicate.and(parts))")
        }
    }
}
