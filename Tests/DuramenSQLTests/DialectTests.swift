import DuramenSQL
import Testing

@Suite struct DialectTests {
    @Test func quotesInsideNamesAreDoubled() {
        #expect(SQLiteDialect().quote("a\"b") == "\"a\"\"b\"")
        #expect(SQLiteDialect().quote("\"") == "\"\"\"\"")
        #expect(SQLiteDialect().quote("SELECT") == "\"SELECT\"")
    }
}
