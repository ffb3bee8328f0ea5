import Duramen
import Testing

/// When hooks are called, and what they may do.
@MainActor
@Suite(.serialized)
struct HookTests {
    @Test("A new object awakes once, with its defaults")
    func awakeFromInsert() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let script = context.followScript()
        var seen: [Int64] = []
        script.actions["awakeFromInsert"] = { entry in
            seen.append(entry.amount)
            entry.note = "new"
        }
        let entry = Entry(context: context)
        #expect(seen == [7] && entry.note == "new" && entry.isInserted)
        try context.save()
        #expect(seen == [7])
    }

    @Test(
        "A fetched object awakes once, and again when it was a fault", arguments: StoreKind.allCases
    )
    func awakeFromFetch(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { for amount in 1...3 { _ = $0.insertEntry(Int64(amount)) } }
        let context = container.viewContext
        let script = context.followScript()
        let entries = try context.fetch(FetchRequest<Entry>().sorted(by: \.amount))
        #expect(script.takeCalls() == Array(repeating: "awakeFromFetch", count: 3))
        _ = try context.fetch(FetchRequest<Entry>())
        _ = entries[0].amount
        #expect(script.takeCalls().isEmpty)
        try context.refresh(entries[0], mergeChanges: false)
        #expect(script.takeCalls() == ["willTurnIntoFault", "didTurnIntoFault"])
        #expect(entries[0].amount == 1)
        #expect(script.takeCalls() == ["awakeFromFetch"])
        _ = try context.existingObject(with: entries[1].objectID)
        #expect(script.takeCalls().isEmpty)
    }

    @Test(
        "What awakeFromFetch changes is no change, and goes along with one",
        arguments: StoreKind.allCases)
    func awakeFromFetchChanges(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { _ = $0.insertEntry(1) }
        let context = container.viewContext
        let script = context.followScript()
        script.actions["awakeFromFetch"] = { $0.note = "awake" }
        let entry = try #require(try context.fetch(FetchRequest<Entry>()).first)
        #expect(entry.note == "awake" && !entry.hasChanges && !context.hasChanges)
        try context.save()
        let other = container.makeContext()
        #expect(try other.fetch(FetchRequest<Entry>()).first?.note == nil)
        entry.amount = 2
        #expect(entry.isUpdated && entry.note == "awake")
        try context.save()
        let stored = try #require(try container.makeContext().fetch(FetchRequest<Entry>()).first)
        #expect(stored.amount == 2 && stored.note == "awake")
    }

    @Test(
        "What awakeFromFetch changed gives way to a save elsewhere", arguments: StoreKind.allCases)
    func awakeFromFetchAndMerging(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { _ = $0.insertEntry(1) }
        let context = container.viewContext
        let script = context.followScript()
        script.actions["awakeFromFetch"] = { $0.note = "awake" }
        let entry = try #require(try context.fetch(FetchRequest<Entry>()).first)
        try container.saveElsewhere { other in
            let same = try other.fetch(FetchRequest<Entry>(), isolation: nil).first
            same?.note = "elsewhere"
        }
        script.calls = []
        context.processPendingChanges()
        #expect(entry.note == "elsewhere" && !entry.hasChanges)
        #expect(script.calls == ["awake refresh"])
        entry.amount = 5
        try context.save()
    }

    @Test("What a merge policy settled awakes", arguments: StoreKind.allCases)
    func awakeFromMergePolicy(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { _ = $0.insertEntry(1) }
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyStoreTrump))
        let script = context.followScript()
        let entry = try #require(try context.fetch(FetchRequest<Entry>()).first)
        try container.saveElsewhere { other in
            try #require(try other.fetch(FetchRequest<Entry>(), isolation: nil).first).amount = 5
        }
        (entry.amount, entry.note) = (6, "own")
        script.calls = []
        try context.save()
        #expect(entry.amount == 5 && entry.note == "own" && !entry.hasChanges)
        #expect(script.calls.contains("awake mergePolicy"))
    }

    @Test("A relationship changed in awakeFromFetch is a change", arguments: StoreKind.allCases)
    func awakeFromFetchRelationship(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { other in
            _ = other.insertEntry(1)
            _ = other.insertAccount("cash")
        }
        let context = container.viewContext
        let account = try #require(try context.fetch(FetchRequest<Account>()).first)
        let script = context.followScript()
        script.actions["awakeFromFetch"] = { $0.account = account }
        let entry = try #require(try context.fetch(FetchRequest<Entry>()).first)
        #expect(entry.isUpdated && Array(account.entries) == [entry])
    }

    @Test("What willSave changes is saved, with one more call", arguments: StoreKind.allCases)
    func willSaveChanges(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        let context = container.viewContext
        let script = context.followScript()
        script.actions["willSave"] = { $0.note = "saved \($0.amount)" }
        let entry = context.insertEntry(3)
        script.calls = []
        try context.save()
        #expect(
            script.takeCalls() == ["willSave", "willSave", "validateForInsert", "didSave"])
        #expect(try container.makeContext().fetch(FetchRequest<Entry>()).first?.note == "saved 3")
        entry.amount = 4
        try context.save()
        #expect(
            script.takeCalls() == ["willSave", "willSave", "validateForUpdate", "didSave"])
        #expect(try container.makeContext().fetch(FetchRequest<Entry>()).first?.note == "saved 4")
        context.delete(entry)
        script.actions = [:]
        try context.save()
        #expect(
            script.takeCalls() == [
                "prepareForDeletion", "willSave", "validateForDelete", "didSave",
            ])
    }

    @Test("Objects that willSave makes, changes and deletes are part of the save")
    func willSaveReachesOthers() throws {
        let container = try StoreKind.memory.container(Ledger.model)
        let context = container.viewContext
        let (first, second) = (context.insertEntry(1), context.insertEntry(2))
        let doomed = context.insertEntry(3)
        try context.save()
        let script = context.followScript()
        defer { script.actions = [:] }
        var made: Entry?
        script.actions["willSave"] = { entry in
            if entry === second, made == nil {
                first.amount = 10
                made = context.insertEntry(4)
                context.delete(doomed)
            }
        }
        second.amount = 20
        try context.save()
        #expect(script.calls.filter { $0 == "willSave" }.count == 4)
        #expect(!context.hasChanges && made?.objectID.isTemporaryID == false)
        let stored = try container.makeContext().fetch(
            FetchRequest<Entry>().sorted(by: \.amount))
        #expect(stored.map(\.amount) == [4, 10, 20])
    }

    @Test("Objects that never settle are an error that names one, and nothing is saved")
    func endlessWillSave() throws {
        let container = try StoreKind.memory.container(Ledger.model)
        let context = container.viewContext
        let script = context.followScript()
        script.actions["willSave"] = { $0.revision += 1 }
        let entry = context.insertEntry(1)
        let error = try #require(throws: ContextError.self) { try context.save() }
        #expect(error.code == .unsettledSave && error.objectID == entry.objectID)
        #expect(entry.isInserted && context.hasChanges)
        #expect(try container.makeContext().count(for: FetchRequest<Entry>()) == 0)
        script.actions = [:]
        try context.save()
        #expect(try container.makeContext().count(for: FetchRequest<Entry>()) == 1)
    }

    @Test("A value that willSave assigns once settles, though it is another one each time")
    func assigningOnce() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let entry = context.insertEntry(1)
        try context.save()
        let script = context.followScript()
        script.actions["willSave"] = { entry in
            if entry.changedValues()["revision"] == nil { entry.revision += 1 }
        }
        for amount in 2...4 {
            entry.amount = Int64(amount)
            try context.save()
        }
        #expect(entry.revision == 3 && script.calls.filter { $0 == "willSave" }.count == 6)
    }

    @Test("willSave and observers cannot save")
    func savingInsideOfASave() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let script = context.followScript()
        defer { script.actions = [:] }
        var errors: [ContextError.Code?] = []
        script.actions["willSave"] = { _ in
            do { try context.save() } catch { errors.append((error as? ContextError)?.code) }
        }
        _ = context.insertEntry(1)
        try context.save()
        #expect(errors == [.invalidRequest] && !context.hasChanges)
    }

    @Test("What didSave changes is for the next save, and a deleted object can be read in it")
    func didSave() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let entry = context.insertEntry(1)
        try context.save()
        let script = context.followScript()
        script.actions["didSave"] = { $0.revision = 5 }
        entry.amount = 2
        try context.save()
        #expect(entry.isUpdated && entry.revision == 5)
        var last: Int64?
        script.actions["didSave"] = { last = $0.amount }
        context.delete(entry)
        try context.save()
        #expect(last == 2 && !context.hasChanges)
    }

    @Test("A save without changes calls nothing")
    func cleanSave() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        _ = context.insertEntry(1)
        try context.save()
        let script = context.followScript()
        try context.save()
        #expect(script.calls.isEmpty)
    }

    @Test("A save that fails calls no didSave")
    func failedSave() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let script = context.followScript()
        let account = Account(context: context)
        let entry = context.insertEntry(1, in: account)
        script.calls = []
        _ = try #require(throws: ValidationError.self) { try context.save() }
        #expect(script.takeCalls() == ["willSave", "validateForInsert"])
        account.name = "cash"
        try context.save()
        #expect(script.takeCalls() == ["willSave", "validateForInsert", "didSave"])
        #expect(!entry.isInserted)
    }

    @Test(
        "An object is prepared for its deletion while its relationships can be read",
        arguments: StoreKind.allCases)
    func prepareForDeletion(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        try container.saveElsewhere { other in
            let account = other.insertAccount("cash")
            for amount in 1...3 { _ = other.insertEntry(Int64(amount), in: account) }
        }
        let context = container.viewContext
        let script = context.followScript()
        defer { script.actions = [:] }
        var names: [String?] = []
        script.actions["prepareForDeletion"] = { entry in
            names.append(entry.account?.name)
            // A call within the call does nothing.
            context.delete(entry)
        }
        let account = try #require(try context.fetch(FetchRequest<Account>()).first)
        context.delete(account)
        context.processPendingChanges()
        #expect(names == ["cash", "cash", "cash"])
        let entry = try #require(context.deletedObjects.compactMap { $0 as? Entry }.first)
        context.delete(entry)
        #expect(names.count == 4)
        try context.save()
        context.delete(entry)
        #expect(names.count == 4)
    }

    @Test("Turning into a fault is told in pairs, whatever the hooks do")
    func turningIntoFaults() throws {
        let container = try StoreKind.memory.container(Ledger.model)
        try container.saveElsewhere { other in
            for amount in 0..<200 { _ = other.insertEntry(Int64(amount)) }
        }
        let context = container.viewContext
        let script = context.followScript()
        // Registers objects while all are visited.
        script.actions["didTurnIntoFault"] = { _ in _ = context.insertAccount("made") }
        let entries = try context.fetch(FetchRequest<Entry>())
        script.calls = []
        try context.refreshAllObjects()
        let pair = ["willTurnIntoFault", "didTurnIntoFault"]
        #expect(script.takeCalls() == Array(repeating: pair, count: 200).flatMap { $0 })
        #expect(entries.allSatisfy(\.isFault) && context.insertedObjects.count == 200)
        _ = entries[0].amount
        let filled = entries.count { !$0.isFault }
        script.actions = [:]
        script.calls = []
        context.reset()
        // Reading one fault filled its group too, and faults are told nothing.
        #expect(script.takeCalls() == Array(repeating: pair, count: filled).flatMap { $0 })
    }

    @Test("A rollback is told to what it restores")
    func rollback() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let (edited, deleted) = (context.insertEntry(1), context.insertEntry(2))
        try context.save()
        let script = context.followScript()
        script.actions["awake"] = { $0.note = "restored" }
        edited.amount = 10
        context.delete(deleted)
        script.calls = []
        context.rollback()
        #expect(script.takeCalls() == ["awake rollback", "awake rollback"])
        #expect(edited.amount == 1 && edited.note == "restored" && !context.hasChanges)
    }

    @Test("A class that says which hooks it has gets no other calls")
    func overriddenHooks() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let script = context.followScript()
        _ = Transfer(context: context)
        _ = context.insertAccount("cash")
        try context.save()
        #expect(script.takeCalls() == ["willSave"])
        #expect(ManagedObject.overriddenHooks(of: ManagedObject.self) == [])
        #expect(Entry.overriddenHooks(of: Entry.self) == .all)
        #expect(Account.overriddenHooks(of: Account.self) == [])
    }

    @Test(
        "Primitive values are set without a change, and saved with one",
        arguments: StoreKind.allCases)
    func primitiveValues(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        let context = container.viewContext
        let entry = context.insertEntry(1)
        try context.save()
        try entry.setPrimitiveValue("quiet", forKey: "note")
        #expect(entry.note == "quiet" && !entry.hasChanges && !context.hasChanges)
        #expect(try entry.primitiveValue(forKey: "note") as? String == "quiet")
        #expect(throws: ContextError.self) { try entry.setPrimitiveValue(nil, forKey: "account") }
        entry.amount = 2
        try entry.setPrimitiveValue("quieter", forKey: "note")
        #expect(entry.isUpdated)
        try context.save()
        #expect(try container.makeContext().fetch(FetchRequest<Entry>()).first?.note == "quieter")
    }

    @Test("The hooks of several stores' objects are called", arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) throws {
        let container = try PersistentContainer.open(
            model: Ledger.model, stores: [kinds.first.description, kinds.second.description])
        let context = container.viewContext
        let script = context.followScript()
        _ = context.insertEntry(1)
        try context.assign(context.insertEntry(2), to: container.stores[1])
        script.calls = []
        try context.save()
        #expect(
            script.takeCalls() == [
                "willSave", "willSave", "validateForInsert", "validateForInsert", "didSave",
                "didSave",
            ])
        context.reset()
        _ = script.takeCalls()
        _ = try context.fetch(FetchRequest<Entry>())
        #expect(script.takeCalls() == ["awakeFromFetch", "awakeFromFetch"])
    }
}
