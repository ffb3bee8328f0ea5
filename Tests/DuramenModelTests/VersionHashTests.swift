import DuramenModel
import Foundation
import Testing

/// SEMANTICS of version hashes: what makes two models read different stores, and nothing else.
struct VersionHashTests {
    typealias Change = @Sendable (inout [EntityDescription]) -> Void

    private static let base = [
        EntityDescription(
            name: "Quake",
            attributes: [
                AttributeDescription("code", .string), AttributeDescription("depth", .double),
                AttributeDescription("note", .string), AttributeDescription("image", .binaryData),
            ],
            relationships: [
                .toOne("region", destination: "Region", inverse: "quakes"),
                .toMany("tags", destination: "Tag", inverse: "quakes"),
            ], uniquenessConstraints: [["code"], ["code", "depth"]]),
        EntityDescription(
            name: "Region", relationships: [.toMany("quakes", destination: "Quake")]),
        EntityDescription(name: "Tag", relationships: [.toMany("quakes", destination: "Quake")]),
        EntityDescription(name: "Swarm", superentity: "Quake"),
    ]

    /// Each with the entities whose hashes change.
    private static let counted: [(String, Set<String>, Change)] = [
        ("an attribute's name", ["Quake", "Swarm"], { $0[0].attributes[2].name = "b" }),
        ("its optionality", ["Quake", "Swarm"], { $0[0].attributes[1].isOptional = true }),
        ("its type", ["Quake", "Swarm"], { $0[0].attributes[1].type = .float }),
        ("its modifier", ["Quake", "Swarm"], { $0[0].attributes[1].versionHashModifier = "2" }),
        (
            "whether its values may have files", ["Quake", "Swarm"],
            { $0[0].attributes[3].allowsExternalBinaryDataStorage = true }
        ),
        ("a further attribute", ["Tag"], { $0[2].attributes = [.init("name", .string)] }),
        (
            "a relationship's optionality", ["Quake", "Swarm"],
            { $0[0].relationships[0].isOptional = false }
        ),
        (
            "its modifier", ["Quake", "Swarm"],
            { $0[0].relationships[0].versionHashModifier = "2" }
        ),
        (
            "its count", ["Region"],
            { $0[1].relationships[0] = .toOne("quakes", destination: "Quake") }
        ),
        (
            "a relationship's name, which is its inverse's inverse", ["Quake", "Swarm", "Region"],
            {
                $0[0].relationships[0].inverse = "all"
                $0[1].relationships[0].name = "all"
            }
        ),
        (
            "a composite's element", ["Tag"],
            { $0[2].attributes = [.composite("place", elements: [.init("x", .double)])] }
        ),
        (
            "the name of a Codable type", ["Tag"],
            {
                $0[2].attributes = [
                    .codable([String].self, name: "names", identifier: "Names")
                ]
            }
        ),
        ("whether an entity is abstract", ["Quake", "Swarm"], { $0[0].isAbstract = true }),
        ("the parent", ["Swarm"], { $0[3].superentity = nil }),
        ("the constraints", ["Quake", "Swarm"], { $0[0].uniquenessConstraints = [["code"]] }),
        (
            "a constraint over a to-one", ["Quake", "Swarm"],
            { $0[0].uniquenessConstraints.append(["region", "depth"]) }
        ),
        ("an entity's modifier", ["Quake", "Swarm"], { $0[0].versionHashModifier = "2" }),
    ]

    private static let uncounted: [(String, Change)] = [
        ("defaults", { $0[0].attributes[1].defaultValue = .double(1) }),
        ("delete rules", { $0[1].relationships[0].deleteRule = .cascade }),
        ("indexes", { $0[0].indexes = [IndexDescription("depth")] }),
        ("notes of an entity", { $0[0].userInfo = ["a": "b"] }),
        ("confidentiality", { $0[0].attributes[0].isConfidential = true }),
        (
            "what history keeps of the deleted",
            { $0[0].attributes[0].preservesValueInHistoryOnDeletion = true }
        ),
        ("notes of an attribute", { $0[0].attributes[0].userInfo = ["a": "b"] }),
        ("notes of a relationship", { $0[0].relationships[0].userInfo = ["a": "b"] }),
        ("renaming of an entity", { $0[0].renamingIdentifier = "Old" }),
        ("renaming of an attribute", { $0[0].attributes[0].renamingIdentifier = "old" }),
        ("renaming of a relationship", { $0[0].relationships[0].renamingIdentifier = "old" }),
        ("an empty modifier", { $0[0].versionHashModifier = "" }),
        ("the class", { $0[0].managedObjectClass = ManagedObjectClass(JSONDecoder.self) }),
        ("which side names the inverse", { $0[1].relationships[0].inverse = "region" }),
        ("the order of entities", { $0.reverse() }),
        ("the order of attributes", { $0[0].attributes.reverse() }),
        ("the order of relationships", { $0[0].relationships.reverse() }),
        ("the order of constraints", { $0[0].uniquenessConstraints.reverse() }),
    ]

    @Test(arguments: counted.indices)
    func whatStoresDependOnCounts(index: Int) throws {
        let (what, changed, change) = Self.counted[index]
        let before = try ManagedObjectModel(Self.base)
        var descriptions = Self.base
        change(&descriptions)
        let after = try ManagedObjectModel(descriptions)
        let differing = before.entityVersionHashes.filter {
            after.entityVersionHashes[$0.key] != $0.value
        }
        #expect(Set(differing.keys) == changed, "\(what)")
        #expect(before.versionChecksum != after.versionChecksum, "\(what)")
    }

    @Test(arguments: uncounted.indices)
    func whatStoresDoNotDependOnDoesNotCount(index: Int) throws {
        let (what, change) = Self.uncounted[index]
        let before = try ManagedObjectModel(Self.base)
        var descriptions = Self.base
        change(&descriptions)
        let after = try ManagedObjectModel(descriptions)
        #expect(before.entityVersionHashes == after.entityVersionHashes, "\(what)")
        #expect(before.versionChecksum == after.versionChecksum, "\(what)")
    }

    @Test func earlierFormatsLeaveOutConstraintsOverToOnes() throws {
        let before = try ManagedObjectModel(Self.base)
        var descriptions = Self.base
        descriptions[0].uniquenessConstraints.append(["region", "depth"])
        let after = try ManagedObjectModel(descriptions)
        func differing(
            _ model: ManagedObjectModel, from other: ManagedObjectModel, _ isEarlier: Bool
        )
            -> Set<String>
        {
            Set(
                model.entities(
                    unlike: other.versionChecksum, other.entityVersionHashes,
                    omitsReferences: isEarlier))
        }
        #expect(differing(after, from: before, true).isEmpty)
        #expect(differing(after, from: before, false) == ["Quake", "Swarm"])
        #expect(differing(after, from: after, false).isEmpty)
        #expect(differing(before, from: before, true).isEmpty)
    }

    @Test func versionIdentifiersDoNotCount() throws {
        let before = try ManagedObjectModel(Self.base)
        let after = try ManagedObjectModel(Self.base, versionIdentifiers: ["2"])
        #expect(before.versionChecksum == after.versionChecksum)
        #expect(after.versionIdentifiers == ["2"])
    }

    @Test func everyHashHas32Bytes() throws {
        let model = try ManagedObjectModel(Self.base)
        let hashes = Array(model.entityVersionHashes.values) + [model.versionChecksum]
        for hash in hashes { #expect(Data(base64Encoded: hash)?.count == 32) }
        #expect(Set(hashes).count == 5)
    }

    // Stores keep hashes, so these never change.
    @Test func theHashesAreThoseOfEarlierVersions() throws {
        let model = try ManagedObjectModel([
            EntityDescription(name: "Quake", attributes: [AttributeDescription("code", .string)])
        ])
        #expect(model.entities[0].versionHash == "1+A0jZcJl+f79Qx6DfbHzH387E+6Wn/perUBJ+4FvVA=")
        #expect(model.versionChecksum == "rr3x49LvrRxWGgBGlDk3fwn2sb/6ow2tqEoVXmSdqH0=")
    }

    @Test func anEntityHashesAlikeInEveryModel() throws {
        let tag = EntityDescription(
            name: "Tag", attributes: [AttributeDescription("name", .string)])
        let alone = try ManagedObjectModel([tag])
        let together = try ManagedObjectModel([tag, EntityDescription(name: "Area")])
        #expect(alone.entityVersionHashes["Tag"] == together.entityVersionHashes["Tag"])
        #expect(alone.versionChecksum != together.versionChecksum)
    }
}
