import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import DuramenMacrosPlugin

/// The nested struct `Values`, without what else `@Managed` writes.
@Suite struct ValuesExpansionTests {
    @Test func valuesHaveTheStoredPropertiesThatAreNotPrivate() {
        expectValues(
            of: """
                @Managed
                public final class Quake: ManagedObject {
                    public var time: Date
                    public var kind: Kind = .natural
                    package var note: String?
                    var `default`: Int
                    private var cache = 0
                    @Attribute private var secret: Int
                    @Attribute(.transient) public var shown: String?
                    @Relationship public var region: Region?
                    @Relationship(values: true) public var tags: ToMany<Tag>
                    @Relationship public var others: ToMany<Tag>
                }
                """,
            """
            public final class Quake: ManagedObject {
                public var time: Date
                public var kind: Kind = .natural
                package var note: String?
                var `default`: Int
                private var cache = 0
                private var secret: Int
                public var shown: String?
                public var region: Region?
                public var tags: ToMany<Tag>
                public var others: ToMany<Tag>

                /// The stored values of Quake objects, free to leave their context.
                nonisolated public struct Values: ManagedValues, @unchecked Sendable {
                    public typealias Object = Quake
                    public var objectID: ManagedObjectID
                    public var time: Date
                    public var kind: Kind
                    package var note: String?
                    var `default`: Int
                    public var region: ManagedObjectID?
                    public var tags: [ManagedObjectID]
                    public static var toManyIndices: [Int] {
                        [1]
                    }
                    init(objectID: ManagedObjectID = .temporary(entity: EntityHandle(name: Quake.entityName)), time: Date, kind: Kind = .natural, note: String? = nil, `default`: Int, region: ManagedObjectID? = nil, tags: [ManagedObjectID] = []) {
                        self.objectID = objectID
                        self.time = time
                        self.kind = kind
                        self.note = note
                        self.`default` = `default`
                        self.region = region
                        self.tags = tags
                    }
                    public init(reading reader: ValuesReader) {
                        self.objectID = reader.objectID
                        self.time = reader.attribute(at: 5)
                        self.kind = reader.attribute(at: 1)
                        self.note = reader.attribute(at: 2)
                        self.`default` = reader.attribute(at: 0)
                        self.region = reader.toOne(at: 3)
                        self.tags = reader.toMany(at: 1)
                    }
                    public func write(to writer: ValuesWriter) {
                        writer.set(self.time, at: 5)
                        writer.set(self.kind, at: 1)
                        writer.set(self.note, at: 2)
                        writer.set(self.`default`, at: 0)
                        writer.setToOne(self.region, at: 3)
                        writer.setToMany(self.tags, at: 1)
                    }
                    public static func == (a: Self, b: Self) -> Bool {
                        if a.objectID != b.objectID {
                            return false
                        }
                        if !isSame(a.time, b.time) {
                            return false
                        }
                        if !isSame(a.kind, b.kind) {
                            return false
                        }
                        if !isSame(a.note, b.note) {
                            return false
                        }
                        if !isSame(a.`default`, b.`default`) {
                            return false
                        }
                        if a.region != b.region {
                            return false
                        }
                        if a.tags != b.tags {
                            return false
                        }
                        return true
                    }
                    public func hash(into hasher: inout Hasher) {
                        hasher.combine(self.objectID)
                        Self.hash(self.time, into: &hasher)
                        Self.hash(self.kind, into: &hasher)
                        Self.hash(self.note, into: &hasher)
                        Self.hash(self.`default`, into: &hasher)
                        hasher.combine(self.region)
                        hasher.combine(self.tags)
                    }
                    private enum CodingKeys: String, CodingKey {
                        case objectID, time, kind, note, `default`, region, tags
                    }
                    public init(from decoder: any Decoder) throws {
                        let container = try decoder.container(keyedBy: CodingKeys.self)
                        self.objectID = try container.decodeIfPresent(ManagedObjectID.self, forKey: .objectID) ?? .temporary(entity: EntityHandle(name: Quake.entityName))
                        self.time = try Self.decode(Date.self, from: container, forKey: .time)
                        self.kind = try Self.decode(Kind.self, from: container, forKey: .kind)
                        self.note = try Self.decodeIfPresent(String.self, from: container, forKey: .note)
                        self.`default` = try Self.decode(Int.self, from: container, forKey: .`default`)
                        self.region = try container.decodeIfPresent(ManagedObjectID.self, forKey: .region)
                        self.tags = try container.decode([ManagedObjectID].self, forKey: .tags)
                    }
                    public func encode(to encoder: any Encoder) throws {
                        var container = encoder.container(keyedBy: CodingKeys.self)
                        try container.encode(self.objectID, forKey: .objectID)
                        try Self.encode(self.time, to: &container, forKey: .time)
                        try Self.encode(self.kind, to: &container, forKey: .kind)
                        try Self.encode(self.note, to: &container, forKey: .note)
                        try Self.encode(self.`default`, to: &container, forKey: .`default`)
                        try container.encodeIfPresent(self.region, forKey: .region)
                        try container.encode(self.tags, forKey: .tags)
                    }
                }

                /// The stored values with unsaved changes, free to leave the object's context.
                public var values: Values {
                    Values(self)
                }
            }
            """)
    }

    @Test func valuesOfASubclassHoldThoseOfItsSuperclass() {
        expectValues(
            of: """
                @Managed
                final class Sea: Places.Place {
                    var depth: Double?
                    @Relationship(values: true) var tags: ToMany<Tag>
                }
                """,
            """
            final class Sea: Places.Place {
                var depth: Double?
                var tags: ToMany<Tag>

                /// The stored values of Sea objects, free to leave their context.
                @dynamicMemberLookup nonisolated struct Values: ManagedValues, @unchecked Sendable {
                    typealias Object = Sea
                    /// The values of the superclass; these values have all of its members too.
                    var superValues: Places.Place.Values
                    var objectID: ManagedObjectID {
                        get {
                            superValues.objectID
                        }
                        set {
                            superValues.objectID = newValue
                        }
                    }
                    subscript <Value>(
                        dynamicMember keyPath: WritableKeyPath<Places.Place.Values, Value>
                    ) -> Value {
                        get {
                            superValues[keyPath: keyPath]
                        }
                        set {
                            superValues[keyPath: keyPath] = newValue
                        }
                    }
                    var id: Places.Place.Values.ID {
                        get {
                            superValues.id
                        }
                        set {
                            superValues.id = newValue
                        }
                    }
                    var depth: Double?
                    var tags: [ManagedObjectID]
                    static var toManyIndices: [Int] {
                        Places.Place.Values.toManyIndices + [Places.Place.managedLayout_Place.toManys &+ 0]
                    }
                    init(superValues: Places.Place.Values, depth: Double? = nil, tags: [ManagedObjectID] = []) {
                        self.superValues = superValues
                        self.depth = depth
                        self.tags = tags
                    }
                    init(reading reader: ValuesReader) {
                        self.superValues = Places.Place.Values(reading: reader)
                        self.depth = reader.attribute(at: Places.Place.managedLayout_Place.slots &+ 0)
                        self.tags = reader.toMany(at: Places.Place.managedLayout_Place.toManys &+ 0)
                    }
                    func write(to writer: ValuesWriter) {
                        self.superValues.write(to: writer)
                        writer.set(self.depth, at: Places.Place.managedLayout_Place.slots &+ 0)
                        writer.setToMany(self.tags, at: Places.Place.managedLayout_Place.toManys &+ 0)
                    }
                    static func == (a: Self, b: Self) -> Bool {
                        if a.superValues != b.superValues {
                            return false
                        }
                        if !isSame(a.depth, b.depth) {
                            return false
                        }
                        if a.tags != b.tags {
                            return false
                        }
                        return true
                    }
                    func hash(into hasher: inout Hasher) {
                        hasher.combine(self.superValues)
                        Self.hash(self.depth, into: &hasher)
                        hasher.combine(self.tags)
                    }
                    private enum CodingKeys: String, CodingKey {
                        case depth, tags
                    }
                    init(from decoder: any Decoder) throws {
                        let container = try decoder.container(keyedBy: CodingKeys.self)
                        self.superValues = try Places.Place.Values(from: decoder)
                        self.depth = try Self.decodeIfPresent(Double.self, from: container, forKey: .depth)
                        self.tags = try container.decode([ManagedObjectID].self, forKey: .tags)
                    }
                    func encode(to encoder: any Encoder) throws {
                        var container = encoder.container(keyedBy: CodingKeys.self)
                        try self.superValues.encode(to: encoder)
                        try Self.encode(self.depth, to: &container, forKey: .depth)
                        try container.encode(self.tags, forKey: .tags)
                    }
                }

                /// The stored values with unsaved changes, free to leave the object's context.
                var values: Values {
                    Values(self)
                }
            }
            """)
    }

    @Test func aClassForSubclassesHasNoPropertyThatOneOfThemCouldNotOverride() {
        #expect(members("class Quake: ManagedObject {}") == ["Values"])
        #expect(members("final class Quake: ManagedObject {}") == ["Values", "values"])
    }

    @Test func whatTheClassDeclaresItselfIsNotGenerated() {
        #expect(members("final class Quake: ManagedObject { struct Values {} }") == [])
        #expect(members("final class Quake: ManagedObject { typealias Values = Int }") == [])
        #expect(members("final class Quake: ManagedObject { var values: Int }") == ["Values"])
        #expect(members("final class Quake: ManagedObject { func values() {} }") == ["Values"])
        #expect(members("final class Quake: ManagedObject {}", "(values: false)") == [])
    }

    /// The names of the members that are about values.
    private func members(_ declaration: String, _ arguments: String = "") -> [String] {
        let source = Parser.parse(source: "@Managed\(arguments) \(declaration)")
        var reader = ClassReader()
        guard let declaration = source.statements.first?.item.as(ClassDeclSyntax.self),
            case .attribute(let attribute)? = declaration.attributes.first,
            let managed = reader.managedClass(
                declaration, attribute: attribute, lexicalContext: [])
        else { return ["no managed class"] }
        return ValuesGenerator(managed: managed).members.map { member in
            member.asProtocol((any NamedDeclSyntax).self)?.name.text
                ?? member.as(VariableDeclSyntax.self)?.shownName ?? ""
        }
    }

    private func expectValues(
        of source: String, _ expanded: String,
        at location: Testing.SourceLocation = #_sourceLocation
    ) {
        let specs = [
            "Managed": MacroSpec(type: ValuesOnlyMacro.self),
            "Attribute": MacroSpec(type: AttributeMarkerMacro.self),
            "Relationship": MacroSpec(type: RelationshipMarkerMacro.self),
        ]
        assertMacroExpansion(
            source, expandedSource: expanded, macroSpecs: specs,
            failureHandler: { Issue.record("\($0.message)", sourceLocation: location) })
    }
}

/// `@Managed` reduced to what it writes about values.
private struct ValuesOnlyMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var reader = ClassReader()
        let managed = reader.managedClass(
            declaration, attribute: node, lexicalContext: context.lexicalContext)
        return managed.map { ValuesGenerator(managed: $0).members } ?? []
    }
}
