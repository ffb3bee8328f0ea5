import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Compares the expansion of a source without mistakes.
func expectExpansion(
    of source: String, _ expanded: String, at location: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macroSpecs,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) })
}

@Suite struct ExpansionTests {
    @Test func aFinalClassGetsAccessorsAnEntityAndATableOfKeyPaths() {
        expectExpansion(
            of: """
                @Managed(indexes: [["time", "code"]], values: false)
                final class Quake: ManagedObject {
                    @Attribute(.unique) var code: String
                    @Attribute(.confidential, .externalStorage, .preservesValueOnDeletion) var note: Data?
                    @Attribute(.indexed, originalName: "when") var time: Date
                    @Relationship(.required, originalName: "area") var region: Region?
                    var kind: Kind = .natural
                    static let limit = 3
                    private var cache = 0
                    var isStrong: Bool { kind == .natural }
                }
                """,
            """
            final class Quake: ManagedObject {
                var code: String {
                    get {
                        attribute(at: 0)
                    }
                    set {
                        setAttribute(newValue, at: 0)
                    }
                }
                var note: Data? {
                    get {
                        attribute(at: 2)
                    }
                    set {
                        setAttribute(newValue, at: 2)
                    }
                }
                var time: Date {
                    get {
                        attribute(at: 4)
                    }
                    set {
                        setAttribute(newValue, at: 4)
                    }
                }
                var region: Region? {
                    get {
                        toOne(at: 3)
                    }
                    set {
                        setToOne(newValue, at: 3)
                    }
                }
                var kind: Kind {
                    get {
                        attribute(at: 1)
                    }
                    set {
                        setAttribute(newValue, at: 1)
                    }
                }
                static let limit = 3
                private var cache = 0
                var isStrong: Bool { kind == .natural }

                nonisolated static var managedLayout_Quake: ManagedLayout {
                    ManagedLayout(slots: 5, toManys: 0, transients: 0)
                }

                nonisolated override class var entityName: String {
                    "Quake"
                }

                nonisolated override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Quake",
                        superentity: nil,
                        isAbstract: false,
                        renamingIdentifier: nil,
                        attributes: [
                            AttributeDescription.of(String.self, name: "code"),
                            AttributeDescription.of(Kind.self, name: "kind", default: .natural),
                            AttributeDescription.of(Data?.self, name: "note").confidential().externallyStored().preservedOnDeletion(),
                            AttributeDescription.of(Date.self, name: "time", renamingIdentifier: "when")
                        ],
                        relationships: [
                            RelationshipDescription.toOne("region", destination: Region.self, isOptional: false, deleteRule: .nullify, renamingIdentifier: "area")
                        ],
                        uniquenessConstraints: [["code"]],
                        indexes: [IndexDescription("time"), IndexDescription("time", "code")],
                        userInfo: [:]
                    )
                }

                nonisolated private static let managedKeyPaths_Quake = ManagedKeyPaths(
                    [\\Quake.code: "code", \\Quake.kind: "kind", \\Quake.note: "note", \\Quake.region: "region", \\Quake.time: "time"]
                )

                nonisolated override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Quake[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Quake.self ? [] : super.overriddenHooks(of: type)
                }
            }

            extension Quake: Identifiable {
            }
            """)
    }

    @Test func aPublicClassForSubclassesListsItsKeyPathsForAnyRoot() {
        expectExpansion(
            of: """
                @Managed(entity: "Area", abstract: true, renamedFrom: "Zone", unique: [["a", "b"]], values: false, userInfo: ["k": "v"])
                open class Region: Duramen.ManagedObject {
                    public var b: Int
                    @Attribute(userInfo: ["unit": "m"]) public var a: Int
                    @Relationship(inverse: \\Quake.region, deleteRule: .cascade) public var quakes: ToMany<Quake>
                    @Relationship(deleteRule: .deny, minimumCount: 1, maximumCount: 9) public var aftershocks: OrderedToMany<Quake>
                }
                """,
            """
            open class Region: Duramen.ManagedObject {
                public var b: Int {
                    get {
                        attribute(at: 1)
                    }
                    set {
                        setAttribute(newValue, at: 1)
                    }
                }
                public var a: Int {
                    get {
                        attribute(at: 0)
                    }
                    set {
                        setAttribute(newValue, at: 0)
                    }
                }
                public var quakes: ToMany<Quake> {
                    get {
                        toMany(at: 1)
                    }
                }
                public var aftershocks: OrderedToMany<Quake> {
                    get {
                        orderedToMany(at: 0)
                    }
                }

                nonisolated public static var managedLayout_Region: ManagedLayout {
                    ManagedLayout(slots: 2, toManys: 2, transients: 0)
                }

                nonisolated open override class var entityName: String {
                    "Area"
                }

                nonisolated open override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Area",
                        superentity: nil,
                        isAbstract: true,
                        renamingIdentifier: "Zone",
                        attributes: [
                            AttributeDescription.of(Int.self, name: "a", userInfo: ["unit": "m"]),
                            AttributeDescription.of(Int.self, name: "b")
                        ],
                        relationships: [
                            RelationshipDescription.toMany("aftershocks", destination: Quake.self, isOptional: false, deleteRule: .deny, isOrdered: true, minimumCount: 1, maximumCount: 9),
                            RelationshipDescription.toMany("quakes", destination: Quake.self, deleteRule: .cascade, inverse: \\Quake.region)
                        ],
                        uniquenessConstraints: [["a", "b"]],
                        indexes: [],
                        userInfo: ["k": "v"]
                    )
                }

                nonisolated public static func managedPropertyNames_Region<Root: Region>(
                    rootedAt root: Root.Type
                ) -> [AnyKeyPath: String] {
                    [\\Root.a: "a", \\Root.aftershocks: "aftershocks", \\Root.b: "b", \\Root.quakes: "quakes"]
                }

                nonisolated private static let managedKeyPaths_Region = ManagedKeyPaths(
                    managedPropertyNames_Region(rootedAt: Region.self)
                )

                nonisolated open override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Region[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated open override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Region.self ? [] : super.overriddenHooks(of: type)
                }
            }

            extension Region: Identifiable {
            }
            """)
    }

    @Test func aSubclassCountsOnFromItsSuperclass() {
        expectExpansion(
            of: """
                @Managed(values: false)
                package final class Town: Places.Place {
                    package var size: Int
                    @Relationship package var mayor: Person?
                    @Relationship package var people: ToMany<Person>
                }
                """,
            """
            package final class Town: Places.Place {
                package var size: Int {
                    get {
                        attribute(at: Places.Place.managedLayout_Place.slots &+ 1)
                    }
                    set {
                        setAttribute(newValue, at: Places.Place.managedLayout_Place.slots &+ 1)
                    }
                }
                package var mayor: Person? {
                    get {
                        toOne(at: Places.Place.managedLayout_Place.slots &+ 0)
                    }
                    set {
                        setToOne(newValue, at: Places.Place.managedLayout_Place.slots &+ 0)
                    }
                }
                package var people: ToMany<Person> {
                    get {
                        toMany(at: Places.Place.managedLayout_Place.toManys &+ 0)
                    }
                }

                nonisolated package static var managedLayout_Town: ManagedLayout {
                    ManagedLayout(slots: Places.Place.managedLayout_Place.slots &+ 2, toManys: Places.Place.managedLayout_Place.toManys &+ 1, transients: Places.Place.managedLayout_Place.transients &+ 0)
                }

                nonisolated package override class var entityName: String {
                    "Town"
                }

                nonisolated package override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Town",
                        superentity: Places.Place.entityName,
                        isAbstract: false,
                        renamingIdentifier: nil,
                        attributes: [
                            AttributeDescription.of(Int.self, name: "size")
                        ],
                        relationships: [
                            RelationshipDescription.toOne("mayor", destination: Person.self, isOptional: true, deleteRule: .nullify),
                            RelationshipDescription.toMany("people", destination: Person.self, deleteRule: .nullify)
                        ],
                        uniquenessConstraints: [],
                        indexes: [],
                        userInfo: [:]
                    )
                }

                nonisolated private static let managedKeyPaths_Town = ManagedKeyPaths(
                    Places.Place.managedPropertyNames_Place(rootedAt: Town.self).merging([\\Town.mayor: "mayor", \\Town.people: "people", \\Town.size: "size"]) { _, own in
                        own
                    }
                )

                nonisolated package override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Town[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated package override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Town.self ? LifecycleHooks([]).union(super.overriddenHooks(of: Places.Place.self)) : super.overriddenHooks(of: type)
                }
            }
            """)
    }

    @Test func anEmptySubclassForSubclassesPassesItsRootOn() {
        expectExpansion(
            of: """
                @Managed(values: false)
                class Middle: Base {
                }
                """,
            """
            class Middle: Base {

                nonisolated static var managedLayout_Middle: ManagedLayout {
                    ManagedLayout(slots: Base.managedLayout_Base.slots &+ 0, toManys: Base.managedLayout_Base.toManys &+ 0, transients: Base.managedLayout_Base.transients &+ 0)
                }

                nonisolated override class var entityName: String {
                    "Middle"
                }

                nonisolated override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Middle",
                        superentity: Base.entityName,
                        isAbstract: false,
                        renamingIdentifier: nil,
                        attributes: [],
                        relationships: [],
                        uniquenessConstraints: [],
                        indexes: [],
                        userInfo: [:]
                    )
                }

                nonisolated static func managedPropertyNames_Middle<Root: Middle>(
                    rootedAt root: Root.Type
                ) -> [AnyKeyPath: String] {
                    Base.managedPropertyNames_Base(rootedAt: root)
                }

                nonisolated private static let managedKeyPaths_Middle = ManagedKeyPaths(
                    managedPropertyNames_Middle(rootedAt: Middle.self)
                )

                nonisolated override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Middle[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Middle.self ? LifecycleHooks([]).union(super.overriddenHooks(of: Base.self)) : super.overriddenHooks(of: type)
                }
            }
            """)
    }

    @Test func aDesignatedInitializerBringsTheRequiredOne() {
        expectExpansion(
            of: """
                @Managed(values: false)
                public final class Note: ManagedObject {
                    init(text: String) {
                        super.init(context)
                    }
                }
                """,
            """
            public final class Note: ManagedObject {
                init(text: String) {
                    super.init(context)
                }

                nonisolated public static var managedLayout_Note: ManagedLayout {
                    ManagedLayout(slots: 0, toManys: 0, transients: 0)
                }

                nonisolated public override class var entityName: String {
                    "Note"
                }

                nonisolated public override class var entityDescription: EntityDescription {
                    EntityDescription(
                        name: "Note",
                        superentity: nil,
                        isAbstract: false,
                        renamingIdentifier: nil,
                        attributes: [],
                        relationships: [],
                        uniquenessConstraints: [],
                        indexes: [],
                        userInfo: [:]
                    )
                }

                nonisolated private static let managedKeyPaths_Note = ManagedKeyPaths(
                    [:]
                )

                nonisolated public override class func propertyName(for keyPath: AnyKeyPath) -> String? {
                    managedKeyPaths_Note[keyPath] ?? super.propertyName(for: keyPath)
                }

                nonisolated public override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                    type == Note.self ? [] : super.overriddenHooks(of: type)
                }

                nonisolated public required init(_ registration: ManagedObjectRegistration) {
                    super.init(registration)
                }
            }

            extension Note: Identifiable {
            }
            """)
    }
}
