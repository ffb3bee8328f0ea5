import SwiftDiagnostics
import Testing

@Suite struct PropertyMistakeTests {
    @Test func aConstantBecomesAVariable() {
        #expect(
            Misuse(ofMember: "let code: String")
                == Misuse(
                    Diagnosis("constant", at: "let"),
                    fixes: ["replace 'let' by 'var'": "var code: String"]))
    }

    @Test(arguments: ["[String]", "Set<Int>", "[String: Int]", "Dictionary<Int, Int>", "[Data]?"])
    func aCollectionIsStoredAsJSON(type: String) {
        #expect(
            Misuse(ofMember: "var tags: \(type)")
                == Misuse(
                    Diagnosis("collectionAttribute", at: type),
                    fixes: [
                        "add '@Attribute(.codable(\"tags\"))'":
                            "@Attribute(.codable(\"tags\")) var tags: \(type)"
                    ]))
        #expect(
            Misuse(ofMember: "@Attribute(.indexed) var tags: \(type)")
                == Misuse(Diagnosis("collectionAttribute", at: type)))
    }

    @Test(arguments: [
        "@Attribute(.codable(\"tags\")) var tags: [String] = []",
        "@Attribute(.transient) var tags: [String]?",
    ])
    func aCollectionThatSaysHowItIsKeptIsRight(member: String) {
        #expect(Misuse(ofMember: member) == Misuse())
    }

    @Test(arguments: ["lazy", "weak", "unowned", "unowned(unsafe)"])
    func aStorageModifierIsRemoved(modifier: String) {
        let word = modifier.prefix { $0 != "(" }
        #expect(
            Misuse(ofMember: "\(modifier) var code: String?")
                == Misuse(
                    Diagnosis("modifier", at: modifier),
                    fixes: ["remove '\(word)'": "var code: String?"]))
    }

    @Test func aStoredPropertyCannotOverride() {
        #expect(
            Misuse(ofMember: "override var code: String")
                == Misuse(Diagnosis("overriding", at: "override")))
    }

    @Test(arguments: ["{ didSet {} }", "{ willSet { print(newValue) } }"])
    func observersAreRemoved(observers: String) {
        #expect(
            Misuse(ofMember: "var code: String = \"a\" \(observers)")
                == Misuse(
                    Diagnosis("observers", at: observers),
                    fixes: ["remove the observers": "var code: String = \"a\""]))
    }

    @Test func aTuplePatternIsRefused() {
        #expect(
            Misuse(ofMember: "var (a, b): (Int, Int)")
                == Misuse(Diagnosis("tuplePattern", at: "(a, b)")))
    }

    @Test func severalBindingsAreRefused() {
        #expect(
            Misuse(ofMember: "var a, b: Int")
                == Misuse(Diagnosis("severalBindings", at: "a, b: Int")))
    }

    @Test(arguments: [
        ("\"a\"", "String"), ("1", "Int"), ("-1", "Int"), ("1.5", "Double"), ("true", "Bool"),
    ])
    func aMissingTypeIsOfferedFromALiteral(value: String, type: String) {
        #expect(
            Misuse(ofMember: "var code = \(value)")
                == Misuse(
                    Diagnosis("missingType", at: "code"),
                    fixes: ["add ': \(type)'": "var code: \(type) = \(value)"]))
    }

    @Test func aMissingTypeOfAnExpressionIsLeftToTheWriter() {
        #expect(
            Misuse(ofMember: "var time = clock()") == Misuse(Diagnosis("missingType", at: "time")))
    }

    @Test func aDerivedAttributeHasAValueBeforeItIsSaved() {
        #expect(
            Misuse(ofMember: "@Attribute(.derived(\"items.@count\")) var count: Int")
                == Misuse(
                    Diagnosis("derivedWithoutValue", at: "Int"),
                    fixes: [
                        "make the type optional":
                            "@Attribute(.derived(\"items.@count\")) var count: Int?"
                    ]))
        #expect(
            Misuse(ofMember: "@Attribute(.derived(\"items.@count\"), .indexed) var count: Int = 0")
                == Misuse())
    }

    @Test(arguments: [".transient", ".externalStorage"])
    func aDerivedAttributeIsOneStoredValue(option: String) {
        #expect(
            Misuse(ofMember: "@Attribute(.derived(\"name\"), \(option)) var data: Data?")
                == Misuse(Diagnosis("derivedOption", at: option)))
    }

    @Test func whatADerivedAttributeIsDerivedFromIsALiteral() {
        #expect(
            Misuse(ofMember: "@Attribute(.derived(name)) var count: Int = 0")
                == Misuse(Diagnosis("needsLiteral", at: "name")))
    }

    @Test func anImplicitlyUnwrappedPropertyBecomesOptional() {
        #expect(
            Misuse(ofMember: "var code: String!")
                == Misuse(
                    Diagnosis("implicitlyUnwrapped", at: "String!"),
                    fixes: ["replace '!' by '?'": "var code: String?"]))
    }

    @Test func anImplicitlyUnwrappedRelationshipBecomesOptional() {
        #expect(
            Misuse(ofMember: "@Relationship var region: Region!")
                == Misuse(
                    Diagnosis("implicitlyUnwrapped", at: "Region!"),
                    fixes: ["replace '!' by '?'": "@Relationship var region: Region?"]))
    }

    @Test(arguments: [
        "objectID", "queryObjectID", "entity", "managedObjectContext", "hasChanges",
        "isInserted", "isUpdated",
        "isDeleted", "isFault", "faultError", "description", "debugDescription", "hash",
        "hashValue",
    ])
    func aNameOfManagedObjectIsRefused(name: String) {
        #expect(
            Misuse(ofMember: "var \(name): String") == Misuse(Diagnosis("reservedName", at: name)))
        #expect(
            Misuse(ofMember: "var `\(name)`: String")
                == Misuse(Diagnosis("reservedName", at: "`\(name)`")))
    }

    @Test(arguments: ["Date()", ".now", "UUID()"])
    func aDefaultThatShouldDifferPerObjectIsAWarning(value: String) {
        let misuse = Misuse(ofMember: "var stamp: Stamp = \(value)")
        #expect(misuse == Misuse(Diagnosis("fixedDefault", at: value)))
        let expansion = Expansion(
            of: "@Managed final class Quake: ManagedObject { var stamp: Stamp = \(value) }")
        #expect(expansion.diagnostics.map(\.diagMessage.severity) == [.warning])
    }

    @Test func everyMistakeOfAClassIsReported() {
        let members = "let a: Int\nvar b = f()\nvar isFault: Bool"
        #expect(
            Misuse(ofMember: members).diagnoses == [
                Diagnosis("constant", at: "let"), Diagnosis("missingType", at: "b"),
                Diagnosis("reservedName", at: "isFault"),
            ])
    }

    @Test func helpersOfTheWritersOwnAreLeftAlone() {
        let members = """
            static let shared = 1
            static var (low, high) = (1, 2)
            class var title: String { "Quakes" }
            var isStrong: Bool { magnitude > 6 }
            var doubled: Double { get { magnitude * 2 } set { magnitude = newValue / 2 } }
            private var cache = [1]
            private lazy var formatter = Formatter()
            fileprivate let limit = 3
            func grow() {}
            convenience init(code: String) { self.init() }
            enum Kind: String { case natural }
            """
        #expect(Misuse(ofMember: members) == Misuse())
    }

    @Test func aPrivateSetterDoesNotMakeAPropertyPrivate() {
        #expect(
            Misuse(ofMember: "private(set) var count = f()")
                == Misuse(Diagnosis("missingType", at: "count")))
    }

    @Test func aTransientAttributeHasAValueFromTheStart() {
        #expect(
            Misuse(ofMember: "@Attribute(.transient) var title: String")
                == Misuse(
                    Diagnosis("transientWithoutValue", at: "String"),
                    fixes: [
                        "make the type optional": "@Attribute(.transient) var title: String?"
                    ]))
        for member in ["var a: String?", "var a: [String] = []", "var a: Cache? = nil"] {
            #expect(Misuse(ofMember: "@Attribute(.transient) \(member)") == Misuse())
        }
    }

    @Test(arguments: [".unique, .transient", ".indexed, .transient"])
    func aTransientAttributeIsNeitherUniqueNorIndexed(options: String) {
        #expect(
            Misuse(ofMember: "@Attribute(\(options)) var title: String?").diagnoses
                == [Diagnosis("transientInStore", at: ".transient")])
    }

    @Test(arguments: ["minimum: 1", "maximumLength: 3", "pattern: \"x\""])
    func aTransientAttributeHasNoRules(rule: String) {
        #expect(
            Misuse(ofMember: "@Attribute(.transient, \(rule)) var title: String?").diagnoses
                == [Diagnosis("transientRule", at: rule)])
    }
}
