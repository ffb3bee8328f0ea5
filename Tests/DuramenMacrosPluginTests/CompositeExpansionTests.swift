import Testing

@Suite struct CompositeExpansionTests {
    @Test("A composite lists its elements and gets initialisers")
    func composite() {
        expectExpansion(
            of: """
                @Composite
                public struct Place {
                    public var latitude: Double = 0
                    @Attribute(.composite) public var square: Square?
                    @Attribute(.codable("Names")) public var names: [String] = []
                    @Attribute(.codable("Words")) public var words: [String]?
                    static let pole = 90
                    private var cache = 0
                    var isNorthern: Bool { latitude > 0 }
                }
                """,
            #"""
            public struct Place {
                public var latitude: Double = 0
                public var square: Square?
                public var names: [String] = []
                public var words: [String]?
                static let pole = 90
                private var cache = 0
                var isNorthern: Bool { latitude > 0 }

                public static let elements = CompositeElements<Place>(
                    .attribute("latitude", \.latitude),
                    .composite("square", \.square),
                    .codable("names", \.names, identifier: "Names", initial: []),
                    .codable("words", \.words, identifier: "Words")
                )

                public init() {
                }

                public init(latitude: Double = 0, square: Square? = nil, names: [String] = [], words: [String]? = nil) {
                    self.latitude = latitude
                    self.square = square
                    self.names = names
                    self.words = words
                }
            }

            extension Place: CompositeValue {
            }
            """#)
    }

    @Test("A composite with initialisers of its own keeps them")
    func ownInitializers() {
        expectExpansion(
            of: """
                @Composite
                struct Place {
                    var latitude: Double = 0
                    init(_ latitude: Double) { self.latitude = latitude }
                }
                """,
            #"""
            struct Place {
                var latitude: Double = 0
                init(_ latitude: Double) { self.latitude = latitude }

                static let elements = CompositeElements<Place>(
                    .attribute("latitude", \.latitude)
                )

                init() {
                }
            }

            extension Place: CompositeValue {
            }
            """#)
    }

    @Test("Composites move the slots of what follows")
    func slots() {
        expectExpansion(
            of: """
                @Managed(values: false)
                final class Quake: Base {
                    @Attribute(.composite) var area: Place
                    var code: String
                    @Attribute(.composite, originalName: "start") var origin: Place? = .pole
                    @Attribute(.codable("Names")) var tags: [String] = []
                    @Attribute(.codable("Names")) var words: [String]?
                }
                """,
            #"""
            final class Quake: Base {
                var area: Place {
                    get {
                        composite(at: Base.managedLayout_Base.slots &+ 0)
                    }
                    set {
                        setComposite(newValue, at: Base.managedLayout_Base.slots &+ 0)
                    }
                }
                var code: String {
                    get {
                        attribute(at: Base.managedLayout_Base.slots &+ 0 &+ Place.elements.slotCount)
                    }
                    set {
                        setAttribute(newValue, at: Base.managedLayout_Base.slots &+ 0 &+ Place.elements.slotCount)
                    }
                }
                var origin: Place? {
                    get {
                        composite(at: Base.managedLayout_Base.slots &+ 1 &+ Place.elements.slotCount)
                    }
                    set {
                        setComposite(newValue, at: Base.managedLayout_Base.slots &+ 1 &+ Place.elements.slotCount)
                    }
                }
                var tags: [String] {
                    get {
                        codable(at: Base.managedLayout_Base.slots &+ 1 &+ Place.elements.slotCount &+ Place.elements.slotCount, default: [])
                    }
                    set {
                        setCodable(newValue, at: Base.managedLayout_Base.slots &+ 1 &+ Place.elements.slotCount &+ Place.elements.slotCount)
                    }
                }
                var words: [String]? {
                    get {
                        codable(at: Base.managedLayout_Base.slots &+ 2 &+ Place.elements.slotCount &+ Place.elements.slotCount)
                    }
                    set {
                        setCodable(newValue, at: Base.managedLayout_Base.slots &+ 2 &+ Place.elements.slotCount &+ Place.elements.slotCount)
                    }
                }

                nonisolated static var managedLayout_Quake: ManagedLayout {
                    ManagedLayout(slots: Base.managedLayout_Base.slots &+ 3 &+ Place.elements.slotCount &+ Place.elements.slotCount, toManys: Base.managedLayout_Base.toManys &+ 0, transients: Base.managedLayout_Base.transients &+ 0)
                }

                nonisolated override class var entityName: String {
                    "Quake"
                }

                nonisolated override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Quake",
                        superentity: Base.entityName,
                        isAbstract: false,
                        renamingIdentifier: nil,
                        attributes: [
                            AttributeDescription.composite(Place.self, name: "area"),
                            AttributeDescription.of(String.self, name: "code"),
                            AttributeDescription.composite(Place?.self, name: "origin", default: .pole, renamingIdentifier: "start"),
                            AttributeDescription.codable([String].self, name: "tags", identifier: "Names", default: []),
                            AttributeDescription.codable([String]?.self, name: "words", identifier: "Names")
                        ],
                        relationships: [],
                        uniquenessConstraints: [],
                        indexes: [],
                        userInfo: [:]
                    )
                }

                nonisolated private static let managedKeyPaths_Quake = ManagedKeyPaths(
                    Base.managedPropertyNames_Base(rootedAt: Quake.self).merging([\Quake.area: "area", \Quake.code: "code", \Quake.origin: "origin", \Quake.tags: "tags", \Quake.words: "words"]) { _, own in
                        own
                    }
                )

                nonisolated override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Quake[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Quake.self ? LifecycleHooks([]).union(super.overriddenHooks(of: Base.self)) : super.overriddenHooks(of: type)
                }
            }
            """#)
    }
}

@Suite struct CompositeMistakeTests {
    @Test("Only structs without generic parameters are composites")
    func declarations() {
        #expect(
            Misuse(expanding: "@Composite class Place {}")
                == Misuse(Diagnosis("notAStruct", at: "class")))
        #expect(
            Misuse(expanding: "@Composite struct Place<T> { var a: Int = 0 }")
                == Misuse(Diagnosis("genericComposite", at: "Place")))
        #expect(
            Misuse(expanding: "@Composite struct Place {}")
                == Misuse(Diagnosis("emptyComposite", at: "Place")))
    }

    @Test("An element needs a value")
    func missingValue() {
        #expect(
            Misuse(expanding: "@Composite struct Place { var a: Int }")
                == Misuse(
                    Diagnosis("elementWithoutValue", at: "Int"),
                    fixes: ["make the type optional": "@Composite struct Place { var a: Int? }"]))
    }

    @Test("An element takes no options that belong to the class")
    func elementOptions() {
        for option in [".unique", ".indexed", ".transient", ".confidential"] {
            #expect(
                Misuse(
                    expanding: "@Composite struct Place { @Attribute(\(option)) var a: Int = 0 }")
                    == Misuse(Diagnosis("elementOption", at: option)))
        }
        #expect(
            Misuse(expanding: "@Composite struct Place { @Attribute(minimum: 1) var a: Int = 0 }")
                == Misuse(Diagnosis("elementOption", at: "minimum: 1")))
    }

    @Test("A composite has no relationships")
    func relationship() {
        let found = Misuse(expanding: "@Composite struct Place { @Relationship var a: Zone? }")
        #expect(found.diagnoses == [Diagnosis("relationshipInComposite", at: "@Relationship")])
    }

    @Test("A composite attribute takes no other options and no rules")
    func compositeOptions() {
        #expect(
            Misuse(ofMember: "@Attribute(.composite, .unique) var place: Place")
                == Misuse(Diagnosis("compositeOption", at: ".unique")))
        #expect(
            Misuse(ofMember: "@Attribute(.composite, minimum: 1) var place: Place")
                == Misuse(Diagnosis("compositeOption", at: "minimum: 1")))
    }

    @Test("An encoded attribute needs a value and an identifier, and compares with nothing")
    func codableOptions() {
        #expect(
            Misuse(ofMember: "@Attribute(.codable(\"A\")) var tags: [String]")
                == Misuse(
                    Diagnosis("codableWithoutValue", at: "[String]"),
                    fixes: [
                        "make the type optional": "@Attribute(.codable(\"A\")) var tags: [String]?"
                    ]))
        #expect(
            Misuse(ofMember: "@Attribute(.codable(\"A\"), .indexed) var tags: [String]?")
                == Misuse(Diagnosis("codableOption", at: ".indexed")))
        #expect(
            Misuse(ofMember: "@Attribute(.codable(name)) var tags: [String]?")
                == Misuse(Diagnosis("needsLiteral", at: "name")))
        #expect(
            Misuse(ofMember: "@Attribute(.codable(\"A\"), .confidential) var tags: [String]?")
                == Misuse())
    }

    @Test("Lists of the class may name elements, but no composite")
    func lists() {
        let rest = "final class Quake: ManagedObject { @Attribute(.composite) var place: Place }"
        #expect(Misuse(expanding: "@Managed(unique: [[\"place.a\"]]) \(rest)") == Misuse())
        #expect(
            Misuse(expanding: "@Managed(unique: [[\"place\"]]) \(rest)")
                == Misuse(Diagnosis("unknownProperty", at: "\"place\"")))
    }
}
