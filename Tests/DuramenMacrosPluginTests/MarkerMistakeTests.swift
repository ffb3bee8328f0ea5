import Testing

@Suite struct MarkerMistakeTests {
    @Test func twoKindsOfMarkersAreRefused() {
        #expect(
            Misuse(ofMember: "@Attribute @Relationship var region: Region?")
                == Misuse(
                    Diagnosis("bothMarkers", at: "@Relationship"),
                    fixes: [
                        "remove '@Attribute'": "@Relationship var region: Region?",
                        "remove '@Relationship'": "@Attribute var region: Region?",
                    ]))
    }

    @Test(arguments: [("Attribute", "String"), ("Relationship", "Region?")])
    func aRepeatedMarkerIsRefused(marker: String, type: String) {
        #expect(
            Misuse(ofMember: "@\(marker) @\(marker)() var a: \(type)")
                == Misuse(Diagnosis("repeatedMarker", at: "@\(marker)()")))
    }

    @Test(arguments: ["struct Quake", "class Quake: ManagedObject", "extension Quake"])
    func aMarkerOutsideAManagedClassIsRefused(declaration: String) {
        #expect(
            Misuse(expanding: "\(declaration) { @Attribute(.unique) var code: String }")
                == Misuse(
                    Diagnosis("markerOutside", at: "@Attribute(.unique)"),
                    fixes: ["remove '@Attribute'": "\(declaration) { var code: String }"]))
        #expect(
            Misuse(expanding: "\(declaration) { @Relationship var region: Region? }").diagnoses
                == [Diagnosis("markerOutside", at: "@Relationship")])
    }

    @Test func aMarkerOfANestedTypeIsOutside() {
        #expect(
            Misuse(ofMember: "struct Point { @Attribute var x: Int }").diagnoses
                == [Diagnosis("markerOutside", at: "@Attribute")])
    }

    @Test func aGlobalVariableIsOutside() {
        #expect(
            Misuse(expanding: "@Attribute var count: Int").diagnoses
                == [Diagnosis("markerOutside", at: "@Attribute")])
    }

    @Test(arguments: ["Attribute", "Relationship"])
    func aMarkerOnAStaticPropertyIsRemoved(marker: String) {
        #expect(
            Misuse(ofMember: "@\(marker) static var count: Int = 0")
                == Misuse(
                    Diagnosis("markerOnStatic", at: "@\(marker)"),
                    fixes: ["remove '@\(marker)'": "static var count: Int = 0"]))
    }

    @Test(arguments: ["Attribute", "Relationship"])
    func aMarkerOnAComputedPropertyIsRemoved(marker: String) {
        #expect(
            Misuse(ofMember: "@\(marker) var count: Int { 0 }")
                == Misuse(
                    Diagnosis("markerOnComputed", at: "@\(marker)"),
                    fixes: ["remove '@\(marker)'": "var count: Int { 0 }"]))
    }

    @Test(arguments: ["func count() {}", "struct Inner {}"])
    func aMarkerOnSomethingElseIsRemoved(member: String) {
        #expect(
            Misuse(ofMember: "@Attribute \(member)")
                == Misuse(
                    Diagnosis("markerOnOther", at: "@Attribute"),
                    fixes: ["remove '@Attribute'": member]))
    }

    // MARK: - Options of @Attribute

    @Test(arguments: [".primary", "options", "AttributeOption(1)"])
    func anUnknownOptionOfAnAttributeIsRefused(option: String) {
        #expect(
            Misuse(ofMember: "@Attribute(.unique, \(option)) var code: String")
                == Misuse(Diagnosis("unknownOption", at: option)))
    }

    @Test(arguments: ["@Attribute(name: \"a\") var a: Int", "@Relationship(name: \"a\") var a: A?"])
    func anUnknownArgumentOfAMarkerIsRefused(member: String) {
        #expect(
            Misuse(ofMember: member) == Misuse(Diagnosis("unknownArgument", at: "name: \"a\"")))
    }

    @Test(arguments: [
        ("@Attribute(originalName: old) var a: Int", "old"),
        ("@Attribute(originalName: \"\") var a: Int", "\"\""),
        ("@Attribute(userInfo: notes) var a: Int", "notes"),
        ("@Relationship(originalName: old) var a: A?", "old"),
    ])
    func anArgumentOfAMarkerMustBeALiteral(member: String, text: String) {
        #expect(Misuse(ofMember: member) == Misuse(Diagnosis("needsLiteral", at: text)))
    }
}
