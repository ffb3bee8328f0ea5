import Testing

@Suite struct RelationshipMistakeTests {
    @Test func aToManyWithoutMarkerGetsOne() {
        #expect(
            Misuse(ofMember: "var quakes: ToMany<Quake>")
                == Misuse(
                    Diagnosis("toManyAttribute", at: "ToMany<Quake>"),
                    fixes: ["add '@Relationship'": "@Relationship var quakes: ToMany<Quake>"]))
    }

    @Test func aToManyIsNoAttribute() {
        #expect(
            Misuse(ofMember: "@Attribute(.indexed) var quakes: Duramen.ToMany<Quake>")
                == Misuse(
                    Diagnosis("toManyAttribute", at: "Duramen.ToMany<Quake>"),
                    fixes: [
                        "replace the marker by '@Relationship'":
                            "@Relationship var quakes: Duramen.ToMany<Quake>"
                    ]))
    }

    @Test func aToOneMustBeOptional() {
        #expect(
            Misuse(ofMember: "@Relationship(deleteRule: .deny) var region: Region")
                == Misuse(
                    Diagnosis("notOptional", at: "Region"),
                    fixes: [
                        "make the type optional":
                            "@Relationship(deleteRule: .deny) var region: Region?",
                        "make the type optional and add '.required'":
                            "@Relationship(.required, deleteRule: .deny) var region: Region?",
                    ]))
    }

    @Test func aBareMarkerGetsTheRequiredOptionInParentheses() {
        #expect(
            Misuse(ofMember: "@Relationship var region: Region").fixes[
                "make the type optional and add '.required'"]
                == "@Relationship(.required) var region: Region?")
    }

    @Test func aRequiredToOneIsOnlyMadeOptional() {
        #expect(
            Misuse(ofMember: "@Relationship(.required) var region: Region").fixes == [
                "make the type optional": "@Relationship(.required) var region: Region?"
            ])
    }

    @Test(arguments: ["Int", "String", "(Region, Region)", "[String: Region]", "Set<Int>?"])
    func aValueIsNoRelationship(type: String) {
        let misuse = Misuse(ofMember: "@Relationship var region: \(type)")
        let id = type.hasPrefix("Set") ? "collection" : "notARelationship"
        #expect(misuse.diagnoses == [Diagnosis(id, at: type)])
    }

    @Test func anOptionalValueIsNoRelationship() {
        #expect(
            Misuse(ofMember: "@Relationship var count: Int?")
                == Misuse(
                    Diagnosis("notARelationship", at: "Int?"),
                    fixes: ["remove '@Relationship'": "var count: Int?"]))
    }

    @Test(arguments: ["[Quake]", "Set<Quake>", "Array<Quake>", "[Quake]?"])
    func aCollectionBecomesAToMany(type: String) {
        #expect(
            Misuse(ofMember: "@Relationship var quakes: \(type)")
                == Misuse(
                    Diagnosis("collection", at: type),
                    fixes: ["use 'ToMany<Quake>'": "@Relationship var quakes: ToMany<Quake>"]))
    }

    @Test(arguments: ["ToMany<Quake>?", "Optional<ToMany<Quake>>"])
    func aToManyIsNeverOptional(type: String) {
        #expect(
            Misuse(ofMember: "@Relationship var quakes: \(type)")
                == Misuse(
                    Diagnosis("optionalToMany", at: type),
                    fixes: ["remove '?'": "@Relationship var quakes: ToMany<Quake>"]))
    }

    @Test func aToManyIsNeverRequired() {
        #expect(
            Misuse(ofMember: "@Relationship(.required) var quakes: ToMany<Quake>")
                == Misuse(
                    Diagnosis("requiredToMany", at: ".required"),
                    fixes: ["remove '.required'": "@Relationship var quakes: ToMany<Quake>"]))
        #expect(
            Misuse(ofMember: "@Relationship(.required, deleteRule: .deny) var a: ToMany<Quake>")
                .fixes == [
                    "remove '.required'": "@Relationship(deleteRule: .deny) var a: ToMany<Quake>"
                ])
    }

    @Test(arguments: ["minimumCount: 1", "maximumCount: 3"])
    func aToOneIsNotCounted(count: String) {
        #expect(
            Misuse(ofMember: "@Relationship(\(count)) var region: Region?").diagnoses
                == [Diagnosis("countedToOne", at: count)])
    }

    @Test(arguments: ["-1", "limit", "1 + 1"])
    func countsAreWholeNumbers(count: String) {
        #expect(
            Misuse(ofMember: "@Relationship(maximumCount: \(count)) var quakes: ToMany<Quake>")
                .diagnoses == [Diagnosis("needsLiteral", at: count)])
    }

    @Test func aToManyHasNoInitialValue() {
        #expect(
            Misuse(ofMember: "@Relationship var quakes: ToMany<Quake> = .init()")
                == Misuse(
                    Diagnosis("relationshipDefault", at: ".init()"),
                    fixes: ["remove the initial value": "@Relationship var quakes: ToMany<Quake>"]))
    }

    @Test func aToOneMayStartAsNilAndNothingElse() {
        #expect(Misuse(ofMember: "@Relationship var region: Region? = nil") == Misuse())
        #expect(
            Misuse(ofMember: "@Relationship var region: Region? = home").diagnoses
                == [Diagnosis("relationshipDefault", at: "home")])
    }

    @Test(arguments: [".unique", "options"])
    func anUnknownOptionOfARelationshipIsRefused(option: String) {
        #expect(
            Misuse(ofMember: "@Relationship(\(option)) var region: Region?")
                == Misuse(Diagnosis("unknownOption", at: option)))
    }

    @Test(arguments: [
        "\"region\"", "path", "\\Quake.region?.name", "\\Quake.region.name", "\\.region",
        "\\Quake.[0]", "\\Quake.self.region",
    ])
    func anInverseIsAKeyPathOfOneStep(inverse: String) {
        #expect(
            Misuse(ofMember: "@Relationship(inverse: \(inverse)) var quakes: ToMany<Quake>")
                == Misuse(Diagnosis("inverseNotKeyPath", at: inverse)))
    }

    @Test(arguments: [".forget", "rule"])
    func aDeleteRuleIsOneOfFour(rule: String) {
        #expect(
            Misuse(ofMember: "@Relationship(deleteRule: \(rule)) var region: Region?")
                == Misuse(Diagnosis("unknownDeleteRule", at: rule)))
    }

    @Test(arguments: [".nullify", ".cascade", ".deny", ".noAction", "DeleteRule.deny"])
    func everyDeleteRuleIsKnown(rule: String) {
        #expect(
            Misuse(ofMember: "@Relationship(deleteRule: \(rule)) var region: Region?") == Misuse())
    }

    @Test func toOnesArePartOfTheValuesAnyway() {
        #expect(
            Misuse(ofMember: "@Relationship(values: true) var region: Region?").diagnoses
                == [Diagnosis("valuesOfToOne", at: "values: true")])
        #expect(Misuse(ofMember: "@Relationship(values: true) var tags: ToMany<Tag>") == Misuse())
    }

    @Test func whetherAToManyIsPartOfTheValuesIsALiteral() {
        #expect(
            Misuse(ofMember: "@Relationship(values: flag) var tags: ToMany<Tag>").diagnoses
                == [Diagnosis("needsLiteral", at: "flag")])
    }
}
