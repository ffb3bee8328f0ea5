import DuramenModel
import DuramenModelFile
import Testing

/// Which entities and properties of two versions are the same, and what follows for hierarchies.
struct ModelComparisonPairingTests {
    private func changes(_ old: String, _ new: String) throws -> ModelComparison {
        ModelComparison(from: try Contents.model(old), to: try Contents.model(new))
    }

    private func names(_ comparison: ModelComparison) -> [String] {
        comparison.changes.map {
            [$0.entity, $0.property].compactMap(\.self).joined(separator: ".")
        }
    }

    private func isSettled(_ change: ModelChange) -> Bool {
        if case .unsettled = change.effect { false } else { true }
    }

    private func attribute(_ name: String, _ more: String = "optional=\"YES\"") -> String {
        "<attribute name=\"\(name)\" attributeType=\"String\" \(more)/>"
    }

    private func entity(_ name: String, _ properties: String = "", _ more: String = "") -> String {
        "<entity name=\"\(name)\" \(more)>\(properties)</entity>"
    }

    // MARK: - Renaming

    @Test func anIdentifierThatNamesNothingOldRenamesNothing() throws {
        let comparison = try changes(
            entity("E", attribute("a")),
            entity("E", attribute("b", "optional=\"YES\" elementID=\"z\"")))
        #expect(names(comparison) == ["E.b", "E.a"])
    }

    // An identifier stays in all later versions.
    @Test func anIdentifierRenamesOnlyWhereTheNewNameIsNew() throws {
        let renamed = attribute("b", "optional=\"YES\" elementID=\"a\"")
        let comparison = try changes(
            entity("E", attribute("a") + attribute("b")), entity("E", renamed))
        #expect(names(comparison) == ["E.a"])
        #expect(try changes(entity("E", renamed), entity("E", renamed)).isEmpty)
    }

    /// Of a property that was renamed twice, each pair of versions is a renaming.
    @Test(arguments: ["color", "paintColor"])
    func whatWasRenamedTwiceIsTheSameInAllVersions(identifier: String) throws {
        let versions = [
            attribute("color"), attribute("paintColor", "optional=\"YES\" elementID=\"color\""),
            attribute("tint", "optional=\"YES\" elementID=\"\(identifier)\""),
        ].map { entity("Pot", $0) }
        let first = try changes(versions[0], versions[1])
        #expect(first.changes.map(\.message) == ["attribute renamed from color"])
        let second = try changes(versions[1], versions[2])
        #expect(second.changes.map(\.message) == ["attribute renamed from paintColor"])
        let both = try changes(versions[0], versions[2])
        // The name in the version before says nothing of the versions before that.
        #expect(
            both.changes.map(\.message)
                == (identifier == "color"
                    ? ["attribute renamed from color"] : ["attribute added", "attribute removed"]))
    }

    // Whichever of the two stands first in the file.
    @Test(arguments: [true, false])
    func whatKeepsItsNameIsNotWhatAnotherWasRenamedFrom(_ isFirst: Bool) throws {
        let renamed = attribute("b", "optional=\"YES\" elementID=\"a\"")
        let kept = attribute("a")
        let comparison = try changes(
            entity("E", kept), entity("E", isFirst ? renamed + kept : kept + renamed))
        // Whether it was renamed or added nobody can tell.
        #expect(names(comparison) == ["E.b", "E.b"])
        #expect(comparison.changes.map(\.message) == ["attribute added", "renamed or added"])
        #expect(!comparison.isInferable)
    }

    // Two that call themselves by one name, and one that calls what has another name now.
    @Test func noTwoAreWhatOneWas() throws {
        let (b, c) = (
            attribute("b", "optional=\"YES\" elementID=\"a\""),
            attribute("c", "optional=\"YES\" elementID=\"a\"")
        )
        for old in [attribute("a"), b] {
            let comparison = try changes(entity("E", old), entity("E", b + c))
            #expect(!comparison.isInferable)
            #expect(comparison.changes.last?.property == "c")
        }
    }

    @Test func anEntityIsRenamedWithAllThatLeadsToIt() throws {
        let relationship = { (destination: String) in
            "<relationship name=\"r\" optional=\"YES\" destinationEntity=\"\(destination)\"/>"
        }
        let comparison = try changes(
            entity("A") + entity("B", relationship("A")) + entity("C", "", "parentEntity=\"A\""),
            entity("Z", "", "elementID=\"A\"") + entity("B", relationship("Z"))
                + entity("C", "", "parentEntity=\"Z\""))
        #expect(names(comparison) == ["Z"])
        #expect(comparison.isInferable)
        #expect(!comparison.needsNoMigration)
    }

    @Test func anEntityWithoutAnIdentifierIsAddedAndItsLookAlikeRemoved() throws {
        let comparison = try changes(entity("A", attribute("a")), entity("B", attribute("a")))
        #expect(names(comparison) == ["B", "A"])
        #expect(comparison.isInferable)
    }

    @Test func anInverseThatIsRenamedIsAChangeOfBothEnds() throws {
        let model = { (name: String, more: String) in
            """
            <entity name="A"><relationship name="b" optional="YES" maxCount="1"
            destinationEntity="B" inverseName="\(name)" inverseEntity="B"/></entity>
            <entity name="B"><relationship name="\(name)" optional="YES" toMany="YES" \(more)
            destinationEntity="A" inverseName="b" inverseEntity="A"/></entity>
            """
        }
        let comparison = try changes(model("as", ""), model("all", "elementID=\"as\""))
        #expect(names(comparison) == ["A.b", "B.all"])
        #expect(comparison.isInferable)
    }

    // MARK: - Hierarchies

    // Core Data's lightweight migration moves properties up and down a hierarchy.
    @Test func aPropertyThatMovesToAnAbstractParentIsInferred() throws {
        let property = attribute("a", "")
        let comparison = try changes(
            entity("P", "", "isAbstract=\"YES\"") + entity("C", property, "parentEntity=\"P\""),
            entity("P", property, "isAbstract=\"YES\"") + entity("C", "", "parentEntity=\"P\""))
        #expect(comparison.isInferable)
        #expect(!comparison.needsNoMigration)
    }

    // It cannot merge hierarchies: two entities without a common parent do not get one.
    @Test func twoEntitiesThatGetACommonParentAreUnsettled() throws {
        let comparison = try changes(
            entity("A") + entity("B"),
            entity("P", "", "isAbstract=\"YES\"") + entity("A", "", "parentEntity=\"P\"")
                + entity("B", "", "parentEntity=\"P\""))
        #expect(!comparison.isInferable)
    }

    // MARK: - All of it

    // MARK: - Destinations

    /// A model whose `Box.item` leads to an entity.
    private func boxes(_ destination: String, _ entities: String) -> String {
        entity(
            "Box",
            "<relationship name=\"item\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"\(destination)\"/>") + entities
    }

    private func isInferable(_ old: String, _ new: String) throws -> Bool {
        let comparison = try changes(old, new)
        let destinations = comparison.changes.filter { $0.message.hasPrefix("destination ") }
        #expect(destinations.count == 1)
        return destinations.allSatisfy(isSettled)
    }

    private static let tree =
        [("A", nil), ("B", "A"), ("C", "B"), ("D", "A")] as [(String, String?)]

    /// Entities with their parents.
    private func tree(_ tree: [(String, String?)] = tree) -> String {
        tree.map { name, parent in
            entity(name, "", parent.map { "parentEntity=\"\($0)\"" } ?? "")
        }.joined()
    }

    @Test(arguments: [("B", "A"), ("C", "A"), ("C", "B")])
    func aDestinationThatMovesToAnAncestorKeepsItsReferences(_ old: String, _ new: String) throws {
        #expect(try isInferable(boxes(old, tree()), boxes(new, tree())))
    }

    @Test(arguments: [("B", "D"), ("D", "Box")])
    func aDestinationThatMovesElsewhereLosesThem(_ old: String, _ new: String) throws {
        #expect(try !isInferable(boxes(old, tree()), boxes(new, tree())))
    }

    @Test(arguments: [("A", "B"), ("B", "C")])
    func aDestinationThatMovesToADescendantDependsOnTheReferences(
        _ old: String, _ new: String
    ) throws {
        let changes = try changes(boxes(old, tree()), boxes(new, tree())).changes
        #expect(changes.map(\.effect) == [.checked("it refers to no other objects")])
    }

    @Test func aNewParentIsAnAncestorAsWell() throws {
        let old = boxes("B", tree([("B", nil), ("C", "B")]))
        #expect(try isInferable(old, boxes("A", tree([("A", nil), ("B", "A"), ("C", "B")]))))
    }

    // What was below the old destination may be an object that a reference leads to.
    @Test func aSubentityThatLeavesTheNewDestinationMayHaveNoReferences() throws {
        let old = boxes("B", tree([("A", nil), ("B", "A"), ("C", "B")]))
        let new = boxes("A", tree([("A", nil), ("B", "A"), ("C", nil)]))
        let effects = try changes(old, new).changes.map(\.effect)
        #expect(effects.contains(.checked("it refers to no other objects")))
    }

    @Test func aDestinationThatIsGoneLeavesNoReferences() throws {
        let new = boxes("A", tree([("A", nil), ("D", "A")]))
        let old = boxes("B", tree([("A", nil), ("B", "A"), ("D", "A")]))
        #expect(try isInferable(old, new))
        #expect(
            try changes(old, new).changes.compactMap(\.loss) == ["its destinations", "its objects"])
    }

    @Test func aDestinationThatIsRenamedAndMovesToItsParentKeepsReferences() throws {
        let renamed =
            entity("A") + entity("Z", "", "parentEntity=\"A\" elementID=\"B\"")
        #expect(
            try isInferable(
                boxes("B", tree([("A", nil), ("B", "A")])), boxes("A", renamed)))
    }

    @Test func everyChangeIsListedInTheOrderOfTheNewVersion() throws {
        let comparison = try changes(
            entity("A", attribute("a")) + entity("B") + entity("C"),
            entity("C", attribute("c", "")) + entity("D") + entity("A"))
        #expect(names(comparison) == ["C.c", "D", "A.a", "B"])
        #expect(comparison.changes.map(isSettled) == [false, true, true, true])
    }

    @Test func aChangeIsOneLine() throws {
        let comparison = try changes(entity("A"), entity("A", attribute("a", "")))
        let line = try #require(comparison.changes.first?.description)
        #expect(line.hasPrefix("A.a: attribute added; not inferred: "))
        #expect(!line.contains("\n"))
    }
}
