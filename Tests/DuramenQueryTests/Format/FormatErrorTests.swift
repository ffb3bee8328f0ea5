import DuramenQuery
import Testing

@Suite struct FormatErrorTests {
    private func error(
        _ format: String, _ arguments: [any PredicateArgument] = []
    ) -> PredicateFormatError? {
        do throws(PredicateFormatError) {
            _ = try FetchPredicate(format: format, arguments: arguments)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", PredicateFormatError.Code.syntax, 0), ("a", .syntax, 0), ("a ==", .syntax, 4),
        ("a == 1 b", .syntax, 7), ("a AND b == 1", .syntax, 0), ("(a == 1", .syntax, 7),
        ("a == 1)", .syntax, 6), ("a == (b == 1)", .syntax, 5), ("a == 1 == 2", .syntax, 7),
        ("a == 'x", .invalidLiteral, 5), ("a == '\\x4'", .invalidLiteral, 6),
        ("a == '\\x-0'", .invalidLiteral, 6), ("a == '\\u+0e9'", .invalidLiteral, 6),
        ("a == '\\08 '", .invalidLiteral, 6), ("größe == 'é' é", .syntax, 13),
        ("größe\u{A0}== 'é\\ud800'", .invalidLiteral, 11), ("é == 1é", .invalidLiteral, 5),
        ("a ==[cé] 'x'", .syntax, 6), ("a == 1 \u{1F600}", .syntax, 7),
        ("a == 12abc", .invalidLiteral, 5), ("a == 0x", .invalidLiteral, 5),
        ("a == 0b12", .invalidLiteral, 5), ("a ==[q] 'x'", .syntax, 5), ("a == ;", .syntax, 5),
        ("a == %", .invalidLiteral, 5), ("a == %y", .invalidLiteral, 5),
        ("a == $", .invalidLiteral, 6),
        ("size == 1", .syntax, 0), ("a.@median.b.@nothing > 1", .unknownName, 12),
        ("frobnicate:(a) == 1", .unknownName, 0), ("SELF isKindOfClass: 'x'", .syntax, 5),
        ("CAST(a, 'Nothing') == 1", .unknownName, 8),
        ("CAST('x', 'NSUUID') == a", .invalidLiteral, 5),
        ("FUNCTION(a, 'text') == 1", .unknownName, 12), ("sqrt(a, b) == 1", .syntax, 0),
        ("SUBQUERY(a, x, x == 1).@count == 0", .syntax, 12), ("ANY a", .syntax, 5),
        ("a IN {1, 2", .syntax, 10), ("FETCH(a, b, c) == 1", .syntax, 0), ("a. == 1", .syntax, 3),
        ("a[1 == 2", .syntax, 4), ("{1}{2} == 1", .syntax, 3), ("a == 1 AND", .syntax, 10),
    ])
    func aMistakeIsFoundWhereItIs(
        _ format: String, _ code: PredicateFormatError.Code, _ offset: Int
    ) {
        let error = error(format)
        #expect(error?.code == code, "\(format): \(error?.description ?? "no error")")
        #expect(error?.offset == offset, "\(format): \(error?.description ?? "no error")")
    }

    /// Found by the fuzzer: the predicate was printed as another one.
    @Test func namesThatNoPropertyHasAreRefused() {
        #expect(error("#'' == 1")?.code == .invalidLiteral)
        #expect(error("a.#'\u{0}b' == 1")?.offset == 3)
    }

    @Test func theCaretStandsUnderThePlace() {
        let lines = error("a == 1\n  AND b ==> 2")?.description.split(separator: "\n") ?? []
        #expect(lines.count == 3)
        #expect(lines.dropFirst().first == "    AND b ==> 2")
        #expect(lines.last == "            ^")
    }

    @Test func argumentsAreCountedAndChecked() {
        #expect(error("a == %@")?.code == .argumentMismatch)
        #expect(error("a == %@ AND b == %@", [1])?.offset == 17)
        #expect(error("a == 1", [1])?.code == .argumentMismatch)
        #expect(error("a == '%@'", [1])?.code == .argumentMismatch)
        #expect(error("%K == 1", [1])?.code == .argumentMismatch)
        #expect(error("%K == 1", ["a..b"])?.code == .argumentMismatch)
        #expect(error("%K == 1", ["\u{0}a"])?.code == .argumentMismatch)
        #expect(error("a == %d", ["x"])?.code == .argumentMismatch)
        #expect(error("a == %f", [true])?.code == .argumentMismatch)
        #expect(error("a == %s", [1])?.code == .argumentMismatch)
    }

    @Test func depthAndSizeAreBounded() throws {
        let deep = String(repeating: "(", count: 100_000)
        #expect(error(deep)?.code == .tooComplex)
        #expect(error(String(repeating: "NOT ", count: 100_000) + "a == 1")?.code == .tooComplex)
        #expect(error("a == " + String(repeating: "-", count: 100_000) + "1")?.code == .tooComplex)
        #expect(error("a == 1" + String(repeating: " + 1", count: 200))?.code == .tooComplex)
        #expect(error("a" + String(repeating: "[0]", count: 200) + " == 1")?.code == .tooComplex)
        #expect(
            error("a IN {" + String(repeating: "1,", count: 100_000) + "1}")?.code == .tooComplex)
        let path = Array(repeating: "a", count: 100_000).joined(separator: ".")
        #expect(error(path + " == 1")?.code == .tooComplex)
        #expect(error("$x." + path + " == 1")?.code == .tooComplex)
        #expect(error("%K == 1", [path])?.code == .tooComplex)
        let longest = Array(repeating: "a", count: 128).joined(separator: ".")
        #expect(error(longest + " == 1") == nil)
        let wide = Array(repeating: "a == 1", count: 5_000).joined(separator: " OR ")
        #expect(error(wide) == nil)
        let nested =
            String(repeating: "NOT (", count: 100) + "a == 1" + String(repeating: ")", count: 100)
        #expect(error(nested) == nil)
    }

    @Test func noTextMakesTheParserTrap() {
        let pieces = [
            "(", ")", "{", "}", "[", "]", ".", ",", "a", "b.c", "1", "2.5", "'x'", "\"", "'", "\\",
            "%@", "%K",
            "%d", "%", "$x", "$", "@count", "@", "#", "#in", "AND", "OR", "NOT", "IN", "ANY",
            "SUBQUERY",
            "TERNARY", "CAST", "FUNCTION", "==", "<", "!=", ":=", "-", "**", "add:to:", "SELF",
            "nil", "LIKE[cd]",
            "[FIRST]", "\u{0}", "é", "0x", "1e", "now()", "UNION", "~",
        ]
        var random = SeededGenerator(state: 7)
        var read = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &random)
            let words = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
            let format = words.joined(separator: Bool.random(using: &random) ? " " : "")
            let arguments: [any PredicateArgument] = words.compactMap { word in
                word == "%d" ? 1 : (word == "%@" || word == "%K" ? "a" : nil)
            }
            if let error = error(format, arguments) {
                #expect((0...format.unicodeScalars.count).contains(error.offset), "\(format)")
                #expect(!error.description.isEmpty)
            } else {
                read += 1
            }
        }
        // Few are, since most pieces do not fit together.
        #expect(read > 20, "only \(read) were read")
    }
}
