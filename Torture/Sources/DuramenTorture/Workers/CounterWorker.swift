import Duramen
import DuramenTestKit

/// Works on counters that other processes change too: `action=make`, `increment` or `read`, and how
/// many `counters` there are.
///
///     ready                   the counters are read; the word of the parent begins the race
///     counted NUMBER …        how often each counter was incremented
///     conflicts COUNT MOST    how many saves were refused, and how many of one increment at most
///     busy COUNT              how often another writer held the store for too long
///     values NUMBER …         what the counters say
///     failed CODE             a typed error that no race explains
///     wrong TEXT              an error that no documentation knows
///     done                    the store is closed
struct CounterWorker {
    private let arguments: WorkerArguments
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let count: Int

    init(_ arguments: WorkerArguments) throws {
        self.arguments = arguments
        count = arguments.number("counters", default: Counters.count)
        container = try PersistentContainer.open(
            model: Counters.makeModel(),
            stores: [arguments.description(in: arguments.text("folder"))])
        // One context for the whole race, so that it has old values whenever others saved.
        context = container.newBackgroundContext(
            ContextOptions(automaticallyMergesChangesFromParent: true))
    }

    func run() throws {
        let action = try arguments.text("action")
        do {
            switch action {
            case "make": try context.performAndWait { try Counters.make(count, in: $0) }
            case "increment": try race()
            case "read":
                say("values", try context.performAndWait { try Counters.values(count, in: $0) })
            default: throw TortureError("counters know no action '\(action)'")
            }
            try container.close()
            Output.say("done")
        } catch {
            Output.say(TypedError.answer(error, "failed"))
        }
    }

    private func say(_ word: String, _ numbers: [Int]) {
        Output.say(([word] + numbers.map(String.init)).joined(separator: " "))
    }

    /// What a process has to say of its race.
    private struct Score: Sendable {
        var counted: [Int]
        var conflicts = 0
        var most = 0
        var busy = 0

        var done: Int { counted.reduce(0, +) }
    }

    private func race() throws {
        var random = SplitMix64(seed: UInt64(arguments.number("seed", default: 1)))
        let increments = arguments.number("increments", default: 5_000)
        var score = Score(counted: Array(repeating: 0, count: count))
        while score.done < increments {
            // The objects are held for a while, so that their values grow old; between two units of
            // work the context merges.
            let numbers = (0..<min(20, increments - score.done)).map { _ in
                Int.random(in: 0..<count, using: &random)
            }
            let before = score
            score = try context.performAndWait { [count] context in
                var score = before
                let counters = try Counters.all(count, in: context)
                if score.done == 0 { try Self.beginTogether(counters) }
                for number in numbers {
                    try Self.increment(counters[number], in: context, &score)
                    score.counted[number] += 1
                }
                return score
            }
        }
        say("counted", score.counted)
        say("conflicts", [score.conflicts, score.most])
        say("busy", [score.busy])
    }

    /// Waits until every process has read every counter, so that each meets the others' changes.
    private static func beginTogether(_ counters: [ManagedObject]) throws {
        guard try counters.allSatisfy({ try $0.integer("value") == 0 }) else {
            throw Unsound("the race began before")
        }
        Output.say("ready")
        _ = readLine()
    }

    /// Adds one and saves, as often as others come between.
    private static func increment(
        _ counter: ManagedObject, in context: ManagedObjectContext, _ score: inout Score
    ) throws {
        var refusals = 0
        while true {
            try counter.setValue(counter.integer("value") + 1, forKey: "value")
            do {
                try context.save()
                score.conflicts += refusals
                score.most = max(score.most, refusals)
                return
            } catch let error as SaveConflictError {
                refusals += 1
                for conflict in error.conflicts {
                    try context.refresh(
                        context.object(with: conflict.objectID), mergeChanges: false)
                }
            } catch let error as StoreError where error.code == .storeBusy {
                // Nothing is written, and the attempt is made anew.
                score.busy += 1
                context.rollback()
            }
        }
    }
}
