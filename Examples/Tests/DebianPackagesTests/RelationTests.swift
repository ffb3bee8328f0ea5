import DebianPackages
import Testing

@Suite struct RelationTests {
    @Test func aRelationHasAllItsParts() {
        let list = Dependency.list(
            parsing: "a | b:any (>= 1.0) [amd64 !i386] <!nocheck cross> <stage1>, c")
        let restricted = PackageRelation(
            name: "b", architectureQualifier: "any",
            version: VersionRequirement(.laterOrEqual, "1.0"),
            architectures: [RestrictionTerm("amd64"), RestrictionTerm("i386", isNegated: true)],
            profiles: [
                [RestrictionTerm("nocheck", isNegated: true), RestrictionTerm("cross")],
                [RestrictionTerm("stage1")],
            ])
        #expect(
            list == [
                Dependency(alternatives: [PackageRelation(name: "a"), restricted]),
                Dependency(alternatives: [PackageRelation(name: "c")]),
            ])
    }

    @Test(arguments: [
        ("<<", VersionRequirement.Comparison.earlier), ("<=", .earlierOrEqual), ("=", .equal),
        (">=", .laterOrEqual), (">>", .later), ("<", .earlierOrEqual), (">", .laterOrEqual),
        ("", .equal),
    ])
    func everyComparisonIsRead(text: String, comparison: VersionRequirement.Comparison) {
        for spacing in ["", " ", "\n  "] {
            let list = Dependency.list(parsing: "a(\(spacing)\(text)\(spacing)1:2~3-4\(spacing))")
            #expect(
                list?.first?.alternatives.first?.version
                    == VersionRequirement(comparison, "1:2~3-4"))
        }
    }

    @Test(arguments: [
        "a", "a, b", "a | b | c", "libstdc++6 (>= 12), g++", "python3:any (>= 3.11~)",
        "a:native [linux-any] <!nodoc>", "x (<< 1) | y (>> 2), z (= 3:1.0-1+b1)",
    ])
    func aRelationIsWrittenAsItIsRead(text: String) {
        let list = Dependency.list(parsing: text)
        #expect(list?.map(\.description).joined(separator: ", ") == text)
    }

    @Test func emptyClausesArePassedOver() {
        #expect(Dependency.list(parsing: "") == [])
        #expect(Dependency.list(parsing: " , ,") == [])
        #expect(Dependency.list(parsing: "a, , b,")?.map(\.description) == ["a", "b"])
    }

    @Test(arguments: [
        "a |", "| a", "a | , b", "a b", "a (", "a ()", "a (>= )", "a (>= 1", "a (=> 1)",
        "a (>= 1 2)", "a (1.0$)", "a [", "a []", "a [amd64", "a [amd64!i386]", "a <", "a <>",
        "a <x", "a:", "a :any", "a: any", "${shlibs:Depends}", "-a", "a (>= 1) (<< 2)", "ä",
        "a\0b", "a ! b", "a [! amd64]",
    ])
    func aBrokenRelationIsRefused(text: String) {
        #expect(Dependency.list(parsing: text) == nil)
    }

    @Test func providedNamesMayHaveAnExactVersion() {
        #expect(
            ProvidedPackage.list(parsing: "a, b (= 1.2), c:any (= 3)") == [
                ProvidedPackage(name: "a"), ProvidedPackage(name: "b", version: "1.2"),
                ProvidedPackage(name: "c", architectureQualifier: "any", version: "3"),
            ])
    }

    @Test(arguments: ["a | b", "a (>= 1)", "a [amd64]", "a <x>", "a b"])
    func whatCannotBeProvidedIsRefused(text: String) {
        #expect(ProvidedPackage.list(parsing: text) == nil)
    }
}
