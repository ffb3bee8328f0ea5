import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import Duramen

/// Saves that wait for the store are written together.
@Suite(.serialized) struct GroupSaveTests {
    private func codes(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "q\($0)" } }

    @Test func contextsThatSaveAtOnceShareACall() async throws {
        let savers = try Savers()
        let errors = try await savers.save(8) { number, context in
            _ = context.insertQuake("q\(number)")
        } after: { _, context in
            #expect(!context.hasChanges)
            // The versions of the receipt are right, so that the next save has no conflict.
            for quake in try context.fetch(FetchRequest<Quake>()) where quake.magnitude == 1 {
                #expect(!quake.objectID.isTemporaryID)
            }
        }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(savers.plan.count(of: .saveGroup) == 1)
        #expect(savers.plan.count(of: .save) == 9)
        #expect(try savers.stored() == (0..<8).map { "q\($0) 1.0 -" })
        #expect(savers.waitingCount == 0)
    }

    @Test func everyReceiptIsThatOfItsSave() async throws {
        let savers = try Savers()
        let errors = try await savers.save(8) { number, context in
            for place in 0...number { _ = context.insertQuake("q\(number)\(place)") }
        } after: { number, context in
            for quake in context.registeredObjects.compactMap({ $0 as? Quake })
            where quake.code.hasPrefix("q\(number)") { quake.magnitude = 2 }
            try context.save()
        }
        #expect(errors.allSatisfy { $0 == nil })
        let stored = try savers.stored()
        #expect(stored.count == 36 && stored.allSatisfy { $0.hasSuffix("2.0 -") })
    }

    @MainActor
    @Test func newsComesInTheOrderOfTheStates() async throws {
        let savers = try Savers()
        let watcher = savers.container.makeContext()
        let quakes = (0..<6).map { watcher.insertQuake("q\($0)") }
        try watcher.save()
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude),
            managedObjectContext: savers.container.viewContext)
        let changes = ChangeCounter()
        list.delegate = changes
        try list.performFetch()
        // Ended units of work would merge the news.
        let inbox = watcher.main.inbox
        let before = inbox.mark.posts
        let errors = try await savers.save(6) { number, context in
            try #require(try context.quake("q\(number)")).magnitude = Double(10 - number)
        } after: { _, context in
            let found = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
            #expect(found.map(\.magnitude) == [10, 9, 8, 7, 6, 5])
        }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(inbox.mark.posts == before + 7)
        let generations = inbox.waiting.compactMap(\.generation)
        #expect(generations == generations.sorted() && Set(generations).count == generations.count)
        watcher.processPendingChanges()
        #expect(quakes.map(\.magnitude) == [10, 9, 8, 7, 6, 5])
        #expect(await eventually { list.fetchedObjects?.first?.code == "q5" })
        #expect(list.fetchedObjects?.map(\.code) == codes((0..<6).reversed()))
        #expect(changes.count > 0)
    }

    @Test func aConflictDoesNotStopTheOthers() async throws {
        let savers = try Savers()
        try savers.container.saveElsewhere { _ = $0.insertQuake("shared") }
        let errors = try await savers.save(8) { number, context in
            if number == 2 || number == 5 {
                try #require(try context.quake("shared")).magnitude = Double(number)
            } else {
                _ = context.insertQuake("q\(number)")
            }
        }
        #expect(errors.compactMap { $0 }.count == 1)
        #expect((errors[2] ?? errors[5]) is SaveConflictError)
        #expect(savers.plan.count(of: .saveGroup) == 1)
        #expect(try savers.stored().count == 7)
    }

    @Test(arguments: [FaultPlan.Moment.before, .after])
    func anUnknownOutcomeIsThatOfAll(moment: FaultPlan.Moment) async throws {
        let savers = try Savers()
        savers.plan.fail(.saveGroup, with: .unknownOutcome, moment)
        let errors = try await savers.save(8) { number, context in
            _ = context.insertQuake("q\(number)")
        } after: { number, context in
            #expect(context.hasSaveOfUnknownOutcome)
            #expect(try context.resolveUnknownSave() == (moment == .after))
            #expect(context.hasChanges == (moment == .before))
            try context.save()
        }
        #expect(errors.allSatisfy { ($0 as? StoreError)?.code == .unknownOutcome })
        #expect(try savers.stored() == (0..<8).map { "q\($0) 1.0 -" })
    }

    @Test func anErrorOfTheCallIsThatOfAll() async throws {
        let savers = try Savers()
        savers.plan.fail(.saveGroup, with: .diskFull)
        let errors = try await savers.save(8) { number, context in
            _ = context.insertQuake("q\(number)")
        } after: { _, context in
            #expect(context.hasChanges && !context.hasSaveOfUnknownOutcome)
            try context.save()
        }
        #expect(errors.allSatisfy { ($0 as? StoreError)?.code == .diskFull })
        #expect(try savers.stored().count == 8)
    }

    @Test func anErrorOfOneSaveDoesNotStopTheOthers() async throws {
        let savers = try Savers()
        savers.plan.fail(.save, at: 5, with: .tooLarge)
        let errors = try await savers.save(8) { number, context in
            _ = context.insertQuake("q\(number)")
        }
        #expect(errors.compactMap { ($0 as? StoreError)?.code } == [.tooLarge])
        #expect(try savers.stored().count == 7)
    }

    @Test(arguments: [0, 1, 2])
    func aWaitingSaveCanBeCancelled(cancelled: Int) async throws {
        let savers = try Savers()
        let queue = try #require(savers.connection.saveQueue)
        let flags = (0..<3).map { _ in CancellationFlag() }
        let results = Locked<[Int: StoreError.Code?]>([:])
        let ended = DispatchGroup()
        try await savers.onThread {
            try savers.hold {
                for (number, flag) in flags.enumerated() {
                    ended.enter()
                    Thread.detachNewThread {
                        let inbox = Inbox(isMerging: false)
                        let changes = ChangeSet(
                            metadata: ["\(number)": .integer(1)], cancellation: flag)
                        let save = GroupedSave(changes, inbox: inbox, mark: inbox.mark)
                        var code: StoreError.Code?
                        do throws(StoreError) {
                            let isWritten = try savers.connection.write(save, queue) {
                                (result) throws(StoreError) in
                                _ = try result.get()
                            }
                            #expect(isWritten)
                        } catch { code = error.code }
                        results.withLock { $0[number] = .some(code) }
                        ended.leave()
                    }
                    while savers.waitingCount <= number { sched_yield() }
                }
                flags[cancelled].cancel()
            }
            ended.wait()
        }
        #expect(
            results.withLock { $0 }
                == [0: nil, 1: nil, 2: nil].merging([cancelled: .cancelled]) { $1 })
        // The cancelled save was not sent.
        #expect(savers.plan.count(of: .save) == 3 && savers.plan.count(of: .saveGroup) == 1)
    }

    @Test func aDeletionAndAReferenceAreNotWrittenTogether() async throws {
        for _ in 0..<8 {
            let savers = try Savers()
            try savers.container.saveElsewhere { context in
                _ = context.insertRegion("r")
                _ = context.insertQuake("a", in: context.insertRegion("other"))
            }
            let errors = try await savers.save(4) { number, context in
                let regions = try context.fetch(FetchRequest<Region>().sorted(by: \.name))
                switch number {
                case 0: context.delete(regions[1])
                case 1: _ = context.insertQuake("q1", in: regions[1])
                default: _ = context.insertQuake("q\(number)", in: regions[0])
                }
                context.processPendingChanges()
            }
            #expect(errors[2] == nil && errors[3] == nil)
            #expect(errors.compactMap { $0 }.count == 1)
            #expect((errors[0] ?? errors[1]) is SaveConflictError)
            let isDeleted = errors[0] == nil
            #expect(
                try savers.stored()
                    == ["a 1.0 other"] + (isDeleted ? [] : ["q1 1.0 r"])
                    + ["q2 1.0 other", "q3 1.0 other"])
        }
    }

    @Test func deletionsThatConcernNobodyAreWrittenTogether() async throws {
        let savers = try Savers()
        try savers.container.saveElsewhere { context in
            for number in 0..<6 {
                _ = context.insertQuake("q\(number)", in: context.insertRegion("r\(number)"))
            }
        }
        let errors = try await savers.save(6) { number, context in
            let quake = try #require(try context.quake("q\(number)"))
            if number.isMultiple(of: 2) { context.delete(quake) } else { quake.magnitude = 3 }
        }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(savers.plan.count(of: .saveGroup) == 1)
        #expect(try savers.stored() == ["q1 3.0 r1", "q3 3.0 r3", "q5 3.0 r5"])
    }

    @Test func keysAreAllocatedWhileAnotherContextSaves() async throws {
        let savers = try Savers()
        try await savers.onThread {
            try savers.hold {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let context = savers.container.makeContext()
                    let quake = context.insertQuake("new")
                    try? context.obtainPermanentIDs(for: [quake])
                    #expect(!quake.objectID.isTemporaryID)
                    isDone.signal()
                }
                isDone.wait()
            }
        }
    }

    @MainActor
    @Test func savesOffTheOwnerAreGrouped() async throws {
        let savers = try Savers()
        let contexts = (0..<5).map { number in
            let context = savers.container.makeContext()
            _ = context.insertQuake("q\(number)")
            return context
        }
        for context in contexts {
            try context.obtainPermanentIDs(for: context.insertedObjects)
        }
        let isHeld = DispatchSemaphore(value: 0)
        async let first: Void = savers.onThread {
            try savers.hold {
                isHeld.signal()
                while savers.waitingCount < 5 { sched_yield() }
            }
        }
        try await savers.onThread { isHeld.wait() }
        let tasks = contexts.map { context in Task { try await context.saveOffOwner() } }
        for task in tasks { try await task.value }
        try await first
        #expect(savers.plan.count(of: .saveGroup) == 1)
        #expect(contexts.allSatisfy { !$0.hasChanges })
        #expect(try savers.stored() == (0..<5).map { "q\($0) 1.0 -" })
    }

    @Test func noChangeIsLost() async throws {
        let savers = try Savers()
        let (threads, saves) = (8, 25)
        try savers.container.saveElsewhere { _ = $0.insertQuake("sum", magnitude: 0) }
        try await savers.onThread {
            let failures = Locked<[any Error]>([])
            let ended = DispatchGroup()
            for number in 0..<threads {
                ended.enter()
                Thread.detachNewThread {
                    do { try self.add(number, saves, savers) } catch {
                        failures.withLock { $0.append(error) }
                    }
                    ended.leave()
                }
            }
            ended.wait()
            if let failure = failures.withLock({ $0.first }) { throw failure }
        }
        let sum = try savers.container.makeContext().quake("sum")
        #expect(sum?.magnitude == Double(threads * saves))
        #expect(try savers.stored().count == 1 + threads * (saves - 8))
    }

    /// Adds 1 to an object that all threads change, and inserts an object of its own, in each save.
    private func add(_ number: Int, _ saves: Int, _ savers: Savers) throws {
        let context = savers.container.makeContext()
        for save in 0..<saves {
            let own = context.insertQuake("q\(number) \(save)")
            var isSaved = false
            while !isSaved {
                do {
                    try #require(try context.quake("sum")).magnitude += 1
                    try context.save()
                    isSaved = true
                } catch is SaveConflictError {
                    let sum = try #require(try context.quake("sum"))
                    try context.refresh(sum, mergeChanges: false)
                }
            }
            if save > 0, save.isMultiple(of: 3) { context.delete(own) }
        }
        try context.save()
    }
}

/// Counts the changes of a list.
private final class ChangeCounter: FetchedResultsControllerDelegate {
    typealias Object = Quake

    private(set) var count = 0

    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) { count += 1 }
}
