import DuramenModel
import Foundation
import Testing

struct ValueOrderTests {
    private static func decimal(_ digits: String) -> StoredValue {
        .decimal(Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX"))!)
    }

    /// Numbers that grow from line to line and are equal within a line.
    private static let ladder: [[StoredValue]] = [
        [.double(-.infinity)],
        [.double(-.greatestFiniteMagnitude)],
        [.decimal(-.greatestFiniteMagnitude)],
        [.double(-0x1p63 - 2048)],
        [decimal("-9223372036854775809")],
        [.integer(.min), .double(-0x1p63), decimal("-9223372036854775808")],
        [decimal("-9223372036854775807.5")],
        [.integer(.min + 1), decimal("-9223372036854775807")],
        [.integer(-9_007_199_254_740_993), decimal("-9007199254740993")],
        [.double(-9_007_199_254_740_992), .integer(-9_007_199_254_740_992)],
        [.double(-1.5), decimal("-1.50")],
        [.integer(-1), .double(-1), decimal("-1.000")],
        [.double(-.leastNonzeroMagnitude)],
        [
            .integer(0), .boolean(false), .double(0), .double(-0.0), decimal("0"), decimal("-0.00"),
        ],
        [.double(.leastNonzeroMagnitude)],
        [.double(1e-300)],
        [.decimal(.leastNonzeroMagnitude)],
        [decimal("0.1")],
        // The double nearest to a tenth is a little more.
        [decimal("0.1000000000000000055511151231257827021")],
        [.double(0.1)],
        [decimal("0.1000000000000000055511151231257827022")],
        [.double(0.1.nextUp)],
        [decimal("0.3")],
        [decimal("0.33333333333333333333333333333333333333")],
        [.double(0.5), decimal("0.5")],
        [decimal("0.99999999999999999999999999999999999999")],
        [.integer(1), .boolean(true), .double(1), decimal("1.00")],
        [.double(1.0.nextUp)],
        [
            .integer(9_007_199_254_740_991), .double(9_007_199_254_740_991),
            decimal("9007199254740991"),
        ],
        [
            .integer(9_007_199_254_740_992), .double(9_007_199_254_740_992),
            decimal("9007199254740992"),
        ],
        [.integer(9_007_199_254_740_993), decimal("9007199254740993")],
        [.double(9_007_199_254_740_994), decimal("9007199254740994")],
        [.double(0x1p63 - 1024), .integer(.max - 1023)],
        [.integer(.max), decimal("9223372036854775807")],
        [decimal("9223372036854775807.5")],
        [.double(0x1p63), decimal("9223372036854775808")],
        [decimal("12345678901234567890123456789012345678")],
        [decimal("12345678901234567890123456789012345679")],
        [decimal("100000000000000000000000000000000000000")],
        [.double(1e100)],
        [.decimal(.greatestFiniteMagnitude)],
        [.double(.greatestFiniteMagnitude)],
        [.double(.infinity)],
    ]

    @Test func numbersCompareByValueAcrossKinds() {
        let numbers = Self.ladder.enumerated().flatMap { rung in
            rung.element.map { (rung: rung.offset, value: $0) }
        }
        for a in numbers {
            for b in numbers {
                let order = StoredValue.order(a.value, b.value)
                #expect(
                    order?.signum() == (a.rung - b.rung).signum(), "\(a.value) and \(b.value)")
            }
        }
    }

    @Test func randomDecimalsAndDoublesCompareAsTheirDigitsDo() {
        var random = SeededRandom()
        for _ in 0..<2_000 {
            // Quarters are exact in both kinds, so whole numbers of quarters are the reference.
            let left = Int64.random(in: -(1 << 52)...(1 << 52), using: &random)
            let right =
                Bool.random(using: &random) ? left : left + .random(in: -2...2, using: &random)
            let decimal = Decimal(left) / 4
            let double = Double(right) / 4
            let order: Int? = StoredValue.order(.decimal(decimal), .double(double))
            let expected = left < right ? -1 : (left == right ? 0 : 1)
            #expect(order == expected, "seed \(random.seed): \(left), \(right)")
        }
    }

    @Test func valuesOfOtherKindsCompareAmongThemselves() {
        let ascending: [(StoredValue, StoredValue)] = [
            (.text("a"), .text("b")), (.text("a"), .uri("b")), (.uri("a"), .text("b")),
            (.text("e\u{301}"), .text("\u{E9}")),
            (.date(.distantPast), .date(.distantFuture)),
            (.binary(Data()), .binary(Data([0]))), (.binary(Data([1, 255])), .binary(Data([2]))),
            (.binary(Data([1, 2, 3])[1...]), .binary(Data([2, 4]))),
            (
                .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255))),
                .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
            ),
            (.boolean(false), .boolean(true)),
        ]
        for (a, b) in ascending {
            #expect((StoredValue.order(a, b) ?? 0) < 0)
            #expect((StoredValue.order(b, a) ?? 0) > 0)
            #expect(StoredValue.order(a, a) == 0)
        }
    }

    @Test func objectIDsOrderAsIDs() {
        let ids = (1...2).map {
            ManagedObjectID(store: .none, entity: EntityHandle(name: "Quake"), key: $0)
        }
        #expect(StoredValue.order(.objectID(ids[0]), .objectID(ids[1])) == -1)
        #expect(StoredValue.order(.objectID(ids[1]), .objectID(ids[1])) == 0)
    }

    @Test func nullAndKindsThatDoNotCompareHaveNoOrder() {
        let kinds: [StoredValue] = [
            .null, .integer(1), .text("1"), .date(Date()), .binary(Data()), .uuid(UUID()),
            .objectID(.temporary(entity: EntityHandle(name: "Quake"))),
        ]
        for (i, a) in kinds.enumerated() {
            for (j, b) in kinds.enumerated() where i != j || a.isNull {
                #expect(StoredValue.order(a, b) == nil)
            }
        }
        #expect(StoredValue.order(.decimal(1), .double(.nan)) == nil)
        #expect(StoredValue.order(.integer(1), .double(.nan)) == nil)
        #expect(StoredValue.order(.decimal(.nan), .double(1)) == nil)
    }
}
