import Dispatch
import DuramenModel

/// Asks stores random questions, world by world, and goes on after a disagreement.
///
/// ```
///   seed ──► model and objects ──► the same in each store ──► questions ──► answers ══ slow evaluation
/// ```
/// A seed always makes the same world and the same questions, on every machine and with any number
/// of jobs.
public struct QueryFuzzCampaign: Sendable {
    /// How many questions each world is asked.
    ///
    /// Making a world takes about as long as twenty questions; what is found depends on models and
    /// objects as much as on questions.
    public static let questionsPerWorld = 200

    /// Makes the stores of a world, which are closed and cleaned up behind it.
    public typealias MakeStores =
        @Sendable (_ seed: UInt64) throws -> [(name: String, fixture: StoreFixture)]

    /// The seed of the first world; the next one has the next.
    public var firstSeed: UInt64
    /// How many questions to ask at least; all worlds get the same number.
    public var cases: Int
    /// How many worlds to ask at a time.
    public var jobs: Int

    private let makeStores: MakeStores

    /// Describes a campaign.
    public init(
        firstSeed: UInt64 = 1, cases: Int, jobs: Int = 1, stores makeStores: @escaping MakeStores
    ) {
        self.firstSeed = firstSeed
        self.cases = cases
        self.jobs = jobs
        self.makeStores = makeStores
    }

    /// How many worlds that takes.
    public var worldCount: Int {
        (cases + Self.questionsPerWorld - 1) / Self.questionsPerWorld
    }

    /// The seed of the last world.
    public var lastSeed: UInt64 { firstSeed &+ UInt64(max(worldCount, 1) - 1) }

    /// Asks.
    ///
    /// - Parameter report: Takes a line for each disagreement, and one now and then; from several
    ///   threads.
    public func run(_ report: @escaping @Sendable (String) -> Void) -> QueryFuzzRecord {
        let progress = Locked(Progress(record: QueryFuzzRecord(self), isTold: report))
        DispatchQueue.concurrentPerform(iterations: max(jobs, 1)) { _ in
            while let place = progress.withLock({ $0.nextPlace(of: worldCount) }) {
                let seed = firstSeed &+ UInt64(place)
                let (coverage, disagreements) = ask(seed)
                progress.withLock { $0.add(coverage, disagreements) }
            }
        }
        return progress.withLock { $0.record }
    }

    private func ask(_ seed: UInt64) -> (FuzzCoverage, [String]) {
        var coverage = FuzzCoverage()
        var disagreements: [String] = []
        do {
            let stores = try makeStores(seed)
            defer { for (_, fixture) in stores { fixture.cleanUp() } }
            let fuzz = try QueryFuzz(seed: seed, stores)
            fuzz.run(questions: Self.questionsPerWorld, &coverage) {
                disagreements.append($0.description)
            }
        } catch {
            disagreements.append("seed \(seed): no world can be made: \(error)")
        }
        return (coverage, disagreements)
    }

    private struct Progress: Sendable {
        var record: QueryFuzzRecord
        let isTold: @Sendable (String) -> Void
        private var next = 0
        private var finished = 0

        init(record: QueryFuzzRecord, isTold: @escaping @Sendable (String) -> Void) {
            self.record = record
            self.isTold = isTold
        }

        mutating func nextPlace(of count: Int) -> Int? {
            if next == count { return nil }
            next += 1
            return next - 1
        }

        mutating func add(_ coverage: FuzzCoverage, _ disagreements: [String]) {
            record.coverage.add(coverage)
            record.disagreements += disagreements.count
            for disagreement in disagreements { isTold(disagreement) }
            finished += 1
            if finished.isMultiple(of: 500) {
                isTold("\(record.coverage.cases) cases, \(record.disagreements) disagreements")
            }
        }
    }
}

/// A record of the questions that a campaign asked and the differences that it found.
public struct QueryFuzzRecord: Sendable {
    /// The seeds of the worlds.
    public let seeds: ClosedRange<UInt64>
    /// The coverage of the questions.
    public internal(set) var coverage = FuzzCoverage()
    /// How many questions were not answered alike.
    public internal(set) var disagreements = 0

    init(_ campaign: QueryFuzzCampaign) {
        seeds = campaign.firstSeed...max(campaign.firstSeed, campaign.lastSeed)
    }

    /// The record as text: what was asked, and how often each form of the language.
    ///
    /// - Parameter commit: Of what source the stores were built.
    public func text(commit: String) -> String {
        """
        commit         \(commit)
        seeds          \(seeds.lowerBound) to \(seeds.upperBound)
        cases          \(coverage.cases)
        refused        \(coverage.refused)
        discerning     \(coverage.discerning)
        disagreements  \(disagreements)

        cases with each form, and values of each form that objects had:
        \(coverage.lines.joined(separator: "\n"))
        """
    }
}
