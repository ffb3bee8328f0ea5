import DuramenModel
import DuramenQuery
import DuramenStore

/// Queries in format strings: functions, arithmetic, aggregates of to-manys, subqueries.
package enum ExpressionQueries {
    static var families: [QueryFamily] {
        formats.map { family($0.name, of: $0.entity, $0.formats) } + [sites]
    }

    /// Conditions on the objects of an entity of ``ConformanceModel``.
    package static let formats: [(name: String, entity: String, formats: [String])] = [
        ("Quantifiers over key paths are exact", "Item", quantifiers),
        ("Aggregates of to-manys are exact", "Item", aggregates),
        ("Subqueries are exact", "Item", subqueries),
        ("Collections of a path, and sets, are exact", "Shelf", collections),
        ("Arithmetic is exact", "Sample", arithmetic),
        ("Functions of numbers are exact", "Sample", numbers),
        ("Functions of text are exact", "Sample", texts),
        ("Regular expressions are exact", "Sample", patterns),
        ("Conditions within expressions are exact", "Sample", conditionals),
        ("Casts are exact", "Sample", casts),
        ("Dates are calculated with exactly", "Sample", dates),
        ("The entity itself can be asked for", "Item", entities),
    ]

    private static func family(
        _ name: String, of entity: String, _ formats: [String]
    ) -> QueryFamily {
        QueryFamily(
            name,
            preparing: { driver in
                let data = try QueryData(driver)
                let queries = try formats.flatMap { format in
                    let predicate = try FetchPredicate(format)
                    return [predicate, .not(predicate)].map { driver.query(entity, where: $0) }
                }
                return (data.contents, queries)
            })
    }

    private static let quantifiers = [
        "ANY tags.name == 'red'", "ANY tags.name ==[cd] 'red'", "ALL tags.name == 'red'",
        "NONE tags.name BEGINSWITH[c] 'r'", "SOME tags.name IN {'blue', 'Red'}",
        "ALL tags.name BETWEEN {'a', 's'}", "ANY parts.tags.name == 'blue'",
        "ALL parts.tags.name == 'blue'", "NONE parts.tags.name == 'blue'",
        "ANY parts.rank == nil", "ANY shelf.items.rank > 4", "ANY tags.related.name == 'x'",
        "ANY parts.tags.@count > 1 OR rank == 2", "NOT ANY tags.name != 'red'",
        "'red' IN tags.name",
        "'RED' IN[c] tags.name", "tags.name CONTAINS 'red'", "nil IN tags.name",
        "ANY tags (name == 'red' AND items.@count > 3)", "ANY parts.parts.rank > 1",
        "ANY shelf.items.code MATCHES 'code 1[0-9]'", "ALL favouredBy.height < 0",
    ]

    private static let aggregates = [
        "parts.@count == 2", "tags.@count > parts.@count", "parts.tags.@count >= 2",
        "parts.@sum.rank > 3", "parts.rank.@sum == 0", "parts.@max.rank == 5",
        "parts.@min.rank < rank", "parts.@avg.rank > 2.5", "max(parts.rank) >= 3",
        "shelf.items.@max.rank == rank", "parts.@avg.rank == nil",
        "count(parts.rank) < parts.@count", "tags.@max.name == 'red'", "tags.@min.name <[c] 'c'",
        "median(shelf.items.rank) > 2", "stddev(shelf.items.rank) > 1.5",
        "parts.@distinctUnionOfObjects.rank.@count < parts.@count", "sum(rank, 1, 2) > 5",
        "max(rank, 3) == 3", "min(rank, parts.@max.rank) == 1", "shelf.items.tags.@count > 9",
        "parts.@sum.rank + tags.@count > 4", "favouredBy.@max.height > 0",
        "mode(shelf.items.rank)[0] == 1",
    ]

    private static let subqueries = [
        "SUBQUERY(tags, $t, $t.name == 'red').@count > 0",
        "SUBQUERY(tags, $t, $t.name ==[c] 'red').@count == 0",
        "SUBQUERY(tags, $t, $t.name BEGINSWITH[cd] 'r').@count == 2",
        "SUBQUERY(parts, $p, $p.rank > rank).@count > 0",
        "SUBQUERY(tags, $t, $t.name MATCHES '.*').@count <= 2 AND code <= 'code 9'",
        "SUBQUERY(parts, $p, $p.rank == nil OR $p.tags.@count > 1).@count >= 1",
        "SUBQUERY(parts, $p, ANY $p.tags.name == 'blue').@count > 0",
        "SUBQUERY(parts, $p, SUBQUERY($p.tags, $t, $t.name == 'red').@count > 0).@count == 1",
        "SUBQUERY(shelf.items, $i, $i.rank == SELF.rank AND $i != SELF).@count > 0",
        "SUBQUERY(parts.tags, $t, $t.name == 'red').@count > 0",
        "SUBQUERY(parts, $p, $p.shelf.name == 'high' AND $p.rank + 1 > 2).@count > 0",
        "SUBQUERY(parts, $p, NOT ($p.rank > 2)).@count == parts.@count",
        "SUBQUERY(SUBQUERY(parts, $p, $p.rank > 1), $q, $q.rank < 5).@count > 0",
        "max(SUBQUERY(shelf.items, $i, $i.rank < 5).rank) == 4",
        "SUBQUERY(tags, $t, TRUEPREDICATE).@count > 1",
    ]

    private static let collections = [
        "items.rank CONTAINS 5", "5 IN items.rank", "items.tags.name CONTAINS 'blue'",
        "(items.rank UNION {7}).@count > 4", "(items.rank INTERSECT {1, 2}).@count == 2",
        "(items.rank MINUS {1, 2, 3}).@count > 1", "(items.rank MINUS {1, 2, 3})[FIRST] == 0",
        "items.@distinctUnionOfObjects.rank[LAST] == 5", "{1, height + 2}[1] > 2",
        "name IN {'Low', name}",
        "height BETWEEN {-1, items.@count}", "height IN {-1.5, 0.5 + 1}", "items.@count IN {0, 4}",
        "ANY (items.rank UNION {9}) == 9",
    ]

    private static let arithmetic = [
        "small + medium > 0", "small - 1 < -1", "large + 1 > large", "large * 2 == 0",
        "large / 2 < 0",
        "medium / 0 == nil", "small / 0 != nil", "modulus:by:(medium, 7) == 1",
        "modulus:by:(large, -1) == 0", "-large > 0", "-(small) == 1", "real + 1 > 1",
        "real * real >= 1",
        "real / 3 < 0", "real - real == 0", "single + small >= 0.5", "exact + 1 > 1",
        "exact * 2 == 0.2",
        "exact / 3 > 1", "exact - 0.1 > 0", "small ** 2 == 1", "2 ** small > 1", "flag + 1 == 2",
        "small & 3 == 3", "small | 1 == small", "medium ^ 1 > 0", "~small == 0", "1 << small > 1",
        "large >> 1 < 0", "(large & 1) == 1", "large << 70 == 0", "real & 1 == 1",
        "large + large == 0",
        "(small + 1) * (small - 1) > 5", "small + nil == nil", "large - 9223372036854775807 > 0",
        "real + large > 0", "exact + real > 1", "large == large + 0.0", "small < medium + 1",
    ]

    private static let numbers = [
        "sqrt(small) > 5", "sqrt(real) == nil", "abs(small) == 1",
        "abs(large) > 9223372036854775806",
        "abs(exact) < 0.5", "floor(real) == 0", "ceiling(real) == 1", "trunc(real) == 0",
        "floor(exact) == 12", "ceiling(exact) == 13", "trunc(exact) == -12",
        "floor(small) == small",
        "ln(small) > 3", "log(medium) > 9", "exp(small) > 2", "exp(real) < 2", "log(small) == nil",
        "abs(single) == 0.5", "noindex:(small) == 42",
        "distanceToLocation:fromLocation:({0, small}, {0, 0}) > 100000",
    ]

    private static let texts = [
        "uppercase:(text) == 'AB'", "lowercase:(text) == 'ab'", "canonical:(text) == 'arger'",
        "text.length == 2", "length:(text) > 3", "length:(bytes) == 3",
        "uppercase:(text) CONTAINS 'Ä'",
        "lowercase:(link) BEGINSWITH 'https'", "text IN 'abc'", "'b' IN text", "'B' IN[c] text",
        "text CONTAINS text", "text BEGINSWITH lowercase:(text)", "text LIKE '*' ",
        "'abab' LIKE text",
        "text ==[c] uppercase:(text)", "text <[cd] 'b'", "text BETWEEN[c] {'A', 'C'}",
        "length:(lowercase:(text)) != text.length", "text ==[n] 'a'",
        "uppercase:(text) IN {'A', 'SS'}",
        "uppercase:(text) == text", "link.length > 12",
    ]

    private static let patterns = [
        "text MATCHES 'a.*'", "text MATCHES '[a-e]+'", "text MATCHES[c] 'A[bB]?'",
        "text MATCHES '.'",
        "text MATCHES[cd] 'e'", "text MATCHES '\\\\d+'", "text MATCHES '(a|b)*'", "text MATCHES ''",
        "link MATCHES 'https://[^/]+/.*'", "text MATCHES '\\\\w{2,4}'",
        "lowercase:(text) MATCHES 'na.ve'",
        "text MATCHES[c] 'ärger|ss'",
    ]

    private static let conditionals = [
        "TERNARY(small > 0, 1, 0) == 1", "TERNARY(text == nil, 'none', text) == 'none'",
        "TERNARY(small > 0, text, nil) == nil", "TERNARY(flag == YES, small, medium) > 10",
        "TERNARY(text BEGINSWITH 'a', 1, TERNARY(text == 'b', 2, 3)) == 2",
        "TERNARY(small == nil, 0, small) + 1 > 0",
        "TERNARY(flag == YES AND YES == YES, YES, NO) == NO",
        "length:(TERNARY(text != NULL, text, '')) == 0",
    ]

    private static let casts = [
        "CAST(small, 'NSString') == '42'", "CAST(real, 'NSString') == '0.1'",
        "CAST(text, 'NSNumber') == 10", "CAST(text, 'NSNumber') > 100",
        "CAST(moment, 'NSNumber') > 0",
        "CAST(small, 'NSDate') > CAST(0, 'NSDate')", "CAST(exact, 'NSString') BEGINSWITH '12'",
        "CAST(flag, 'NSString') == '1'", "CAST(small, 'NSDecimalNumber') == 42",
        "CAST(token, 'NSString') ENDSWITH '1'", "CAST(bytes, 'NSString') == 'AA=='",
        "CAST(text, 'NSDate') == nil", "CAST(large, 'NSString') CONTAINS '922'",
    ]

    private static let dates = [
        "moment + 1 > CAST(0, 'NSDate')", "moment - CAST(0, 'NSDate') > 1", "moment < now()",
        "moment - 0.5 == CAST(-0.5, 'NSDate')", "1 + moment > moment", "moment > now() - 86400",
        "CAST(moment, 'NSNumber') / 2 > 10", "max(moment, CAST(0, 'NSDate')) == CAST(0, 'NSDate')",
    ]

    private static let entities = [
        "entity == 'Novel'", "entity != 'Disc'", "entity IN {'Book', 'Disc'}",
        "parent.entity == 'Disc'",
        "ANY parts.entity == 'Novel'", "entity BEGINSWITH[c] 'b'",
        "SUBQUERY(parts, $p, $p.entity == entity).@count > 0", "parent.entity == nil",
        "entity IN parts.entity", "parts.entity CONTAINS entity",
        "count(SUBQUERY(parts, $p, $p.rank > 1).entity) > 0",
    ]

    private static var sites: QueryFamily {
        QueryFamily(
            "Elements of composites stand in expressions",
            preparing: { driver in
                let contents = try CompositeCases.insertSites(driver)
                let queries = try [
                    "position.latitude + 1 > 3", "abs(position.latitude) < 2",
                    "position.latitude * 2 > next.position.latitude", "length:(origin.name) == 3",
                    "TERNARY(position.grid.square == nil, 1, 2) == 2", "origin.price + 1 > 10",
                    "SUBQUERY({1, 2}, $n, $n < position.latitude).@count == 2",
                    "distanceToLocation:fromLocation:(position, {48.2, 16.4}) < 500000",
                ].flatMap { format in
                    let predicate = try FetchPredicate(format)
                    return [predicate, .not(predicate)].map { driver.query("Site", where: $0) }
                }
                return (contents, queries)
            })
    }
}
