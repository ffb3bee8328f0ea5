import Testing

@Suite struct ClassMistakeTests {
    @Test(arguments: ["struct", "enum", "actor", "extension", "protocol"])
    func onlyAClassCanBeManaged(keyword: String) {
        #expect(
            Misuse(expanding: "@Managed \(keyword) Quake { static var count: Int { 0 } }")
                == Misuse(Diagnosis("notAClass", at: keyword)))
    }

    @Test func aClassWithoutSuperclassIsOfferedManagedObject() {
        #expect(
            Misuse(expanding: "@Managed final class Quake { var code: String }")
                == Misuse(
                    Diagnosis("noSuperclass", at: "Quake"),
                    fixes: [
                        "inherit from 'ManagedObject'":
                            "@Managed final class Quake: ManagedObject { var code: String }"
                    ]))
    }

    @Test func aWellKnownProtocolIsNoSuperclass() {
        #expect(
            Misuse(expanding: "@Managed final class Quake: Identifiable {}")
                == Misuse(
                    Diagnosis("noSuperclass", at: "Quake"),
                    fixes: [
                        "inherit from 'ManagedObject'":
                            "@Managed final class Quake: ManagedObject, Identifiable {}"
                    ]))
    }

    @Test func aGenericClassIsRefused() {
        #expect(
            Misuse(expanding: "@Managed final class Quake<Scale>: ManagedObject {}")
                == Misuse(Diagnosis("genericClass", at: "<Scale>")))
    }

    @Test func aClassInsideAGenericTypeIsRefused() {
        #expect(
            Misuse(expanding: "struct Box<T> { @Managed final class Quake: ManagedObject {} }")
                == Misuse(Diagnosis("genericClass", at: "Quake")))
    }

    @Test(arguments: [
        "func make() { BODY }", "let make = { BODY }", "struct S { init() { BODY } }",
        "var made: Int { get { BODY; return 1 } }",
    ])
    func aLocalClassIsRefused(surroundings: String) {
        let source = surroundings.replacing(
            "BODY", with: "@Managed final class Quake: ManagedObject {}")
        #expect(Misuse(expanding: source) == Misuse(Diagnosis("localClass", at: "Quake")))
    }

    @Test(arguments: ["@MainActor @Managed", "@Managed @MainActor", "@Managed @Swift.MainActor"])
    func aClassOfTheMainActorIsOfferedNonisolated(attributes: String) {
        let attribute = attributes.contains("Swift") ? "@Swift.MainActor" : "@MainActor"
        #expect(
            Misuse(expanding: "\(attributes) final class Quake: ManagedObject {}")
                == Misuse(
                    Diagnosis("isolated", at: attribute),
                    fixes: [
                        "replace '@MainActor' by 'nonisolated'":
                            "@Managed nonisolated final class Quake: ManagedObject {}"
                    ]))
    }

    @Test func aNestedClassIsFine() {
        #expect(
            Misuse(expanding: "enum Model { @Managed final class Quake: ManagedObject {} }")
                == Misuse())
    }

    @Test(arguments: ["Sendable", "@unchecked Sendable", "Swift.Sendable"])
    func aSendableClassIsRefused(conformance: String) {
        #expect(
            Misuse(expanding: "@Managed final class Quake: ManagedObject, \(conformance) {}")
                == Misuse(
                    Diagnosis("sendable", at: conformance),
                    fixes: [
                        "remove '\(conformance)'": "@Managed final class Quake: ManagedObject {}"
                    ]))
    }

    @Test func sendableBetweenOtherConformancesIsRemovedWithItsComma() {
        #expect(
            Misuse(expanding: "@Managed final class Quake: ManagedObject, Sendable, Codable {}")
                == Misuse(
                    Diagnosis("sendable", at: "Sendable"),
                    fixes: [
                        "remove 'Sendable'": "@Managed final class Quake: ManagedObject, Codable {}"
                    ]))
    }

    @Test func aStoredPropertyUnderAConditionIsRefused() {
        let member = """
            #if DEBUG
            #if os(Linux)
            var trace: String
            #endif
            #else
            static let name = "a"
            func trace() {}
            #endif
            """
        #expect(
            Misuse(ofMember: member)
                == Misuse(Diagnosis("conditionalProperty", at: "var trace: String")))
    }

    // MARK: - Arguments of @Managed

    @Test(arguments: [
        ("entity: name", "name"), ("entity: \"\"", "\"\""), ("entity: \"a\\(b)\"", "\"a\\(b)\""),
        ("renamedFrom: old", "old"), ("abstract: isAbstract", "isAbstract"),
        ("unique: names", "names"), ("unique: [names]", "[names]"),
        ("indexes: [[name]]", "[[name]]"), ("userInfo: notes", "notes"),
    ])
    func anArgumentMustBeALiteral(argument: String, text: String) {
        #expect(
            Misuse(expanding: "@Managed(\(argument)) final class Quake: ManagedObject {}")
                == Misuse(Diagnosis("needsLiteral", at: text)))
    }

    @Test func anUnknownArgumentIsNamed() {
        #expect(
            Misuse(expanding: "@Managed(table: \"QUAKE\") final class Quake: ManagedObject {}")
                == Misuse(Diagnosis("unknownArgument", at: "table: \"QUAKE\"")))
    }

    @Test(arguments: ["unique", "indexes"])
    func aListNamesPropertiesOfTheClass(label: String) {
        let source = """
            @Managed(\(label): [["code", "tiem"]]) final class Quake: ManagedObject {
                var code: String
                var time: Date
            }
            """
        #expect(
            Misuse(expanding: source) == Misuse(Diagnosis("unknownProperty", at: "\"tiem\"")))
    }

    @Test func aToManyCannotBePartOfAConstraint() {
        let source = """
            @Managed(unique: [["quakes"]]) final class Region: ManagedObject {
                @Relationship var quakes: ToMany<Quake>
            }
            """
        #expect(
            Misuse(expanding: source) == Misuse(Diagnosis("unknownProperty", at: "\"quakes\"")))
    }

    @Test func aSubclassMayListInheritedProperties() {
        #expect(
            Misuse(expanding: "@Managed(unique: [[\"code\"]]) final class Strong: Quake {}")
                == Misuse())
    }
}
