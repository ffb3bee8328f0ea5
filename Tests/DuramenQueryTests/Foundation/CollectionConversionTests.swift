import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct CollectionConversionTests {
    @Test func listsAreAskedWithIn() throws {
        let (array, set, optionals): ([String], Set<Int>, [String?]) = (
            ["a", "b"], [4], ["a", nil]
        )
        #expect(
            try converted(#Predicate { ["a", "b"].contains($0.code) })
                == FetchPredicate("code IN {'a', 'b'}"))
        #expect(
            try converted(#Predicate { array.contains($0.code) })
                == FetchPredicate("code IN {'a', 'b'}"))
        #expect(
            try converted(#Predicate { set.contains($0.reports) })
                == FetchPredicate("reports IN {4}"))
        #expect(
            try converted(#Predicate { optionals.contains($0.note) })
                == FetchPredicate("note IN {'a'} OR NOT note != nil"))
        let regions = [Sighting.Region(Objects().id("Region", 7))]
        #expect(
            try converted(#Predicate { regions.contains($0.origin) })
                == FetchPredicate("origin IN %@", regions.map(\.queryObjectID)))
    }

    @Test func aConditionOnACapturedCollectionIsAskedForEachElement() throws {
        let (words, none, filters): ([String], [String], [Sighting.Filter]) = (
            ["a", "b"], [], [.init(), .init()]
        )
        #expect(
            try converted(#Predicate { quake in words.contains { quake.code.contains($0) } })
                == FetchPredicate("code CONTAINS 'a' OR code CONTAINS 'b'"))
        #expect(
            try converted(#Predicate { quake in words.allSatisfy { quake.code.contains($0) } })
                == FetchPredicate("code CONTAINS 'a' AND code CONTAINS 'b'"))
        #expect(
            try converted(#Predicate { quake in filters.allSatisfy { $0.code == quake.code } })
                == FetchPredicate("'a' == code AND 'a' == code"))
        #expect(
            try converted(#Predicate { quake in none.contains { $0 == quake.code } })
                == .constant(false))
        #expect(
            try converted(#Predicate { quake in none.allSatisfy { $0 == quake.code } })
                == .constant(true))
    }

    @Test func toManysAreAskedWithQuantifiers() throws {
        let tag = Sighting.Tag(Objects().id("Tag", 8))
        #expect(
            try converted(#Predicate { $0.tags.contains { $0.name == "felt" } })
                == FetchPredicate("ANY tags (name == 'felt')"))
        #expect(
            try converted(#Predicate { $0.tags.allSatisfy { $0.name == "felt" } })
                == FetchPredicate("ALL tags (name == 'felt')"))
        #expect(
            try converted(#Predicate { $0.tags.contains { $0.quakes.contains { $0.isFelt } } })
                == FetchPredicate("ANY tags (ANY quakes (isFelt == TRUE))"))
        #expect(
            try converted(#Predicate { $0.tags.contains(tag) })
                == FetchPredicate("tags CONTAINS %@", tag.queryObjectID))
    }

    @Test func aConditionThatSpeaksOfTheObjectOutsideIsASubquery() throws {
        #expect(
            try converted(#Predicate { quake in quake.tags.contains { $0.name == quake.code } })
                == FetchPredicate("SUBQUERY(tags, $x, $x.name == code).@count > 0"))
        #expect(
            try converted(#Predicate { quake in quake.tags.allSatisfy { $0.name == quake.code } })
                == FetchPredicate("SUBQUERY(tags, $x, NOT $x.name == code).@count == 0"))
        #expect(
            try converted(
                #Predicate { quake in
                    quake.tags.contains { tag in
                        tag.quakes.contains { $0.code == tag.name && $0 != quake }
                    }
                })
                == FetchPredicate(
                    "SUBQUERY(tags, $x, SUBQUERY($x.quakes, $x2, $x2.code == $x.name AND $x2 != SELF)"
                        + ".@count > 0).@count > 0"))
    }

    @Test func toManysAreCounted() throws {
        #expect(
            try converted(#Predicate { $0.tags.count > 2 }) == FetchPredicate("tags.@count > 2"))
        #expect(try converted(#Predicate { $0.tags.isEmpty }) == FetchPredicate("tags.@count == 0"))
        #expect(
            try converted(#Predicate { !$0.tags.isEmpty }) == FetchPredicate("NOT tags.@count == 0")
        )
        #expect(
            try converted(#Predicate { $0.tags.filter { $0.name == "felt" }.count > 2 })
                == FetchPredicate("SUBQUERY(tags, $x, $x.name == 'felt').@count > 2"))
        #expect(
            try converted(#Predicate { $0.tags.filter { $0.name == "felt" }.isEmpty })
                == FetchPredicate("SUBQUERY(tags, $x, $x.name == 'felt').@count == 0"))
        #expect(
            try converted(
                #Predicate { $0.tags.filter { $0.name == "a" }.contains { $0.quakes.isEmpty } })
                == FetchPredicate(
                    "SUBQUERY(SUBQUERY(tags, $x, $x.name == 'a'), $x, $x.quakes.@count == 0).@count > 0"
                ))
    }

    @Test func textIsLookedForInText() throws {
        #expect(
            try converted(#Predicate { $0.code.contains("a") })
                == FetchPredicate("code CONTAINS 'a'"))
        #expect(
            try converted(#Predicate { "abc".contains($0.code) })
                == FetchPredicate("'abc' CONTAINS code"))
        #expect(
            try converted(#Predicate { $0.code.starts(with: "a") })
                == FetchPredicate("code BEGINSWITH 'a'"))
        #expect(
            try converted(#Predicate { $0.code.count > 3 }) == FetchPredicate("length:(code) > 3"))
        #expect(
            try converted(#Predicate { $0.note?.count == 3 })
                == FetchPredicate("length:(note) == 3"))
        #expect(try converted(#Predicate { $0.code.isEmpty }) == FetchPredicate("code == ''"))
        #expect(
            try converted(#Predicate { $0.wave.count > 3 }) == FetchPredicate("length:(wave) > 3"))
        let word = "abc"
        #expect(
            try converted(#Predicate { $0.code.contains(word.first!) })
                == FetchPredicate("code CONTAINS 'a'"))
    }

    @Test func aRegularExpressionMatchesAnywhere() throws {
        #expect(
            try converted(#Predicate { $0.code.contains(/a|b+/) })
                == FetchPredicate("code MATCHES %@", "[\\s\\S]*(?:a|b+)[\\s\\S]*"))
    }

    @Test func aPlaceInACapturedArrayMayDependOnTheObject() throws {
        let codes = ["a", "b"]
        #expect(
            try converted(#Predicate { $0.code == codes[$0.reports] })
                == FetchPredicate("code == ({'a', 'b'})[reports]"))
    }
}
