import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct FormatGrammarTests {
    private func path(_ path: String) -> FetchExpression {
        .keyPath(path.split(separator: ".").map(String.init))
    }

    private func comparison(
        _ left: FetchExpression, _ relation: PredicateComparison.Operator, _ right: FetchExpression,
        _ options: PredicateComparison.Options = [], _ quantifier: PredicateQuantifier? = nil
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(left, relation, right, options: options, quantifier: quantifier))
    }

    private func integer(_ value: Int64) -> FetchExpression { .constant(.integer(value)) }

    private func text(_ value: String) -> FetchExpression { .constant(.text(StoredText(value))) }

    @Test func andBindsTighterThanOr() throws {
        let (a, b, c) = (
            comparison(path("a"), .equal, integer(1)), comparison(path("b"), .equal, integer(2)),
            comparison(path("c"), .equal, integer(3))
        )
        #expect(try FetchPredicate("a == 1 AND b == 2 OR c == 3") == .or([.and([a, b]), c]))
        #expect(try FetchPredicate("a == 1 OR b == 2 AND c == 3") == .or([a, .and([b, c])]))
        #expect(try FetchPredicate("(a == 1 OR b == 2) AND c == 3") == .and([.or([a, b]), c]))
        #expect(try FetchPredicate("a == 1 && b == 2 && c == 3") == .and([a, b, c]))
        #expect(try FetchPredicate("NOT a == 1 AND b == 2") == .and([.not(a), b]))
        #expect(try FetchPredicate("!(a == 1 || b == 2)") == .not(.or([a, b])))
    }

    @Test func everyOperatorIsRead() throws {
        let spellings: [(String, PredicateComparison.Operator)] = [
            ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less),
            (">", .greater), ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">=", .greaterOrEqual),
            ("=>", .greaterOrEqual), ("CONTAINS", .contains), ("BEGINSWITH", .beginsWith),
            ("ENDSWITH", .endsWith), ("LIKE", .like), ("MATCHES", .matches), ("in", .isIn),
            ("Between", .between),
        ]
        for (spelling, relation) in spellings {
            #expect(
                try FetchPredicate("a \(spelling) 'x'")
                    == comparison(path("a"), relation, text("x")), "\(spelling)")
        }
        #expect(
            try FetchPredicate("a NOT IN {1}")
                == .not(comparison(path("a"), .isIn, .list([.integer(1)]))))
    }

    @Test func optionsFollowTheOperator() throws {
        for (spelling, options) in [
            ("[c]", .caseInsensitive), ("[d]", .diacriticInsensitive),
            ("[cd]", [.caseInsensitive, .diacriticInsensitive]),
            (" [DC] ", [.caseInsensitive, .diacriticInsensitive]),
            ("[n]", .normalized),
            ("[cdl]", [.caseInsensitive, .diacriticInsensitive, .localeSensitive]),
        ] as [(String, PredicateComparison.Options)] {
            #expect(
                try FetchPredicate("a ==\(spelling) 'x'")
                    == comparison(path("a"), .equal, text("x"), options), "\(spelling)")
        }
    }

    @Test func literalsOfEveryKindAreRead() throws {
        let cases: [(String, StoredValue)] = [
            ("27", .integer(27)), ("-27", .integer(-27)), ("2.5", .double(2.5)),
            (".5", .double(0.5)),
            ("9.2e-5", .double(9.2e-5)), ("1E3", .double(1000)), ("0x1F", .integer(31)),
            ("0o17", .integer(15)), ("0b101", .integer(5)), ("10L", .integer(10)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .decimal(Decimal(string: "9223372036854775808") ?? 0)),
            ("YES", .boolean(true)),
            ("false", .boolean(false)), ("NULL", .null), ("nil", .null), ("'its'", .text("its")),
            (#"'a\x41\101\u00e9\n'"#, .text("aAA\u{e9}\n")),
            (#""say \"so\"""#, .text("say \"so\"")),
            ("'%@'", .text("%@")), ("'$x'", .text("$x")),
            ("CAST(12.5, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 12.5))),
            ("CAST('0.1', \"NSDecimalNumber\")", .decimal(Decimal(string: "0.1") ?? 0)),
            (
                "CAST('00000000-0000-0000-0000-0000000000FF', 'UUID')",
                .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)))
            ),
            ("CAST('AQI=', 'NSData')", .binary(Data([1, 2]))),
            ("CAST('http://a.b/c', 'NSURL')", .uri("http://a.b/c")),
        ]
        for (format, value) in cases {
            #expect(
                try FetchPredicate("a == " + format)
                    == comparison(path("a"), .equal, .constant(value)), "\(format)")
        }
    }

    @Test func argumentsOfEveryKindAreTaken() throws {
        let id = ManagedObjectID.temporary(entity: EntityHandle(name: "Quake"))
        let date = Date(timeIntervalSinceReferenceDate: 1)
        for (argument, expression) in [
            ("x", .constant(.text("x"))), (6, integer(6)), (Int64(6), integer(6)),
            (1.5, .constant(.double(1.5))), (true, .constant(.boolean(true))),
            (date, .constant(.date(date))), (id, .constant(.objectID(id))),
            (Decimal(3), .constant(.decimal(3))), (Int?.none, .constant(.null)),
            ([1, 2], .list([.integer(1), .integer(2)])), (["k": 1], .list([.integer(1)])),
            (1...3, .list([.integer(1), .integer(3)])), ([path("b")], .aggregate([path("b")])),
            (path("b"), path("b")), (StoredValue.null, .constant(.null)),
        ] as [(any PredicateArgument, FetchExpression)] {
            #expect(
                try FetchPredicate("a == %@", argument)
                    == comparison(path("a"), .equal, expression))
        }
        #expect(
            try FetchPredicate("%K.%K > %lu AND %K == %f", "a.b", "c", 3, "d", 2.5)
                == .and([
                    comparison(path("a.b.c"), .greater, integer(3)),
                    comparison(path("d"), .equal, .constant(.double(2.5))),
                ]))
        #expect(
            try FetchPredicate(format: "%K.@count == %d", arguments: ["a", 0])
                == comparison(.count(keyPath: ["a"]), .equal, integer(0)))
        #expect(
            try FetchPredicate("%K == %s", "SELF.a", "x")
                == comparison(path("a"), .equal, text("x")))
    }

    @Test func anObjectStandsForItsID() throws {
        let id = Objects().id("Region", 1)
        let region = Region(id)
        #expect(
            try FetchPredicate("region == %@ OR region IN %@", region, [region])
                == .or([
                    comparison(path("region"), .equal, .constant(.objectID(id))),
                    comparison(path("region"), .isIn, .list([.objectID(id)])),
                ]))
    }

    @Test func pathsAndCollectionOperatorsAreRead() throws {
        let sum = FetchExpression.function(.sum, [path("items.price")])
        for (format, expression) in [
            ("a.b.c", path("a.b.c")), ("#size", path("size")), ("a.#in.first", path("a.in.first")),
            ("SELF", .selfObject), ("SELF.a", path("a")),
            (##"#"odd name""##, .keyPath(["odd name"])),
            ("größe.höhe", path("größe.höhe")), ("\u{2003}größe\u{A0}", path("größe")),
            ("\u{17F}elf", path("\u{17F}elf")), ("Self.a", path("a")), ("#Self.a", path("Self.a")),
            ("items.@count", .count(keyPath: ["items"])),
            ("items.@sum.price", sum), ("items.price.@sum", sum),
            ("items.@avg.price", .function(.average, [path("items.price")])),
            ("items.@distinctUnionOfObjects.price", .function(.distinct, [path("items.price")])),
            ("items.@unionOfObjects.price", path("items.price")),
            ("items.@max.#self", .function(.max, [path("items")])),
            ("$x", .variable("x")), ("$x.a.b", .property(.variable("x"), ["a", "b"])),
            ("$x.items.@count", .function(.count, [.property(.variable("x"), ["items"])])),
            ("(SELF.a)[0]", .function(.element, [path("a"), integer(0)])),
            ("a[FIRST]", .function(.first, [path("a")])),
            ("a[last]", .function(.last, [path("a")])),
            ("a[SIZE]", .function(.count, [path("a")])),
            ("a['k']", .function(.element, [path("a"), text("k")])), ("ANYKEY", .anyKey),
            ("(a).b", .property(path("a"), ["b"])),
        ] as [(String, FetchExpression)] {
            #expect(try FetchExpression(format: format) == expression, "\(format)")
        }
    }

    @Test func arithmeticBindsLikeInMathematics() throws {
        func call(_ function: FetchFunction, _ parts: FetchExpression...) -> FetchExpression {
            .function(function, parts)
        }
        let (a, b, c) = (path("a"), path("b"), path("c"))
        for (format, expression) in [
            ("a + b * c", call(.add, a, call(.multiply, b, c))),
            ("(a + b) * c", call(.multiply, call(.add, a, b), c)),
            ("a - b - c", call(.subtract, call(.subtract, a, b), c)),
            ("a / b ** c", call(.divide, a, call(.raise, b, c))),
            ("-a ** b", call(.raise, call(.negate, a), b)),
            ("a -1", call(.subtract, a, integer(1))),
            ("a & b | c ^ a", call(.bitwiseOr, call(.bitwiseAnd, a, b), call(.bitwiseXor, c, a))),
            ("a << 1 + b", call(.leftShift, a, call(.add, integer(1), b))),
            ("~a", call(.onesComplement, a)),
            ("a UNION b MINUS c", call(.minus, call(.union, a, b), c)),
            ("add:to:(a, b)", call(.add, a, b)), ("modulus:by:(a, b)", call(.modulus, a, b)),
            ("uppercase:(a)", call(.uppercase, a)), ("now()", call(.now)),
            ("sum(a, b, c)", call(.sum, a, b, c)), ("FUNCTION(a, 'length')", call(.length, a)),
            ("FUNCTION(a, 'add:to:', b)", call(.add, a, b)),
            ("CAST(a, 'NSString')", .cast(a, .text)),
            ("$v := a + 1", .assignment("v", call(.add, a, integer(1)))),
            ("{a, 1}", .aggregate([a, integer(1)])),
            ("{1, 'x'}", .list([.integer(1), .text("x")])), ("{}", .list([])),
        ] as [(String, FetchExpression)] {
            #expect(try FetchExpression(format: format) == expression, "\(format)")
        }
        #expect(
            try FetchPredicate("(a + 1) > 2")
                == comparison(call(.add, a, integer(1)), .greater, integer(2)))
        #expect(
            try FetchPredicate("(a > 1) AND b == 2")
                == .and([comparison(a, .greater, integer(1)), comparison(b, .equal, integer(2))]))
    }

    @Test func quantifiersSubqueriesAndTernariesAreRead() throws {
        let inner = comparison(.property(.variable("x"), ["n"]), .greater, integer(1))
        #expect(
            try FetchPredicate("ANY tags.name BEGINSWITH[cd] %@", "f")
                == comparison(
                    path("tags.name"), .beginsWith, text("f"),
                    [.caseInsensitive, .diacriticInsensitive], .any))
        #expect(try FetchPredicate("SOME a == 1") == FetchPredicate("ANY a == 1"))
        #expect(
            try FetchPredicate("NOT ALL a.b == 1")
                == .not(comparison(path("a.b"), .equal, integer(1), [], .all)))
        #expect(
            try FetchPredicate("NONE tags (name == 'x' AND #count > 1)")
                == .quantified(
                    .none, keyPath: ["tags"],
                    .and([
                        comparison(path("name"), .equal, text("x")),
                        comparison(path("count"), .greater, integer(1)),
                    ])))
        #expect(
            try FetchPredicate("SUBQUERY(items, $x, $x.n > 1).@count == 0")
                == comparison(
                    .function(.count, [.subquery(path("items"), variable: "x", inner)]), .equal,
                    integer(0)))
        #expect(
            try FetchPredicate("TERNARY(a == 1, b, 'c') == nil")
                == comparison(
                    .conditional(comparison(path("a"), .equal, integer(1)), path("b"), text("c")),
                    .equal, .constant(.null)))
    }
}
