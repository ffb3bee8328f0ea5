import Duramen
import Testing

/// Rules of the application over properties and objects, beside those of the model.
@MainActor
@Suite(.serialized)
struct ApplicationRuleTests {
    struct Forbidden: Error {}

    @Test(
        "Every failure is in one error, rules of properties before those of the object",
        arguments: StoreKind.allCases)
    func allInOne(kind: StoreKind) throws {
        let container = try kind.container(Ledger.model)
        let context = container.viewContext
        let script = context.followScript()
        script.judgements["validateForInsert"] = { _ in throw Forbidden() }
        let entry = context.insertEntry(-1)
        let account = Account(context: context)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.coreDataCode == 1560)
        #expect(error.failures.map(\.code.rawValue) == [1570, 1550, 1550])
        #expect(error.failures.map(\.property) == ["name", "amount", ""])
        #expect(error.failures.map(\.objectID) == [account, entry, entry].map(\.objectID))
        #expect(error.failures[1].cause is Negative && error.failures[2].cause is Forbidden)
        #expect(try container.makeContext().count(for: FetchRequest<Entry>()) == 0)
        context.delete(account)
        entry.amount = 1
        #expect(
            try #require(throws: ValidationError.self) { try context.save() }.coreDataCode == 1550)
        script.judgements = [:]
        try context.save()
    }

    @Test("A rule may list several failures of its own")
    func ownFailures() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let script = context.followScript()
        script.judgements["validateForInsert"] = { entry in
            throw ValidationError(failures: [
                .init(
                    code: .numberTooLarge, objectID: entry.objectID, property: "amount",
                    message: "is above the limit of the account."),
                .init(objectID: entry.objectID, message: "has no account."),
            ])
        }
        _ = context.insertEntry(100)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.numberTooLarge, .invalidValue])
        #expect(error.failures.map(\.property) == ["amount", ""])
    }

    @Test("Updates and deletions are judged by their own hooks")
    func operations() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let entry = context.insertEntry(1)
        try context.save()
        let script = context.followScript()
        for hook in ["validateForUpdate", "validateForDelete"] {
            script.judgements[hook] = { _ in throw Forbidden() }
        }
        entry.amount = 2
        let update = try #require(throws: ValidationError.self) { try context.save() }
        #expect(update.failures.map(\.objectID) == [entry.objectID])
        context.rollback()
        context.delete(entry)
        script.calls = []
        _ = try #require(throws: ValidationError.self) { try context.save() }
        #expect(script.takeCalls() == ["willSave", "validateForDelete"])
        #expect(entry.isDeleted)
    }

    @Test("A changed value is judged by the rule of its property")
    func changedValue() throws {
        let context = try StoreKind.memory.container(Ledger.model).viewContext
        let entry = context.insertEntry(1)
        try context.save()
        entry.amount = -5
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["amount"])
        #expect(error.failures.first?.cause is Negative)
    }
}
