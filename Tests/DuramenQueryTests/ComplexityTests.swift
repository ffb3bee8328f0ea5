import DuramenModel
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenQuery

/// What is too deep, too long or too large is refused, however it was built, and fills no stack.
@Suite struct ComplexityTests {
    private static let levels = 60_000

    private static func equal(
        _ left: FetchExpression, _ right: FetchExpression = .constant(.integer(1))
    ) -> FetchPredicate { .comparison(PredicateComparison(left, .equal, right)) }

    /// Each way to put a predicate into another one.
    private static let wrappers: [@Sendable (FetchPredicate) -> FetchPredicate] = [
        { .not($0) }, { !$0 }, { .and([$0]) }, { .or([.constant(false), $0]) },
        { .quantified(.any, keyPath: ["tags"], $0) },
        { equal(.conditional($0, .constant(.integer(1)), .constant(.integer(2)))) },
        { equal(.count(keyPath: ["tags"])) && .not($0) },
        { equal(.function(.count, [.subquery(.keyPath(["tags"]), variable: "x", $0)])) },
        { predicate in FetchPredicate(Quake.self) { _ in !predicate } },
        { predicate in FetchPredicate(Quake.self) { $0.tags.any { _ in predicate } } },
    ]

    /// Each way to put an expression into another one.
    private static let expressions: [@Sendable (FetchExpression) -> FetchExpression] = [
        { .function(.abs, [$0]) }, { .cast($0, .number) }, { .assignment("x", $0) },
        { .property($0, ["region"]) }, { .aggregate([$0]) },
        { .subquery($0, variable: "x", .constant(true)) },
        { .conditional(.constant(true), .constant(.null), $0) },
    ]

    private func isRefused(_ predicate: FetchPredicate) -> Bool {
        predicate.isTooComplex && bindingError(predicate)?.code == .tooComplex
            && predicate.description.contains("too complex")
            && predicate.substitutionVariables.isEmpty
            && (try? JSONEncoder().encode(predicate)) == nil
            && (try? predicate.withSubstitutionVariables([:])) == nil
            && (try? predicate.evaluate(with: .null)) == nil
            && predicate != .constant(false) && bindingError(!predicate)?.code == .tooComplex
            && bindingError(.constant(true) || predicate)?.code == .tooComplex
    }

    @Test(arguments: wrappers.indices)
    func predicatesOfAnyDepthAreReleasedAndRefused(_ way: Int) {
        var deep = FetchPredicate.constant(true)
        for _ in 0..<Self.levels { deep = Self.wrappers[way](deep) }
        #expect(isRefused(deep))
    }

    @Test(arguments: expressions.indices)
    func expressionsOfAnyDepthAreReleasedAndRefused(_ way: Int) {
        var deep = FetchExpression.keyPath(["region"])
        for _ in 0..<Self.levels { deep = Self.expressions[way](deep) }
        #expect(isRefused(Self.equal(deep)))
        #expect(isRefused(Self.equal(.constant(.null), deep)))
        #expect(throws: PredicateFormatError.self) { try FetchPredicate("code == %@", deep) }
    }

    @Test func mixturesOfAnyDepthAreReleasedAndRefused() {
        var random = SplitMix64(seed: randomSeed())
        for _ in 0..<repetitions(20) {
            var predicate = FetchPredicate.constant(true)
            var expression = FetchExpression.keyPath(["region"])
            for _ in 0..<Int.random(in: 300...5_000, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0..<4: predicate = random.pick(Self.wrappers)(predicate)
                case 4: predicate = Self.equal(expression) || predicate
                case 5: expression = .conditional(predicate, expression, expression)
                default: expression = random.pick(Self.expressions)(expression)
                }
            }
            if let code = bindingError(predicate)?.code, predicate.isTooComplex {
                #expect(code == .tooComplex)
            }
        }
    }

    @Test func aChainOfAnyLengthStaysFlat() {
        let one = FetchPredicate.keyPath("magnitude", .greater, 1)
        var chain = one
        for _ in 0..<5_000 { chain = chain && one }
        #expect(!chain.isTooComplex && bindingError(chain) == nil)
    }

    @Test(arguments: [129, 130, 3_000, 100_000])
    func aKeyPathOfTooManyStepsIsRefusedAtEveryEntrance(steps: Int) {
        let names = Array(repeating: "region", count: steps)
        let path = names.joined(separator: ".")
        let predicates: [FetchPredicate] = [
            .keyPath(path, .equal, 1), .keyPath(path, .isIn, [1]),
            .quantified(.any, keyPath: names, .constant(true)),
            Self.equal(.count(keyPath: names)), Self.equal(.property(.selfObject, names)),
            Self.equal(.function(.length, [.keyPath(names)])),
            .comparison(
                PredicateComparison(
                    .keyPath(names), .equal, .constant(.null), quantifier: .any)),
        ]
        #expect(predicates.allSatisfy { bindingError($0)?.code == .tooComplex })
        for format in ["%K == 1", "ANY %K == 1", "SUBQUERY(%K, $x, $x == 1).@count > 1"] {
            #expect(throws: PredicateFormatError.self) { try FetchPredicate(format, path) }
        }
        let entity = Earth.entity("Quake")
        #expect(throws: FetchPredicateError.self) {
            try [FetchSortDescriptor(path)].bound(to: entity, in: Earth.model)
        }
        var query = StoreQuery(entity: entity.id, sortDescriptors: [FetchSortDescriptor(path)])
        let pushdown = Pushdown(
            splitting: query, accepts: { _ in true },
            acceptsOrder: { _ in
                Issue.record("a store was asked about the order")
                return true
            })
        #expect(pushdown.needsSorting)
        #expect(throws: FetchPredicateError.self) { try query.lowered(in: Earth.model) }
        query.sortDescriptors = []
        query.predicate = .not(.keyPath(path, .equal, 1))
        // One step more than is allowed is kept, and refused when it is bound.
        if steps > 129 {
            #expect(throws: FetchPredicateError.self) { try query.lowered(in: Earth.model) }
        }
    }

    @Test func aListOfOneHundredThousandValuesIsTakenAndALongerOneIsRefused() throws {
        let values = (0..<100_000).map { StoredValue.integer(Int64($0)) }
        let text = "reports IN {" + (0..<100_000).map(String.init).joined(separator: ",") + "}"
        for predicate in [
            FetchPredicate.keyPath("reports", .isIn, values), try FetchPredicate(text),
            try FetchPredicate("reports IN %@", values.map { FetchExpression.constant($0) }),
            FetchPredicate(Quake.self) { $0.objectID.isIn([]) },
        ] {
            #expect(bindingError(predicate) == nil)
        }
        let more = values + [.integer(-1)]
        #expect(isRefused(.keyPath("reports", .isIn, more)))
        #expect(throws: PredicateFormatError.self) {
            try FetchPredicate(text.dropLast() + ",-1}")
        }
        #expect(throws: PredicateFormatError.self) {
            try FetchPredicate("reports IN %@", more.map { FetchExpression.constant($0) })
        }
        let ids = (0...100_000).map { Objects().id("Quake", Int64($0 + 1)) }
        #expect(isRefused(FetchPredicate(Quake.self) { $0.isIn(ids) }))
    }

    @Test func whatIsReadIsNotNestedTooDeeply() throws {
        func nested(_ levels: Int) -> Data {
            let start = String(repeating: #"{"not":{"_0":"#, count: levels)
            return Data(
                (start + #"{"constant":{"_0":true}}"# + String(repeating: "}}", count: levels)).utf8
            )
        }
        let read = try JSONDecoder().decode(FetchPredicate.self, from: nested(100))
        #expect(bindingError(read) == nil)
        #expect(
            try JSONDecoder().decode(FetchPredicate.self, from: JSONEncoder().encode(read)) == read)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FetchPredicate.self, from: nested(250))
        }
    }

    /// The form of values before they could be too deep.
    @Test func predicatesAreEncodedAsEver() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let predicate = FetchPredicate.not(.quantified(.any, keyPath: ["tags"], .constant(true)))
        #expect(
            String(decoding: try encoder.encode(predicate), as: UTF8.self)
                == #"{"not":{"_0":{"quantified":{"_0":"any","_2":{"constant":{"_0":true}},"keyPath":["tags"]}}}}"#
        )
    }

    // MARK: - Lists

    @Test func aListFindsWhatTheLawCallsEqual() throws {
        var random = SplitMix64(seed: randomSeed())
        func value() -> StoredValue {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .integer(Int64.random(in: -3...3, using: &random))
            case 1: .double(Double(Int.random(in: -6...6, using: &random)) / 2)
            case 2: .decimal(Decimal(Int.random(in: -30...30, using: &random)) / 10)
            case 3: .boolean(Bool.random(using: &random))
            case 4: .integer(Int64.max - Int64.random(in: 0...1, using: &random))
            case 5: .double(0x1p63)
            case 6: .text(StoredText(random.pick(["a", "A", "ä", "b"])))
            default: .null
            }
        }
        for _ in 0..<repetitions(300) {
            let list = (0..<Int.random(in: 0...12, using: &random)).map { _ in value() }
            let sought = value()
            let expected = !sought.isNull && list.contains { StoredValue.order(sought, $0) == 0 }
            #expect(MemberList(list, []).contains(sought) == expected, "\(sought) in \(list)")
            let folded = list.contains {
                $0.folded.map { StoredValue.order(sought.folded ?? sought, $0) == 0 } ?? false
                    || StoredValue.order(sought, $0) == 0
            }
            #expect(
                MemberList(list, .caseInsensitive).contains(sought) == (!sought.isNull && folded))
        }
    }
}

extension StoredValue {
    /// A text in small letters.
    fileprivate var folded: StoredValue? {
        if case .text(let text) = self { .text(StoredText(text.string.lowercased())) } else { nil }
    }
}
