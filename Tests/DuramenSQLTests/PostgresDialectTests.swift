import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation
import Testing

/// The statements for PostgreSQL, by their texts.
@Suite struct PostgresDialectTests {
    let source: TypedSource

    init() throws { source = try TypedSource() }

    /// The condition of a predicate on an entity; nil if the evaluator must decide.
    private func condition(_ entity: String, _ format: String) throws -> String? {
        let entity = try source.mapping.entity(entity)
        let predicate = try FetchPredicate(format).lowered(for: entity, in: source.mapping.model)
        var compiler = PredicateCompiler(
            mapping: source.mapping, dialect: source.dialect, entity: entity.id)
        let text = compiler.compile(predicate)
        #expect(compiler.parameters.count == compiler.types.count)
        return text
    }

    @Test(arguments: [
        ("TRUEPREDICATE", "TRUE"),
        ("age == 3", "(t0.age = $1::bigint)"),
        ("age != 3", "(t0.age IS DISTINCT FROM $1::bigint)"),
        ("age > 2.5", "(t0.age >= $1::bigint)"),
        ("age == 2.5", "FALSE"),
        ("age < 1e300", "(t0.age IS NOT NULL)"),
        ("NOT (age == 3)", "(NOT ((t0.age = $1::bigint) IS TRUE))"),
        ("age BETWEEN {1.5, 9}", "((t0.age >= $1::bigint) AND (t0.age <= $2::bigint))"),
        ("age IN {1, 2, 2.5}", "(t0.age = ANY($1::bigint[]))"),
        ("age == nil", "(t0.age IS NULL)"),
        ("isActive == YES", "(t0.isActive = $1::boolean)"),
        ("isActive == 1", "(t0.isActive = $1::boolean)"),
        ("isActive > 0.5", "(t0.isActive = $1::boolean)"),
        ("isActive == 2", "FALSE"),
        ("height >= 9007199254740993", "(t0.height >= $1::double precision)"),
        ("weight == 0.5", "(t0.weight = $1::double precision)"),
        ("age == height", nil),
        ("height == weight", "(t0.height IS NOT DISTINCT FROM t0.weight)"),
        ("salary > 3", "(t0.salary > $1::numeric)"),
        ("salary > 0.5", nil),
        ("name == 'a'", "(t0.name = $1::text)"),
        ("name IN {'a', 'b'}", "(t0.name = ANY($1::text[]))"),
        ("name BEGINSWITH 'ab'", "(t0.name >= $1::text AND t0.name < $2::text)"),
        ("name CONTAINS 'ab'", "(strpos(t0.name, $1::text) > 0)"),
        (
            "NOT (name ENDSWITH 'ab')",
            "(NOT ((right(t0.name, length($1::text)) = $1::text) IS TRUE))"
        ),
        ("name CONTAINS ''", "(t0.name IS NOT NULL)"),
        ("name ==[c] 'ab'", nil),
        ("name LIKE 'a*'", nil),
        ("age + 1 == 3", nil),
        (
            "books.@count > 2",
            "((SELECT COUNT(*) FROM book AS t1 WHERE t1.author = t0.id AND COALESCE(t1.author_entity, 2) = t0.entity) > $1::bigint)"
        ),
        (
            "ANY books.pages > 100",
            "EXISTS (SELECT 1 FROM book AS t1 WHERE t1.author = t0.id AND COALESCE(t1.author_entity, 2) = t0.entity AND (t1.pages > $1::bigint))"
        ),
        (
            "ALL books.title == 'a'",
            "(NOT EXISTS (SELECT 1 FROM book AS t1 WHERE t1.author = t0.id AND COALESCE(t1.author_entity, 2) = t0.entity AND (NOT ((t1.title = $1::text) IS TRUE))))"
        ),
        (
            "books.@max.pages > 100",
            "(((SELECT MAX(t1.pages) FROM book AS t1 WHERE t1.author = t0.id AND COALESCE(t1.author_entity, 2) = t0.entity) > $1::bigint) IS TRUE)"
        ),
        ("books.@sum.pages > 100", nil),
        (
            "books.tags.@count > 1",
            "(((SELECT COUNT(*) FROM book AS t1 CROSS JOIN book_tags AS t3 JOIN tag AS t2"
                + " ON t2.id = t3.tag WHERE t1.author = t0.id"
                + " AND COALESCE(t1.author_entity, 2) = t0.entity AND t3.book = t1.id)"
                + " > $1::bigint) IS TRUE)"
        ),
        (
            "SUBQUERY(books, $b, $b.title == 'a').@count == 0",
            "(NOT EXISTS (SELECT 1 FROM book AS t1 WHERE t1.author = t0.id AND COALESCE(t1.author_entity, 2) = t0.entity AND (t1.title = $1::text)))"
        ),
        (
            "TERNARY(age > 3, name, 'x') == 'y'",
            "(((CASE WHEN ((t0.age > $1::bigint) IS TRUE) THEN t0.name ELSE ($2::text COLLATE \"C\") END) = $3::text) IS TRUE)"
        ),
        (
            "TERNARY(age > 3, height, nil) > 1.5",
            "(((CASE WHEN ((t0.age > $1::bigint) IS TRUE) THEN t0.height ELSE NULL::double precision END) > $2::double precision) IS TRUE)"
        ),
        ("entity.name == 'Poet'", nil),
    ])
    func conditionsOnPeople(_ format: String, _ text: String?) throws {
        let found = try condition("Person", format)
        #expect(found == text, "\(format)")
    }

    @Test(arguments: [
        ("author == nil", "(t0.author IS NULL)"),
        ("author.name == 'a'", "(t1.name = $1::text)"),
        (
            "ANY tags.word == 'a'",
            "EXISTS (SELECT 1 FROM book_tags AS t2 JOIN tag AS t1 ON t1.id = t2.tag WHERE t2.book = t0.id AND (t1.word = $1::text))"
        ),
        ("price == nil", "(t0.price IS NULL)"),
    ])
    func conditionsOnBooks(_ format: String, _ text: String?) throws {
        let found = try condition("Book", format)
        #expect(found == text, "\(format)")
    }

    @Test func typesSayHowParametersAreSent() throws {
        var compiler = PredicateCompiler(
            mapping: source.mapping, dialect: source.dialect,
            entity: try source.mapping.entity("Person").id)
        let code = UUID()
        let bytes = withUnsafeBytes(of: code.uuid) { Array($0) }
        let predicates: [(String, StoredValue, SQLParameterType, SQLParameter)] = [
            ("age", .integer(1), .bigint, .integer(1)),
            ("isActive", .boolean(true), .boolean, .integer(1)),
            ("height", .boolean(true), .double, .double(1)),
            ("weight", .double(0.5), .double, .double(0.5)),
            ("salary", .decimal(0.5), .decimal, .decimal(0.5)),
            ("salary", .integer(2), .decimal, .decimal(2)),
            ("home", .text("a"), .text, .text("a")),
            ("born", .date(Date(timeIntervalSinceReferenceDate: 1)), .double, .double(1)),
            ("photo", .binary(Data([1])), .bytes, .bytes([1])),
            ("code", .uuid(code), .uuid, .bytes(bytes)),
        ]
        for (name, value, type, parameter) in predicates {
            _ = compiler.compile(
                .comparison(PredicateComparison(.keyPath([name]), .equal, .constant(value))))
            #expect(compiler.types.last == type, "\(name)")
            #expect(compiler.parameters.last == parameter, "\(name)")
        }
        #expect(compiler.types.count == predicates.count)
    }

    @Test func objectsAreOneArrayOfKeys() throws {
        let entity = try source.mapping.entity("Book")
        let people = [try source.mapping.id("Person", 3), try source.mapping.id("Poet", 4)]
        let books = try [1, 2].map { StoredValue.objectID(try source.mapping.id("Book", $0)) }
        var compiler = PredicateCompiler(
            mapping: source.mapping, dialect: source.dialect, entity: entity.id)
        let predicates = [
            PredicateComparison(.selfObject, .isIn, .list(books)),
            PredicateComparison(.selfObject, .equal, .constant(books[0])),
            PredicateComparison(
                .keyPath(["author"]), .isIn, .list(people.map { .objectID($0) })),
        ]
        let texts = predicates.map { compiler.compile(.comparison($0)) }
        #expect(texts[0] == "((t0.id = ANY($1::bigint[]) AND t0.entity = 1))")
        #expect(texts[1] == "((t0.id = $2::bigint AND t0.entity = 1))")
        #expect(
            texts[2] == "(((t0.author = ANY($3::bigint[])) AND COALESCE(t0.author_entity, 2) = 2)"
                + " OR ((t0.author = ANY($4::bigint[])) AND COALESCE(t0.author_entity, 2) = 3))")
        #expect(compiler.parameters[0] == .list([.integer(1), .integer(2)]))
    }

    @Test func aQueryIsOneStatement() throws {
        let entity = try source.mapping.entity("Person")
        var query = StoreQuery(
            entity: entity.id, predicate: try FetchPredicate("name == 'a'"),
            sortDescriptors: [
                FetchSortDescriptor("name"), FetchSortDescriptor("age", ascending: false),
            ], offset: 2)
        var slots = SlotSet()
        slots.insert(entity.attributes.first { $0.name == "name" }?.slot ?? 0)
        query.slots = slots
        let select = try QueryCompiler(source).rows(PreparedQuery(query)).1
        #expect(
            select.text.sql == "SELECT t0.id, t0.entity, t0.version, t0.name FROM person AS t0"
                + " WHERE (t0.name = $1::text) ORDER BY t0.name COLLATE \"C\" ASC NULLS FIRST,"
                + " t0.age DESC NULLS LAST, t0.id LIMIT $2::bigint OFFSET $3::bigint")
        #expect(select.parameters == [.text("a"), .null, .integer(2)])
        #expect(select.types == [.text, .bigint, .bigint])
    }

    /// A text whose value decides it is not used for other values of its shape.
    @Test(arguments: [
        ("age > 2", "age > 3", true), ("age > 2.5", "age > 3.5", false),
        ("isActive == YES", "isActive == NO", true), ("isActive == 1", "isActive == 5", false),
        ("height > 1", "height > 2", true), ("height > 1", "height > 9007199254740993", false),
        ("name BEGINSWITH 'a'", "name BEGINSWITH 'b'", true),
        ("name BEGINSWITH 'a'", "name BEGINSWITH '\u{10FFFF}'", false),
        ("name BEGINSWITH '\u{10FFFF}'", "name BEGINSWITH 'a'", false),
        ("name CONTAINS 'a'", "name CONTAINS 'b'", true),
    ])
    func statementsAreSharedByExchangeableValues(
        _ one: String, _ other: String, _ isShared: Bool
    ) throws {
        let entity = try source.mapping.entity("Person").id
        let compiler = QueryCompiler(source)
        let queries = try [one, other].map {
            StoreQuery(entity: entity, predicate: try FetchPredicate($0))
        }
        let made = try compiler.rows(compiler.pushdown(for: queries[0]).prepared)
        let next = try compiler.rows(compiler.pushdown(for: queries[1]).prepared)
        #expect((made.0 === next.0) == isShared)
        let fresh = try QueryCompiler(try TypedSource()).rows(PreparedQuery(queries[1])).1
        #expect(next.1.text.sql == fresh.text.sql)
        #expect(next.1.parameters == fresh.parameters)
    }

    /// The server holds NUL escaped, so that these needles may be found within an escape.
    @Test func needlesThatMayBeWithinAnEscapeAreLeftToTheEvaluator() throws {
        let entity = try source.mapping.entity("Person").id
        let compiler = QueryCompiler(source)
        for (needle, isPushed) in [
            ("a\0", true), ("\0", false), ("\u{1}", false), ("\u{2}", false),
        ] {
            let query = StoreQuery(
                entity: entity,
                predicate: .comparison(
                    PredicateComparison(
                        .keyPath(["name"]), .contains, .constant(.text(.init(needle))))))
            #expect((compiler.pushdown(for: query).residual == nil) == isPushed)
        }
    }

    @Test func groupsSelectTypedColumns() throws {
        let book = try source.mapping.entity("Book").id
        let query = ResultQuery(
            entity: book,
            columns: [
                "author", "title", try ResultColumn("sum", "sum(pages)"),
                try ResultColumn("mean", "average(pages)"), try ResultColumn("most", "max(price)"),
            ], groupBy: [["author"], ["title"]])
        let groups = try query.bound(
            to: source.mapping.model[book], in: source.mapping.model
        )
        .groups(of: StoreQuery(entity: book))
        let statement = try #require(try GroupStatement(groups, source))
        let author =
            "t0.author, (CASE WHEN t0.author IS NOT NULL"
            + " THEN COALESCE(t0.author_entity, 2) END), t0.title"
        let sum = "COALESCE(SUM((t0.pages)::bigint), 0)"
        #expect(
            statement.select.text.sql == "SELECT COUNT(*), \(author), \(sum), \(sum),"
                + " COUNT(t0.pages), MAX(t0.price) FROM book AS t0 GROUP BY \(author)")
        let forms: [SQLGroupColumn.Form] = statement.keys.map(\.form)
        #expect(forms == [.object, .value(.text)])
        let aggregates: [SQLGroupColumn.Form] = statement.aggregates.map(\.form)
        #expect(aggregates == [.wholeSum, .wholeAverage, .value(.decimal)])
    }

    @Test func requestsTakeAnArrayOfKeys() throws {
        let statements = RequestStatements(mapping: source.mapping, dialect: source.dialect)
        let book = try source.mapping.entity("Book")
        let person = try source.mapping.entity("Person")
        #expect(
            statements.rows("t0.id", of: book.id, keys: statements.keys)
                == "SELECT t0.id FROM book AS t0 WHERE t0.id = ANY($1::bigint[]) ORDER BY t0.id")
        let texts = try [(person, "books"), (book, "tags")].map { (entity, name) in
            let relationship = try #require(entity.relationships.first { $0.name == name })
            return statements.destinations(of: relationship.id, keys: statements.keys)
        }
        let columns = "SELECT o.id, o.entity, d.id, d.entity FROM "
        #expect(
            texts[0] == columns + "person AS o JOIN book AS d ON d.author = o.id"
                + " AND COALESCE(d.author_entity, 2) = o.entity WHERE o.id = ANY($1::bigint[])"
                + " AND d.entity IN (1) ORDER BY o.id, d.id")
        #expect(
            texts[1] == columns + "book AS o JOIN book_tags AS p ON p.book = o.id"
                + " JOIN tag AS d ON d.id = p.tag WHERE o.id = ANY($1::bigint[])"
                + " AND d.entity IN (4) ORDER BY o.id, d.id")
    }

    @Test func rowsHaveAColumnForEachSlot() throws {
        let book = try source.mapping.entity("Book")
        let columns = SQLRowColumns([book.id], in: source.mapping, first: ["t0.id"])
        #expect(
            columns.text
                == "t0.id, t0.author, t0.pages, t0.price, t0.title, t0.author_entity")
        #expect(columns.entities[0].steps.count == book.layout.slotCount)
    }
}
