import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct BindingTests {
    @Test func unknownPropertiesAreRefused() {
        let error = bindingError(.keyPath("region.nam", .equal, "x"))
        #expect(error?.code == .unknownProperty)
        #expect(error?.entity == "Quake")
        #expect(error?.message.contains("region.nam") == true)
        #expect(bindingError(.keyPath("", .equal, 1))?.code == .unknownProperty)
    }

    @Test func aPropertyOfASubentityOnlyIsUnknownAndTheMessageNamesIt() {
        let error = bindingError(.keyPath("area", .greater, 1), to: "Region")
        #expect(error?.code == .unknownProperty)
        #expect(error?.message.contains("Island") == true)
        #expect(bindingError(.keyPath("area", .greater, 1), to: "Island") == nil)
        #expect(bindingError(.keyPath("region.area", .greater, 1))?.code == .unknownProperty)
    }

    @Test func impossibleKeyPathsAreRefused() {
        let inner = FetchPredicate.constant(true)
        for predicate in [
            FetchPredicate.keyPath("code.size", .equal, 1),
            .keyPath("tags.name", .equal, "x"),
            .keyPath("tags", .less, .null),
            .quantified(.any, keyPath: ["region"], inner),
            .quantified(.any, keyPath: ["code"], inner),
            .quantified(.any, keyPath: [], inner),
            .comparison(.init(.count(keyPath: ["region"]), .equal, .constant(.integer(1)))),
            .comparison(.init(.keyPath([]), .equal, .constant(.integer(1)))),
        ] {
            #expect(bindingError(predicate)?.code == .invalidKeyPath, "\(predicate)")
        }
    }

    @Test func sidesThatDoNotCompareAreRefused() {
        let id = Objects().id("Region", 1)
        for predicate in [
            FetchPredicate.keyPath("magnitude", .equal, "6"),
            .keyPath("time", .less, 6),
            .keyPath("code", .equal, Data()),
            .keyPath("identifier", .equal, "6"),
            .keyPath("code", .equal, id),
            .keyPath("region", .equal, "6"),
            .keyPath("region", .less, id),
            .keyPath("magnitude", .contains, 6),
            .keyPath("tags", .contains, "felt"),
            .keyPath("tags", .contains, id, .caseInsensitive),
            .keyPath("magnitude", .equal, 6, .caseInsensitive),
            .keyPath("magnitude", .equal, [6]),
            .keyPath("magnitude", .between, [6]),
            .keyPath("magnitude", .isIn, 6),
            .keyPath("magnitude", .isIn, [.integer(6), .text("6")]),
            .keyPath("magnitude", .equal, Double.nan),
            .keyPath("damage", .equal, Decimal.nan),
            .comparison(.init(.list([]), .equal, .keyPath(["magnitude"]))),
            .comparison(.init(.keyPath(["code"]), .less, .keyPath(["magnitude"]))),
        ] {
            #expect(bindingError(predicate)?.code == .typeMismatch, "\(predicate)")
        }
    }

    @Test func messagesKeepValuesSecret() {
        let error = bindingError(.keyPath("magnitude", .equal, "secret"))
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("magnitude == ?") == true)
    }

    @Test func messagesKeepTheValuesOfSubqueriesSecret() throws {
        let error = bindingError(try FetchPredicate("SUBQUERY('secret', $x, $x == 1).@count > 0"))
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func patternsThatAreNoneAreRefused() throws {
        for format in [
            "code MATCHES '('", "region.name MATCHES[c] '('", "ANY tags.name MATCHES '('",
            "SUBQUERY(tags, $x, $x.name MATCHES '(').@count > 0",
            "NOT uppercase:(code) MATCHES '('",
            "code == 'a' OR code MATCHES '('",
        ] {
            #expect(bindingError(try FetchPredicate(format))?.code == .invalidPattern, "\(format)")
        }
    }

    @Test func hostileDepthIsRefusedWithoutRecursion() {
        var deep = FetchPredicate.constant(true)
        for depth in 1...20_000 {
            if depth == 127 { #expect(bindingError(.not(deep)) == nil) }
            deep = depth % 2 == 0 ? .not(deep) : .and([deep])
        }
        #expect(bindingError(deep)?.code == .tooComplex)
        #expect(deep.description == "… (too complex)")
    }

    @Test func depth128IsAllowedAnd129IsNot() {
        func nested(_ depth: Int) -> FetchPredicate {
            (1..<depth).reduce(.constant(true)) { inner, _ in .not(inner) }
        }
        #expect(bindingError(nested(128)) == nil)
        #expect(bindingError(nested(129))?.code == .tooComplex)
    }

    @Test func tenThousandNodesAreAllowedAndOneMoreIsNot() {
        let leaf = FetchPredicate.keyPath("magnitude", .greater, 1)
        #expect(bindingError(.or(Array(repeating: leaf, count: 9_999))) == nil)
        #expect(
            bindingError(.or(Array(repeating: leaf, count: 10_000)))?.code == .tooComplex)
        let names = Array(repeating: "region", count: 200)
        #expect(
            bindingError(.comparison(.init(.keyPath(names), .equal, .constant(.null))))?.code
                == .tooComplex)
    }
}
