import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import DuramenTestKit
import Foundation
import Testing

enum SavingAndErrorsModel {
    // snippet: saving.rules
    struct ReturnedTooEarly: Error {}

    @Managed
    final class Loan: ManagedObject {
        @Attribute(minimumLength: 1, maximumLength: 100) var reader: String
        @Attribute(minimum: 1, maximum: 60) var days: Int
        var lent: Date
        var returned: Date?
        @Relationship var card: Card?

        override class var propertyRules: [PropertyRule] {
            [
                PropertyRule(\Loan.returned) { returned, loan in
                    if let returned, returned < loan.lent { throw ReturnedTooEarly() }
                }
            ]
        }
    }
    // end

    @Managed
    final class Card: ManagedObject {
        @Attribute(.unique) var number: Int
        @Relationship(inverse: \Loan.card) var loans: ToMany<Loan>
    }

    static let model = Result { try ManagedObjectModel(Loan.self, Card.self) }
}

private typealias Loan = SavingAndErrorsModel.Loan
private typealias Card = SavingAndErrorsModel.Card

/// What the article says of saving.
@MainActor struct SavingAndErrorsTests {
    private let plan = FaultPlan()

    private func desk() throws -> PersistentContainer {
        try PersistentContainer.open(
            model: SavingAndErrorsModel.model.get(), stores: [plan.faulty(.memory())])
    }

    private func loan(_ reader: String, days: Int, in context: ManagedObjectContext) -> Loan {
        let loan = Loan(context: context)
        (loan.reader, loan.days, loan.lent) = (reader, days, Date(timeIntervalSince1970: 0))
        return loan
    }

    /// The days of all loans in the store.
    private func stored(_ container: PersistentContainer) throws -> [Int] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Loan>().sorted(by: \.days)).map(\.days)
    }

    @Test func aSaveWritesAllChangesOrThrows() throws {
        let container = try Library.filled()
        let context = container.viewContext
        var lines: [String] = []
        func report(_ message: String) { lines.append(message) }

        // snippet: saving.first
        for book in try context.fetch(FetchRequest<Book>().where { $0.pages < 200 }) {
            book.pages += 2
        }
        do {
            try context.save()
        } catch let error as ValidationError {
            for failure in error.failures { report("\(failure.property): \(failure.message)") }
        } catch let error as SaveConflictError {
            report("Another save was first: \(error.conflicts.count) objects.")
        } catch let error as StoreError where error.code == .diskFull {
            report("The disk is full. Your changes are kept; save again.")
        }
        // end

        #expect(lines.isEmpty && !context.hasChanges)
        let stored = try container.makeContext().fetch(FetchRequest<Book>().sorted(by: \.pages))
        #expect(stored.map(\.pages) == [186, 304, 341])
    }

    @Test func withoutChangesNothingIsWritten() throws {
        let container = try desk()
        let context = container.viewContext
        try context.save()
        #expect(plan.count(of: .save) == 0)
        _ = loan("Ann", days: 7, in: context)
        #expect(context.hasChanges && context.insertedObjects.count == 1)
        try context.save()
        try context.save()
        #expect(plan.count(of: .save) == 1)
    }

    @Test func aBackgroundTaskDiscardsWhatItDoesNotSave() async throws {
        let container = try Library.filled()
        try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest<Book>())[0].pages = 1
        }
        #expect(try container.viewContext.fetch(FetchRequest<Book>()).allSatisfy { $0.pages > 1 })
    }

    @Test func allFailuresOfValidationAreListed() throws {
        let container = try desk()
        let context = container.viewContext
        let loan = loan("", days: 90, in: context)
        loan.returned = loan.lent - 1
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        // snippet: saving.failures
        do {
            try context.save()
        } catch let error as ValidationError {
            for failure in error.failures { print("\(failure.property) \(failure.code)") }
        }
        // end

        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("SavingAndErrors").output("saving.failures")))
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.allSatisfy { $0.objectID == loan.objectID })
        #expect(error.failures.last?.cause is SavingAndErrorsModel.ReturnedTooEarly)
        #expect(error.coreDataCode == 1560 && context.hasChanges)
        #expect(plan.count(of: .save) == 0)
        (loan.reader, loan.days, loan.returned) = ("Ann", 7, nil)
        try context.save()
        #expect(try stored(container) == [7])
    }

    @Test func changesAreDiscarded() throws {
        let container = try desk()
        let context = container.viewContext
        let loan = loan("Ann", days: 7, in: context)
        let other = self.loan("Bob", days: 14, in: context)
        try context.save()
        (loan.days, other.days) = (8, 15)
        let draft = self.loan("", days: 0, in: context)

        // snippet: saving.discard
        // The changes of one saved object:
        try context.refresh(loan, mergeChanges: false)
        // One new object:
        context.delete(draft)
        // end
        context.processPendingChanges()
        #expect(loan.days == 7 && other.days == 15)
        #expect(context.insertedObjects.isEmpty && context.updatedObjects == [other])

        // snippet: saving.rollback
        context.rollback()
        // end
        #expect(other.days == 14 && !context.hasChanges)
    }

    @Test func theBadObjectsStayOut() throws {
        let container = try desk()
        let context = container.viewContext
        let card = Card(context: context)
        card.number = 1
        let good = loan("Ann", days: 7, in: context)
        let bad = loan("Bob", days: 90, in: context)
        (good.card, bad.card) = (card, card)

        // snippet: saving.excluding
        do {
            try context.save()
        } catch let error as ValidationError {
            let ids = Set(error.failures.map(\.objectID))
            let invalid = ids.compactMap { context.registeredObject(for: $0) }
            let unsaved = try context.save(excluding: invalid)
            print("\(unsaved.count) objects are still to be saved.")
        }
        // end

        #expect(context.insertedObjects == [bad] && !good.hasChanges && !card.hasChanges)
        #expect(try stored(container) == [7])
        bad.days = 30
        try context.save()
        #expect(try stored(container) == [7, 30])
        #expect(Set(card.loans) == [good, bad])
    }

    @Test func whatDependsOnABadObjectStaysOutToo() throws {
        let container = try desk()
        let context = container.viewContext
        let card = Card(context: context)
        card.number = 1
        let loan = loan("Ann", days: 7, in: context)
        loan.card = card
        #expect(try context.save(excluding: [card]) == [card, loan])
        #expect(try stored(container) == [])
        try context.save()
        #expect(try stored(container) == [7])
    }

    @Test func theOffendersOfAConflictStayOut() throws {
        let container = try desk()
        let context = container.viewContext
        let first = loan("Ann", days: 7, in: context)
        let second = loan("Bob", days: 14, in: context)
        try context.save()
        let id = first.objectID
        try container.newBackgroundContext().performAndWait { other in
            try other.existingObject(with: id, as: Loan.self).days = 8
            try other.save()
        }
        (first.days, second.days) = (9, 15)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(try context.save(excluding: error) == [first])
        #expect(try stored(container) == [8, 15] && first.hasChanges && !second.hasChanges)
    }

    @Test func theOwnerGoesOnDuringASave() async throws {
        let container = try desk()
        let context = container.viewContext
        let loan = loan("Ann", days: 7, in: context)
        let draft = self.loan("Bob", days: 14, in: context)
        try context.obtainPermanentIDs(for: context.insertedObjects)
        plan.hold()
        let task = Task { try await context.saveOffOwner() }
        await plan.waitForHeldCalls()
        loan.days = 8
        plan.release()
        try await task.value
        #expect(try stored(container) == [7, 14] && loan.days == 8 && loan.isUpdated)
        #expect(!draft.hasChanges)

        // snippet: saving.off
        try await context.saveOffOwner()
        // end
        #expect(try stored(container) == [8, 14] && !context.hasChanges)
    }

    @Test func aSaveOfUnknownOutcomeIsNotWrittenTwice() throws {
        let container = try desk()
        let context = container.viewContext
        _ = loan("Ann", days: 7, in: context)
        plan.fail(.save, with: .unknownOutcome, .after)

        // snippet: saving.unknown
        do {
            try context.save()
        } catch let error as StoreError where error.code == .unknownOutcome {
            // The same context finds out, and saves only what is missing.
            try context.save()
        }
        // end

        #expect(plan.count(of: .save) == 1 && !context.hasChanges)
        #expect(try stored(container) == [7])
    }

    @Test func aSaveThrowsWhatAGetterCouldNot() throws {
        let container = try desk()
        let context = container.viewContext
        let id = loan("Ann", days: 7, in: context).objectID
        try context.save()
        context.reset()
        let saved = try context.fetchObjectIDs(FetchRequest<Loan>())[0]
        let loan = try #require(context.object(with: saved) as? Loan)
        plan.fail(.rows, with: .io)
        #expect(id.isTemporaryID && loan.days == 0 && loan.faultError != nil)
        loan.reader = "Bob"
        let error = try #require(throws: StoreError.self) { try context.save() }
        #expect(error.code == .io)
    }

    @Test func aLaterStoreThatFailsIsNamed() throws {
        let container = try PersistentContainer.open(
            model: SavingAndErrorsModel.model.get(), stores: [.memory(), plan.faulty(.memory())])
        let context = container.viewContext
        let first = loan("Ann", days: 7, in: context)
        let second = loan("Bob", days: 14, in: context)
        try context.assign(second, to: container.stores[1])
        plan.fail(.save, with: .diskFull)
        let error = try #require(throws: IncompleteSaveError.self) { try context.save() }
        #expect(error.savedStores == [container.stores[0]])
        #expect(error.failedStore == container.stores[1] && error.unsavedStores.isEmpty)
        #expect((error.cause as? StoreError)?.code == .diskFull)
        #expect(!first.hasChanges && second.hasChanges)
        try context.save()
        #expect(try stored(container) == [7, 14] && plan.count(of: .save) == 2)
    }

    @Test func aChildSavesIntoItsParent() throws {
        let container = try desk()
        let context = container.viewContext
        let child = ManagedObjectContext(parent: context)
        _ = loan("Ann", days: 7, in: child)
        try child.save()
        #expect(plan.count(of: .save) == 0 && context.insertedObjects.count == 1)
    }

    @Test func aRefreshKeepsEditsIfYouWant() throws {
        let container = try desk()
        let context = container.viewContext
        let loan = loan("Ann", days: 7, in: context)
        try context.save()
        let id = loan.objectID
        try container.newBackgroundContext().performAndWait { other in
            let same = try other.existingObject(with: id, as: Loan.self)
            (same.reader, same.days) = ("Eve", 30)
            try other.save()
        }
        loan.days = 8
        try context.refresh(loan, mergeChanges: true)
        #expect(loan.reader == "Eve" && loan.days == 8 && loan.isUpdated)
        try context.refresh(loan, mergeChanges: false)
        #expect(loan.isFault && loan.days == 30)
    }
}
