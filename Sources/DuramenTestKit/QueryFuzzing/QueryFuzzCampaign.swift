import Dispatch
import DuramenModel

/// Asks stores random questions, world by world, and continues after a disagreement.
///
/// ```
///   seed ──► model and objects ──► each store ──► questions ──► answers ══ plain evaluation
/// ```
/// A seed always produces equal worlds and questions, on every machine and with any number of jobs.
public struct QueryFuzzCampaign: Sendable {
    /// The number of questions for each world.
    ///
    /// Creating a world takes as long as about twenty questions. The number of faults found depends
    /// on models and objects as much as on questions.
    public static let questionsPerWorld = 200

    /// Creates the stores of a world, which are closed and cleaned up afterwards.
    public typealias MakeStores =
        @Sendable (_ seed: UInt64) throws -> [(name: String, fixture: StoreFixture)]

    /// The seed of the first world; each next world adds one.
    public var firstSeed: UInt64
    /// The minimum number of questions; all worlds get equal numbers.
    public var cases: Int
    /// The number of concurrent worlds.
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

    /// The number of worlds.
    public var worldCount: Int {
        (cases + Self.questionsPerWorld - 1) / Self.questionsPerWorld
    }

    /// The seed of the last world.
    public var lastSeed: UInt64 { firstSeed &+ UInt64(max(worldCount, 1) - 1) }

    /// Runs the campaign.
    ///
    /// - Parameter report: Receives a line for each disagreement, and progress now and then, from
    ///   several threads.
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
    /// The number of questions with different answers.
    public internal(set) var disagreements = 0

    init(_ campaign: QueryFuzzCampaign) {
        seeds = campaign.firstSeed...max(campaign.firstSeed, campaign.lastSeed)
    }

    /// Returns the record as text: the questions, and the count of each form of the language.
    ///
    /// - Parameter commit: The source version of the stores.
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
