import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct PrintingTests {
    private let cases: [(FetchPredicate, String, String)] = [
        (
            .keyPath("magnitude", .greaterOrEqual, 6) && .keyPath("region.name", .equal, "Honshu"),
            "magnitude >= 6 AND region.name == \"Honshu\"", "magnitude >= ? AND region.name == ?"
        ),
        (
            .quantified(.any, keyPath: ["tags"], .keyPath("name", .equal, "felt")),
            "ANY tags (name == \"felt\")", "ANY tags (name == ?)"
        ),
        (
            .quantified(.none, keyPath: ["tags"], .constant(true)), "NONE tags (TRUEPREDICATE)",
            "NONE tags (TRUEPREDICATE)"
        ),
        (
            (.keyPath("a", .equal, .null) || .keyPath("b", .less, 1))
                && !FetchPredicate.keyPath("c", .isIn, [1, 2, 3]),
            "(a == nil OR b < 1) AND NOT c IN {1, 2, 3}", "(a == nil OR b < ?) AND NOT c IN {? * 3}"
        ),
        (
            .not(.and([.constant(true), .constant(false)])),
            "NOT (TRUEPREDICATE AND FALSEPREDICATE)", "NOT (TRUEPREDICATE AND FALSEPREDICATE)"
        ),
        (
            .keyPath("size", .contains, "a\"\\\u{1}", [.caseInsensitive, .diacriticInsensitive]),
            "#size CONTAINS[cd] \"a\\\"\\\\\\x01\"", "#size CONTAINS[cd] ?"
        ),
        (
            .comparison(
                .init(.count(keyPath: ["tags"]), .between, .list([.integer(1), .double(2)]))),
            "tags.@count BETWEEN {1, 2.0}", "tags.@count BETWEEN {?, ?}"
        ),
        (.and([]), "TRUEPREDICATE", "TRUEPREDICATE"), (.or([]), "FALSEPREDICATE", "FALSEPREDICATE"),
    ]

    @Test func predicatesPrintInTheFormatSpelling() {
        for (predicate, text, shape) in cases {
            #expect(predicate.description == text)
            #expect(predicate.shape == shape)
        }
    }

    @Test func valuesComparedWithConfidentialAttributesAreLeftOut() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("code", .string).confidential(),
                ],
                relationships: [
                    .toOne("boss", destination: "Person", inverse: "staff"),
                    .toMany("staff", destination: "Person"),
                ])
        ])
        let staff = FetchPredicate.quantified(
            .any, keyPath: ["staff"],
            .keyPath("code", .equal, "b") && .keyPath("name", .equal, "c"))
        for (predicate, text) in [
            (.keyPath("name", .equal, "a"), "name == \"a\""),
            (.keyPath("code", .equal, "a"), "code == ?"),
            (.keyPath("boss.boss.code", .isIn, ["a", "b", "c"]), "boss.boss.code IN {? * 3}"),
            (
                .quantified(.any, keyPath: ["staff"], .keyPath("code", .equal, "a")),
                "ANY staff (code == ?)"
            ),
            (
                staff && .keyPath("name", .equal, "d"),
                "ANY staff (code == ? AND name == \"c\") AND name == \"d\""
            ),
            (.keyPath("nobody.knows", .equal, "a"), "nobody.knows == ?"),
            (
                .comparison(
                    PredicateComparison(
                        .constant(.text("a")), .equal, .keyPath(["boss", "code"]))),
                "? == boss.code"
            ),
        ] as [(FetchPredicate, String)] {
            #expect(predicate.description(for: model.entities[0], in: model) == text)
        }
    }

    @Test func whatSecretsAreCalledIsAsSecret() throws {
        let model = try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Person",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription("code", .string).confidential(),
                        .composite(
                            "home",
                            elements: [
                                AttributeDescription("street", .string),
                                AttributeDescription("door", .string).confidential(),
                            ]),
                    ],
                    relationships: [
                        .toOne("boss", destination: "Person", inverse: "staff"),
                        .toMany("staff", destination: "Person"),
                    ])
            ])
        for (format, text) in [
            (
                "SUBQUERY(staff.code, $x, $x == 'a').@count > 0",
                "SUBQUERY(staff.code, $x, $x == ?).@count > ?"
            ),
            (
                "SUBQUERY(staff.name, $x, $x == 'a').@count > 0",
                "SUBQUERY(staff.name, $x, $x == \"a\").@count > 0"
            ),
            (
                "SUBQUERY(staff, $x, $x.name == 'a' AND $x.code == 'b').@count > 0",
                "SUBQUERY(staff, $x, $x.name == \"a\" AND $x.code == ?).@count > 0"
            ),
            (
                "SUBQUERY(staff, $x, SUBQUERY($x.staff.code, $y, $y == 'a').@count > 0).@count > 0",
                "SUBQUERY(staff, $x, SUBQUERY($x.staff.code, $y, $y == ?).@count > ?).@count > 0"
            ),
            ("($v := code) != nil AND $v == 'a'", "($v := code) != nil AND $v == ?"),
            ("$v == 'a'", "$v == ?"), ("home.street == 'a'", "home.street == \"a\""),
            ("home.door == 'a'", "home.door == ?"),
            ("boss.home.street == 'a'", "boss.home.street == \"a\""),
            ("code.length == 5", "code.length == ?"), ("name.length == 5", "name.length == 5"),
            ("TERNARY(code == 'a', 1, 2) == 1", "TERNARY(code == ?, 1, 2) == 1"),
        ] {
            let predicate = try FetchPredicate(format)
            #expect(predicate.description(for: model.entities[0], in: model) == text)
        }
    }

    @Test func predicatesSurviveEncoding() throws {
        for (predicate, _, _) in cases {
            let data = try JSONEncoder().encode(predicate)
            #expect(try JSONDecoder().decode(FetchPredicate.self, from: data) == predicate)
        }
    }
}
