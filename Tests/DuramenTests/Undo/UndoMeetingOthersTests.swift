import Duramen
import StoreTestSupport
import Testing

/// What is taken back while somebody else saves.
@MainActor
@Suite struct UndoMeetingOthersTests {
    @Test(arguments: StoreKind.allCases)
    func anOldValueIsAnEditOnTopOfWhatOthersSavedMeanwhile(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        quake.depth = 1
        try desk.settle()
        quake.magnitude = 5
        desk.context.processPendingChanges()
        try desk.container.saveElsewhere { other in
            let same = try #require(try other.quake("a"))
            same.magnitude = 7
            same.depth = 7
        }
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(quake.magnitude == 1 && quake.depth == 7 && quake.isUpdated)
        #expect(
            try desk.context.fetch(FetchRequest<Quake>().where { $0.magnitude == 1 }) == [quake])
        #expect(try desk.context.count(for: FetchRequest<Quake>().where { $0.magnitude == 7 }) == 0)
        try desk.context.redo()
        #expect(quake.magnitude == 5 && quake.depth == 7)
        try desk.context.undo()
        try desk.context.save()
        desk.reader.processPendingChanges()
        let stored = try #require(try desk.reader.quake("a"))
        #expect(stored.magnitude == 1 && stored.depth == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func anOldValueThatOthersSavedTooIsNoEdit(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (north, south) = (desk.context.insertRegion("n"), desk.context.insertRegion("s"))
        let quake = desk.context.insertQuake("a", magnitude: 1, in: north)
        try desk.settle()
        quake.magnitude = 5
        quake.region = south
        desk.context.processPendingChanges()
        try desk.container.saveElsewhere { other in
            let same = try #require(try other.quake("a"))
            same.magnitude = 7
            same.region = nil
        }
        try desk.container.saveElsewhere { other in
            let same = try #require(try other.quake("a"))
            same.magnitude = 1
            same.region = try other.fetch(FetchRequest<Region>().where { $0.name == "n" }).first
        }
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(quake.magnitude == 1 && quake.region === north && !desk.context.hasChanges)
        #expect(Array(north.quakes) == [quake] && south.quakes.isEmpty)
        quake.depth = 2
        try desk.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func anOldDestinationIsAnEditOnTopOfWhatOthersSavedMeanwhile(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let regions = ["n", "s", "e"].map(desk.context.insertRegion)
        let quake = desk.context.insertQuake("a", in: regions[0])
        try desk.settle()
        quake.region = regions[1]
        desk.context.processPendingChanges()
        try desk.container.saveElsewhere { other in
            let same = try #require(try other.quake("a"))
            same.region = try other.fetch(FetchRequest<Region>().where { $0.name == "e" }).first
        }
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(quake.region === regions[0] && quake.isUpdated)
        #expect(regions.map { Array($0.quakes) } == [[quake], [], []])
        try desk.context.save()
        desk.reader.processPendingChanges()
        let stored = try #require(try desk.reader.quake("a"))
        #expect(stored.region?.name == "n")
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatOthersDeletedMeanwhileStaysDeleted(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        try desk.settle()
        quake.magnitude = 5
        desk.context.processPendingChanges()
        try desk.container.saveElsewhere { $0.delete(try #require(try $0.quake("a"))) }
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(quake.isDeleted && !quake.isUpdated)
        #expect(try desk.context.count(for: FetchRequest<Quake>()) == 0)
        _ = desk.context.insertTag("t")
        try desk.context.save()
        #expect(quake.isGone)
    }

    @Test(arguments: StoreKind.allCases)
    func membersOfAnOrderKeepTheirPlacesWhenADeletionIsTakenBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        let context = desk.context
        let playlist = Playlist(context: context)
        for song in context.insertSongs("abc") { playlist.songs.append(song) }
        let mix = Mix(context: context)
        for song in playlist.songs.reversed() { mix.songs.append(song) }
        try desk.settle()
        for victim in [playlist, mix, playlist.songs[1], playlist.songs[0]] as [ManagedObject] {
            context.delete(victim)
            context.processPendingChanges()
            try context.undo()
            #expect(!context.hasChanges)
        }
        let (playlistID, mixID) = (playlist.objectID, mix.objectID)
        try desk.container.saveElsewhere { other in
            let song = other.insertSongs("n")[0]
            try other.existingObject(with: playlistID, as: Playlist.self).songs.append(song)
            try other.existingObject(with: mixID, as: Mix.self).songs.append(song)
        }
        context.processPendingChanges()
        #expect(playlist.songs.map(\.name) == ["a", "b", "c", "n"])
        #expect(mix.songs.map(\.name) == ["c", "b", "a", "n"])
        let last = context.insertSongs("m")[0]
        playlist.songs.append(last)
        mix.songs.append(last)
        try context.save()
        let stored = try #require(try desk.reader.fetch(FetchRequest<Playlist>()).first)
        #expect(stored.songs.map(\.name) == ["a", "b", "c", "n", "m"])
        let storedMix = try #require(try desk.reader.fetch(FetchRequest<Mix>()).first)
        #expect(storedMix.songs.map(\.name) == ["c", "b", "a", "n", "m"])
    }

    @Test(arguments: StoreKind.allCases)
    func aPairThatOthersAddToWhatIsDeletedHereComesAndGoesWithIt(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, UndoGraph.model)
        let context = desk.context
        let quake = context.insertQuake("q")
        try desk.settle()
        let id = quake.objectID
        context.delete(quake)
        context.processPendingChanges()
        try desk.container.saveElsewhere { other in
            let tag = other.insertTag("t")
            try other.existingObject(with: id, as: Quake.self).tags.insert(tag)
        }
        context.processPendingChanges()
        let tag = try #require(try context.fetch(FetchRequest<Tag>()).first)
        #expect(tag.quakes.isEmpty)
        try context.undo()
        #expect(tag.quakes.map(\.code) == ["q"] && quake.tags.map(\.name) == ["t"])
        try desk.container.saveElsewhere { other in
            other.delete(try other.existingObject(with: id, as: Quake.self))
        }
        context.processPendingChanges()
        #expect(tag.quakes.isEmpty && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aPairThatOthersAddBetweenTwoThatAreDeletedHereIsThereWhenBothAreBack(kind: StoreKind)
        throws
    {
        let desk = try UndoDesk(kind, UndoGraph.model)
        let context = desk.context
        let (quake, tag) = (context.insertQuake("q"), context.insertTag("t"))
        try desk.settle()
        #expect(quake.tags.isEmpty && tag.quakes.isEmpty)
        let ids = (quake.objectID, tag.objectID)
        for object in [quake, tag] {
            context.delete(object)
            context.processPendingChanges()
        }
        try desk.container.saveElsewhere { other in
            let quake = try other.existingObject(with: ids.0, as: Quake.self)
            quake.tags.insert(try other.existingObject(with: ids.1, as: Tag.self))
        }
        context.processPendingChanges()
        try context.undo()
        #expect(tag.quakes.isEmpty)
        try context.undo()
        #expect(tag.quakes.map(\.code) == ["q"] && quake.tags.map(\.name) == ["t"])
        #expect(!context.hasChanges)
    }

    /// The tag is not held here. Its context is not told when others delete it.
    @Test(arguments: StoreKind.allCases)
    func aNewObjectThatIsBackDoesNotLeadToWhatOthersDeleted(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, UndoGraph.model)
        let context = desk.context
        try desk.container.saveElsewhere { _ = $0.insertTag("t") }
        do {
            let quake = context.insertQuake("q")
            quake.tags.insert(try #require(try context.fetch(FetchRequest<Tag>()).first))
            context.processPendingChanges()
            context.delete(quake)
            context.processPendingChanges()
        }
        try context.save()
        try desk.container.saveElsewhere { other in
            for tag in try other.fetch(FetchRequest<Tag>()) { other.delete(tag) }
        }
        context.processPendingChanges()
        try context.undo()
        let quake = try #require(try context.fetch(FetchRequest<Quake>()).first)
        #expect(quake.tags.isEmpty)
        try context.save()
        #expect(quake.tags.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func bothEndsOfAPairKeepItsEditWhenAnotherEditIsTakenBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, UndoGraph.model)
        let context = desk.context
        let (quake, tag) = (context.insertQuake("q"), context.insertTag("t"))
        quake.tags.insert(tag)
        try desk.settle()
        let ids = (quake.objectID, tag.objectID)
        // The pair is there already, so that this changes nothing yet.
        quake.tags.insert(tag)
        context.processPendingChanges()
        quake.magnitude = 7
        context.processPendingChanges()
        try context.undo()
        try desk.container.saveElsewhere { other in
            let quake = try other.existingObject(with: ids.0, as: Quake.self)
            quake.tags.remove(try other.existingObject(with: ids.1, as: Tag.self))
        }
        context.processPendingChanges()
        #expect(quake.tags.contains(tag) == tag.quakes.contains(quake))
        try context.save()
        #expect(quake.tags.contains(tag) == tag.quakes.contains(quake))
        let stored = try #require(try desk.reader.fetch(FetchRequest<Quake>()).first)
        #expect(stored.tags.count == quake.tags.count)
    }

    /// The rules of the deletion clear the edit, which must meet that of others all the same. The
    /// partner of the first of three objects is itself, or the second, which goes with it.
    @Test(arguments: StoreKind.allCases, [0, 1])
    func aConflictOverAPartnerOutlivesTheUndoneDeletion(kind: StoreKind, partner: Int) throws {
        for isRedone in [false, true] {
            let (desk, nodes) = try nodes(kind)
            let context = desk.context
            try nodes[0].setValue(nodes[partner], forKey: "next")
            context.processPendingChanges()
            context.delete(nodes[0])
            context.processPendingChanges()
            try connectElsewhere(nodes[0], to: nodes[2], desk)
            try context.undo()
            #expect(try nodes[0].value(forKey: "next") as? ManagedObject === nodes[partner])
            if isRedone { try context.redo() }
            #expect(throws: SaveConflictError.self) { try context.save() }
            context.rollback()
            #expect(try nodes[0].value(forKey: "next") as? ManagedObject === nodes[2])
            #expect(try nodes[2].value(forKey: "previous") as? ManagedObject === nodes[0])
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aPartnerThatOthersTookMeanwhileIsTakenBackAtBothEnds(
        kind: StoreKind, isRedone: Bool
    ) throws {
        let (desk, nodes) = try nodes(kind)
        let context = desk.context
        try nodes[0].setValue(nodes[1], forKey: "next")
        context.processPendingChanges()
        try connectElsewhere(nodes[2], to: nodes[1], desk)
        try context.undo()
        if isRedone { try context.redo() }
        #expect(try nodes[2].value(forKey: "next") == nil)
        try context.save()
        let stored = RuleGraph(desk.reader)
        #expect(try stored.oneSided() == [] && stored.contents() == RuleGraph(context).contents())
    }

    /// The owner and the object were deleted one after the other, and others made the object a
    /// member meanwhile.
    @Test(arguments: StoreKind.allCases)
    func rulesOfADeletedOwnerReachAnObjectThatReturns(kind: StoreKind) throws {
        let (desk, nodes) = try nodes(kind)
        let context = desk.context
        let hub = RuleGraph(context).insert("Hub")
        try desk.settle()
        for object in [hub, nodes[0]] {
            context.delete(object)
            context.processPendingChanges()
        }
        let ids = (nodes[0].objectID, hub.objectID)
        try desk.container.saveElsewhere { other in
            try other.existingObject(with: ids.0)
                .setValue(other.existingObject(with: ids.1), forKey: "hub")
        }
        context.processPendingChanges()
        try context.undo()
        #expect(nodes[0].isDeleted)
        try context.undo()
        #expect(!hub.isDeleted && !nodes[0].isDeleted)
        #expect(try nodes[0].value(forKey: "hub") as? ManagedObject === hub)
        try context.redo()
        context.mergePolicy = .overwrite
        try context.save()
        #expect(try RuleGraph(desk.reader).ghosts() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnPartnerThatIsTheObjectItselfComesBackAtBothEnds(kind: StoreKind) throws {
        let (desk, nodes) = try nodes(kind)
        let node = nodes[0]
        try node.setValue(node, forKey: "next")
        try desk.settle()
        try node.setValue(1, forKey: "rank")
        desk.context.processPendingChanges()
        desk.context.delete(node)
        desk.context.processPendingChanges()
        try connectElsewhere(node, to: nil, desk)
        try desk.context.undo()
        for end in ["next", "previous"] {
            #expect(try node.value(forKey: end) as? ManagedObject === node)
        }
        try desk.context.save()
        let stored = RuleGraph(desk.reader)
        #expect(
            try stored.oneSided() == [] && stored.contents() == RuleGraph(desk.context).contents())
    }

    /// The object waits without an edit of its partner, and takes over what others saved when a
    /// step of its pairs is undone.
    @Test(arguments: StoreKind.allCases, ["friends", "picks"])
    func aPartnerThatWasPartedHereIsNotTakenOver(kind: StoreKind, pairs: String) throws {
        let (desk, nodes) = try nodes(kind)
        let context = desk.context
        try nodes[1].setValue(nodes[0], forKey: "next")
        context.processPendingChanges()
        try connectElsewhere(nodes[2], to: nodes[0], desk)
        for node in nodes.dropFirst() { try node.setValue(nil, forKey: "next") }
        context.processPendingChanges()
        try nodes[0].setValue([nodes[1]], forKey: pairs)
        context.processPendingChanges()
        try context.undo()
        try context.save()
        let stored = RuleGraph(desk.reader)
        #expect(try stored.oneSided() == [] && stored.contents() == RuleGraph(context).contents())
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectIsAMemberOfItsOldOwnerAgainThoughOthersMovedItToo(kind: StoreKind) throws {
        let (desk, nodes) = try nodes(kind)
        let graph = RuleGraph(desk.context)
        let hubs = [graph.insert("Hub"), graph.insert("Hub")]
        for (node, hub) in zip(nodes, [hubs[0], hubs[0], hubs[1]]) {
            try node.setValue(hub, forKey: "hub")
        }
        try desk.settle()
        let ids = (nodes[0].objectID, hubs[1].objectID)
        try nodes[0].setValue(hubs[1], forKey: "hub")
        desk.context.processPendingChanges()
        try desk.container.saveElsewhere { other in
            try other.existingObject(with: ids.0)
                .setValue(other.existingObject(with: ids.1), forKey: "hub")
        }
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(try nodes[0].value(forKey: "hub") as? ManagedObject === hubs[0])
        #expect(try hubs[1].value(forKey: "nodes") as? [ManagedObject] == [nodes[2]])
        try desk.context.save()
        let stored = RuleGraph(desk.reader)
        #expect(try stored.oneSided() == [] && stored.contents() == graph.contents())
    }

    /// A desk with three stored objects that may be partners.
    private func nodes(_ kind: StoreKind) throws -> (UndoDesk, [ManagedObject]) {
        let desk = try UndoDesk(kind, RuleGraph.model)
        let nodes = try RuleGraph(desk.context).insertNodes("a", "b", "c")
        try desk.settle()
        return (desk, nodes)
    }

    /// Saves elsewhere that an object has a partner, or none, and merges that.
    private func connectElsewhere(
        _ node: ManagedObject, to partner: ManagedObject?, _ desk: UndoDesk
    ) throws {
        let ids = (node.objectID, partner?.objectID)
        try desk.container.saveElsewhere { other in
            try other.existingObject(with: ids.0)
                .setValue(ids.1.map { try other.existingObject(with: $0) }, forKey: "next")
        }
        desk.context.processPendingChanges()
    }
}

/// Insertions that are taken back, and what the new objects led to.
@MainActor
@Suite struct UndoInsertionTests {
    @Test(arguments: StoreKind.allCases)
    func whatWasThereBeforeStaysWhenANewObjectThatCascadesToItGoes(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, RuleGraph.model)
        let graph = RuleGraph(desk.context)
        let hub = graph.insert("Hub")
        try desk.settle()
        let node = graph.insert("Node")
        try node.setValue(hub, forKey: "hub")
        desk.context.processPendingChanges()
        try desk.context.undo()
        #expect(!hub.isDeleted && !desk.context.hasChanges)
        try desk.context.redo()
        #expect(try node.value(forKey: "hub") as? ManagedObject === hub)
        try desk.context.save()
        try desk.context.undo()
        #expect(!hub.isDeleted && node.isDeleted)
        try desk.context.save()
        #expect(try desk.reader.count(for: FetchRequest<ManagedObject>(entityName: "Hub")) == 1)
        #expect(try desk.reader.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 0)
    }
}
