import DuramenSQL
import Testing

@Suite struct DialectTests {
    @Test func quotesInsideNamesAreDoubled() {
        #expect(SQLiteDialect().quote("a\"b") == "\"a\"\"b\"")
        #expect(SQLiteDialect().quote("\"") == "\"\"\"\"")
        #expect(SQLiteDialect().quote("SELECT") == "\"SELECT\"")
    }

    // One character to Swift, two to an engine.
    @Test func aQuoteBeforeAnAccentIsDoubled() {
        #expect(SQLiteDialect().quote("a\"\u{301}b") == "\"a\"\"\u{301}b\"")
        #expect(PostgresDialect().quote("a\"\u{301}b") == "\"a\"\"\u{301}b\"")
        #expect(SQLQuoting.literal("a'\u{301}b") == "'a''\u{301}b'")
    }
}
