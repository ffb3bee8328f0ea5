import Duramen
import DuramenMemory
import DuramenSQLite
import DuramenTestKit
import Testing

/// Saves that write two stores.
@Suite struct SaveOfStoresTests {
    /// A context that changed a quake of each store, and added one to each.
    private func changed(
        _ kinds: TwoStores.Kinds
    ) throws -> (TwoStores, ManagedObjectContext, [Quake]) {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext(ContextOptions(name: "mine"))
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        quakes[0].magnitude = 7
        quakes[1].magnitude = 8
        _ = context.insertQuake("e", magnitude: 5)
        try context.assign(context.insertQuake("f", magnitude: 6), to: stores.second)
        return (stores, context, quakes)
    }

    private let before = ["a 1.0 Honshu", "b 2.0 Chile", "c 3.0 Honshu", "d 4.0 Chile"]
    private let after = [
        "a 7.0 Honshu", "b 8.0 Chile", "c 3.0 Honshu", "d 4.0 Chile", "e 5.0 -", "f 6.0 -",
    ]

    @Test(
        "Conflicts in both stores come back together, and nothing is written anywhere",
        arguments: TwoStores.Kinds.all)
    func conflictsComeTogether(kinds: TwoStores.Kinds) throws {
        let (stores, context, quakes) = try changed(kinds)
        try stores.container.saveElsewhere { context in
            for code in ["a", "b"] { try #require(try context.quake(code)).magnitude = 1.5 }
        }
        let stored = try stores.stored()
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(Set(error.conflicts.map(\.objectID)) == Set(quakes[..<2].map(\.objectID)))
        #expect(error.conflicts.allSatisfy { $0.stored?["magnitude"] == .double(1.5) })
        #expect(try stores.stored() == stored && context.updatedObjects.count == 2)
        for quake in quakes[..<2] { try context.refresh(quake, mergeChanges: true) }
        try context.save()
        #expect(try stores.stored() == after)
    }

    @Test(
        "A unique value of the second store that is taken already keeps the first from being written",
        arguments: TwoStores.Kinds.all)
    func uniquenessIsFoundBefore(kinds: TwoStores.Kinds) throws {
        let (stores, context, quakes) = try changed(kinds)
        let twin = context.insertQuake("d")
        try context.assign(twin, to: stores.second)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.count == 1 && error.conflicts.first?.objectID == twin.objectID)
        #expect(
            error.conflicts.first?.kind
                == .uniqueness(properties: ["code"], with: quakes[3].objectID))
        #expect(try stores.stored() == before)
        twin.code = "a"
        // Unique in its store; exchanged values are no conflict either.
        (quakes[1].code, quakes[3].code) = (quakes[3].code, quakes[1].code)
        try context.save()
        #expect(try stores.stored().count == 7)
    }

    @Test("Deletions of both stores conflict with changes")
    func deletionsConflict() throws {
        let (stores, context, quakes) = try changed(.all[1])
        context.delete(quakes[3])
        try stores.container.saveElsewhere { context in
            try #require(try context.quake("d")).magnitude = 1.5
        }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [quakes[3].objectID])
        #expect(try stores.stored(in: [stores.first]) == ["a 1.0 Honshu", "c 3.0 Honshu"])
        try context.refresh(quakes[3], mergeChanges: false)
        context.delete(quakes[3])
        try context.save()
        #expect(try stores.stored().count == 5)
    }

    @Test(
        "When the second store fails, the error says what was written, and the next save writes the rest",
        arguments: TwoStores.Kinds.all)
    func aFailureOfTheSecondStoreIsTold(kinds: TwoStores.Kinds) throws {
        let (stores, context, quakes) = try changed(kinds)
        stores.secondPlan.fail(.save, with: .diskFull)
        let error = try #require(throws: IncompleteSaveError.self) { try context.save() }
        #expect(error.savedStores == [stores.first] && error.failedStore == stores.second)
        #expect(error.unsavedStores.isEmpty && error.coreDataCode == 134_040)
        #expect((error.cause as? StoreError)?.code == .diskFull)
        #expect(context.updatedObjects == [quakes[1]] && context.insertedObjects.count == 1)
        #expect(try stores.stored(in: [stores.first])[0] == "a 7.0 Honshu")
        let saves = stores.firstPlan.count(of: .save)
        try context.save()
        #expect(stores.firstPlan.count(of: .save) == saves)
        #expect(try stores.stored() == after && !context.hasChanges)
    }

    /// Lets another process change b between the look for conflicts and the write of the second
    /// store. A second container stands for it, which LMDB does not allow in one process.
    private func changeMeanwhile(_ stores: TwoStores) throws {
        let other = try PersistentContainer.open(
            model: Seismology.model, stores: [stores.secondDescription])
        stores.secondPlan.act(before: .save) {
            do {
                try other.saveElsewhere { context in
                    let quake = try #require(try context.quake("b"))
                    quake.magnitude = 1.5
                    quake.region = nil
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "What another process saves between the look and the write is a conflict of the rest",
        arguments: [TwoStores.Kinds.all[0], TwoStores.Kinds.all[3]])
    func conflictsOfTheRestAreTold(kinds: TwoStores.Kinds) throws {
        let (stores, context, quakes) = try changed(kinds)
        try changeMeanwhile(stores)
        let error = try #require(throws: IncompleteSaveError.self) { try context.save() }
        #expect(error.savedStores == [stores.first] && error.failedStore == stores.second)
        let conflicts = try #require(error.cause as? SaveConflictError).conflicts
        #expect(conflicts.map(\.objectID) == [quakes[1].objectID])
        #expect(context.updatedObjects == [quakes[1]] && context.insertedObjects.count == 1)
        try context.refresh(quakes[1], mergeChanges: true)
        try context.save()
        #expect(try stores.stored().contains("b 8.0 -") && !context.hasChanges)
    }

    @Test(
        "A policy settles what another process saves between the look and the write",
        arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
    func policiesSettleConflictsOfTheRest(policy: MergePolicy) throws {
        let (stores, context, _) = try changed(.all[3])
        context.mergePolicy = policy
        try changeMeanwhile(stores)
        try context.save()
        let isStoreFirst = policy.description == MergePolicy.mergeByPropertyStoreTrump.description
        #expect(try stores.stored().contains(isStoreFirst ? "b 1.5 -" : "b 8.0 -"))
        #expect(try stores.stored().count == 6 && !context.hasChanges)
        #expect(stores.firstPlan.count(of: .save) == 2 && stores.secondPlan.count(of: .save) == 3)
    }

    @Test("When the rest fails after it was settled, the error still names what was written")
    func aFailureAfterSettlingNamesTheFirstStore() throws {
        let (stores, context, quakes) = try changed(.all[3])
        context.mergePolicy = .mergeByPropertyObjectTrump
        try changeMeanwhile(stores)
        stores.secondPlan.fail(.save, at: 2, with: .diskFull)
        let error = try #require(throws: IncompleteSaveError.self) { try context.save() }
        #expect(error.savedStores == [stores.first] && error.failedStore == stores.second)
        #expect((error.cause as? StoreError)?.code == .diskFull)
        #expect(context.updatedObjects == [quakes[1]] && quakes[1].magnitude == 8)
        try context.save()
        #expect(try stores.stored().contains("b 8.0 -") && !context.hasChanges)
    }

    @Test("When the first store fails nothing is written, and its own error is thrown")
    func aFailureOfTheFirstStoreIsPlain() throws {
        let (stores, context, _) = try changed(.all[1])
        let saves = stores.secondPlan.count(of: .save)
        stores.firstPlan.fail(.save, with: .diskFull)
        let error = try #require(throws: StoreError.self) { try context.save() }
        #expect(error.code == .diskFull && stores.secondPlan.count(of: .save) == saves)
        #expect(try stores.stored() == before)
        try context.save()
        #expect(try stores.stored() == after)
    }

    @Test(
        "An unknown outcome of the second store is found out by the next save",
        arguments: [FaultPlan.Moment.before, .after], [0, 1])
    func anUnknownOutcomeIsFoundOut(moment: FaultPlan.Moment, place: Int) throws {
        let (stores, context, _) = try changed(.all[1])
        let plans = [stores.firstPlan, stores.secondPlan]
        plans[place].fail(.save, with: .unknownOutcome, moment)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(context.hasSaveOfUnknownOutcome && context.hasChanges)
        try context.save()
        #expect(!context.hasSaveOfUnknownOutcome && !context.hasChanges)
        #expect(try stores.stored() == after)
    }

    @Test("Keys that a store does not give keep all from being written")
    func keysComeFirst() throws {
        let (stores, context, _) = try changed(.all[1])
        stores.secondPlan.fail(.allocateKeys, with: .storeBusy)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try stores.stored() == before)
        try context.save()
        #expect(try stores.stored() == after)
    }

    @Test("Changes of a store for reading keep the others from being written")
    func aReadOnlyStoreIsNotWritten() throws {
        let path = ScratchFolder.newPath()
        let plain = try PersistentContainer.open(
            model: Seismology.model, stores: [.sqlite(path)])
        try plain.saveElsewhere { _ = $0.insertQuake("a") }
        try plain.close()
        let container = try PersistentContainer.open(
            model: Seismology.model, stores: [.memory(), .sqlite(path).readOnly()])
        let context = container.makeContext()
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 3
        let new = context.insertQuake("b")
        let error = try #require(throws: StoreError.self) { try context.save() }
        #expect(error.code == .readOnly && new.isInserted)
        #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 1)
        try context.refresh(quake, mergeChanges: false)
        try context.save()
        #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 2)
    }

    @Test("Mistakes in objects of both stores are listed together")
    func validationListsBothStores() throws {
        let stores = try TwoStores(.all[1])
        let context = stores.container.makeContext()
        _ = Station(context: context)
        try context.assign(Station(context: context), to: stores.second)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.count == 4)
    }
}
