import Foundation
import Testing

@Suite struct PredicateTests {
    @Test("A predicate is printed as a tree and in its canonical form")
    func tree() throws {
        let parse = try Tool(
            "predicate", "parse",
            "a >= %@ && ANY tags.name LIKE[cd] \"a*\" OR NOT %K IN {1, 2.5} and "
                + "SUBQUERY(items, $x, $x.d == %@).@count > 0",
            "--arguments", #"[6, "b.c", {"date": "2026-01-01T00:00:00Z"}]"#)
        #expect(parse.status == 0)
        #expect(parse.errors == "")
        #expect(
            parse.output == """
                OR
                  AND
                    >=
                      key path a
                      integer 6
                    ANY LIKE, case insensitive, diacritic insensitive
                      key path tags.name
                      text "a*"
                  AND
                    NOT
                      IN
                        key path b.c
                        list
                          integer 1
                          double 2.5
                    >
                      function count
                        SUBQUERY with $x
                          key path items
                          ==
                            key path d of
                              variable $x
                            date 2026-01-01T00:00:00Z
                      integer 0

                (a >= 6 AND ANY tags.name LIKE[cd] "a*") OR (NOT b.c IN {1, 2.5} AND SUBQUERY(items, \
                $x, $x.d == CAST(788918400.0, "NSDate")).@count > 0)

                """)
    }

    @Test(
        "Arguments of every kind arrive",
        arguments: [
            ("null", "nil"), ("true", "boolean TRUE"), ("-7", "integer -7"), ("7.0", "double 7.0"),
            ("-0.0", "double 0.0"), ("1e3", "double 1000.0"),
            ("9223372036854775807", "integer 9223372036854775807"),
            (#""é \u00e9 \ud83d\ude00 \"""#, #"text "é é 😀 \"""#),
            (#"{"date": "2026-01-01T00:00:00.125Z"}"#, "date 2026-01-01T00:00:00.125Z"),
            (#"{"date": "2026-01-01T01:00:00+01:00"}"#, "date 2026-01-01T00:00:00Z"),
            (#"{"date": "2026-01-01"}"#, "date 2026-01-01T00:00:00Z"),
            (
                #"{"uuid": "01020304-0506-0708-090a-0b0c0d0e0f10"}"#,
                "UUID 01020304-0506-0708-090A-0B0C0D0E0F10"
            ),
            (#"{"decimal": "-1.10"}"#, "decimal -1.1"), (#"{"data": "AP8K"}"#, "data of 3 bytes"),
            (#"{"url": "https://example.org"}"#, "URL https://example.org"),
            (
                #"{"objectID": "x-coredata://01020304-0506-0708-090A-0B0C0D0E0F10/Any%20one/p7"}"#,
                "object ID x-coredata://01020304-0506-0708-090A-0B0C0D0E0F10/Any%20one/p7"
            ),
        ])
    func argumentKinds(json: String, node: String) throws {
        let parse = try Tool("predicate", "parse", "a == %@", "--arguments", "[\(json)]")
        #expect(parse.errors == "")
        #expect(parse.output.hasPrefix("==\n  key path a\n  \(node)\n\na == "), "\(parse.output)")
        let list = try Tool("predicate", "parse", "a IN %@", "--arguments", "[ [ \(json) ] ]")
        #expect(list.output.hasPrefix("IN\n  key path a\n  list\n    \(node)\n"), "\(list.output)")
    }

    @Test("JSON holds the tree, the canonical form and the variables")
    func json() throws {
        let parse = try Tool("predicate", "parse", "--json", "a == $who")
        #expect(parse.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(parse.output.utf8))
        let report = try #require(object as? [String: Any])
        #expect(report["canonical"] as? String == "a == $who")
        #expect(report["variables"] as? [String] == ["who"])
        let tree = try #require(report["tree"] as? [String: Any])
        #expect(tree["node"] as? String == "==")
        let children = try #require(tree["children"] as? [[String: Any]])
        #expect(children.map { $0["node"] as? String } == ["key path a", "variable $who"])
    }

    @Test("A mistake is a message, the line and a caret below the place, and status 1")
    func mistakes() throws {
        let parse = try Tool("predicate", "parse", "a == 1 AND\nbb = = 3")
        #expect(parse.status == 1)
        #expect(parse.output == "")
        let lines = parse.errors.components(separatedBy: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("Error: ") && lines[0].hasSuffix("[syntax]"))
        #expect(lines[1...2] == ["  bb = = 3", "       ^"])
    }

    @Test("No control character of a format string reaches the terminal")
    func hostileFormat() throws {
        let parse = try Tool("predicate", "parse", "a = \u{1B}[31m \u{9B}\u{202E} x")
        #expect(parse.status == 1)
        #expect(
            !parse.errors.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
        let name = try Tool("predicate", "parse", "a == '\u{9B}31m\u{202E}'")
        #expect(name.status == 0)
        #expect(!name.output.unicodeScalars.contains { ["\u{9B}", "\u{202E}"].contains($0) })
    }

    @Test("Too few and too many arguments are mistakes", arguments: ["[]", "[1, 2]", "[[1], 2]"])
    func argumentCounts(json: String) throws {
        let parse = try Tool("predicate", "parse", "a == %@", "--arguments", json)
        #expect(parse.status == 1)
        #expect(parse.output == "")
        #expect(parse.errors.contains("[argumentMismatch]"))
    }

    @Test(
        "Arguments that are no list of values are one line of error and status 1",
        arguments: [
            "", " ", "1", "{}", "null", "\"a\"", "[", "[1", "[1,]", "[1 2]", "[1] 2", "[,1]",
            "[tru]",
            "[True]", "[nan]", "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[-]", "[1e999]",
            "[9223372036854775808]", "['a']", "[\"a]", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\ud800\"]",
            "[\"\\ud800\\u0041\"]", "[\"\\udc00\"]", "[\"a\nb\"]", "[[[1]]]", "[{}]",
            "[{\"a\": 1}]",
            "[{\"date\": 1}]", "[{\"date\": \"x\"}]", "[{\"date\": \"2026-13-01T00:00:00Z\"}]",
            "[{\"uuid\": \"x\"}]", "[{\"decimal\": \"1x\"}]", "[{\"decimal\": \"nan\"}]",
            "[{\"decimal\": \"1e999\"}]", "[{\"data\": \"*\"}]",
            "[{\"objectID\": \"x\"}]", "[{\"objectID\": \"x-coredata://a/B/p1\"}]",
            "[{\"colour\": \"red\"}]", "[{\"uuid\": \"a\", \"date\": \"b\"}]", "[{\"uuid\" \"a\"}]",
            "[{uuid: \"a\"}]", "[{\"uuid\": \"a\"]", "[\u{1B}]",
            String(repeating: "[", count: 50_000),
            String(repeating: "{\"a\":", count: 20_000),
        ])
    func hostileArguments(json: String) throws {
        let parse = try Tool("predicate", "parse", "a == %@", "--arguments", json)
        #expect(parse.status == 1)
        #expect(parse.output == "")
        #expect(parse.errors.hasPrefix("Error: --arguments, character "), "\(parse.errors)")
        #expect(parse.errors.split(separator: "\n").count == 1, "\(parse.errors)")
    }

    @Test("A predicate that is nested too deeply is refused")
    func depth() throws {
        let parse = try Tool(
            "predicate", "parse", String(repeating: "NOT ", count: 20_000) + "a == 1")
        #expect(parse.status == 1)
        #expect(parse.errors.contains("[tooComplex]"))
    }
}
