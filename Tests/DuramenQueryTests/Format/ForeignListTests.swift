import DuramenQuery
import Testing

/// Lists as SQL and Swift write them, which are refused, and what looks like one.
struct ForeignListTests {
    @Test(arguments: [
        "a IN (1, 2)", "a IN (1)", "a IN ('x', 'y')", "a IN (%@, %@)", "a NOT IN (1, 2)",
        "a IN ((1), 2)",
        "a IN ({1}, {2})", "a BETWEEN (1, 2)", "a IN[c] ('x', 'y')",
    ])
    func aListInParenthesesIsRefused(format: String) {
        #expect(problem(of: format).contains("in parentheses. Write it in braces, such as"))
    }

    @Test(arguments: [
        "a IN [1, 2]", "a IN [1]", "a IN []", "a IN ['x']", "a IN [x, y]", "a IN[1,2]",
        "a NOT IN [1, 2]", "a BETWEEN [1, 2]", "a IN[c] ['x']",
    ])
    func aListInBracketsIsRefused(format: String) {
        #expect(problem(of: format).contains("in brackets. Write it in braces, such as"))
    }

    @Test(arguments: [
        ("a IN {1, 2}", "a IN {1, 2}"), ("a IN (b)", "a IN b"), ("a IN (b.c)", "a IN b.c"),
        ("a IN ({1, 2})", "a IN {1, 2}"), ("a IN[c] {'x'}", "a IN[c] {'x'}"),
        ("a IN (SUBQUERY(b, $x, $x.c IN {1, 2}))", "a IN SUBQUERY(b, $x, $x.c IN {1, 2})"),
        ("(a IN {1}) AND b == 2", "a IN {1} AND b == 2"),
    ])
    func otherParenthesesAndBracketsStay(format: String, same: String) throws {
        #expect(try FetchPredicate(format) == FetchPredicate(same))
    }

    private func problem(of format: String) -> String {
        do throws(PredicateFormatError) {
            _ = try FetchPredicate(format: format, arguments: [1, 2])
            return ""
        } catch {
            return error.message
        }
    }
}
