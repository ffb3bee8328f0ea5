public import DuramenStore

/// The ten laws of ``PersistentStore``, and one for each capability.
public enum StoreLaw: Int, Sendable, Hashable, CaseIterable {
    /// A snapshot never sees a later save.
    case snapshots = 1
    /// A save is all or nothing.
    case atomicity
    /// A saved row gets a version that it never had.
    case versions
    /// Keys are allocated before a save, once, and never change.
    case keys
    /// The edits of one change set are simultaneous.
    case simultaneity
    /// The accepted part of a query has exactly the evaluator's result.
    case pushdown
    /// Undeclared capabilities fail, and declared ones work.
    case capabilities
    /// Open snapshots neither block nor deadlock a save.
    case concurrency
    /// Cancellation is honoured before the commit, never after.
    case cancellation
    /// Metadata commits with the data.
    case metadata
    /// A batch is one save of many parts.
    case batches
    /// Each save is one transaction of the history, and nothing else is.
    case history
    /// Observers are notified of commits.
    case observation
    /// The store keeps derived attributes up to date.
    case derivation
    /// A migration changes a store's model and keeps its objects.
    case migration
    /// A group equals its saves, made one after the other.
    case groups
}

/// A named claim about stores.
public struct ConformanceCase: Sendable {
    /// The claim, as a sentence.
    public let name: String
    /// The law that the claim belongs to.
    public let law: StoreLaw
    /// The capabilities that a store must have for the claim to apply.
    public let requiredCapabilities: StoreCapabilities

    private let body: @Sendable (StoreDriver) throws -> Void

    init(
        _ law: StoreLaw, _ name: String, requires capabilities: StoreCapabilities = [],
        _ body: @escaping @Sendable (StoreDriver) throws -> Void
    ) {
        self.law = law
        self.name = name
        requiredCapabilities = capabilities
        self.body = body
    }

    /// Checks the claim on a fresh store.
    ///
    /// - Throws: ``ConformanceFailure`` when the claim is false.
    @discardableResult
    public func run(_ fixture: StoreFixture) throws -> ConformanceOutcome {
        defer { fixture.cleanUp() }
        do {
            let driver = try StoreDriver(fixture)
            let missing = requiredCapabilities.subtracting(driver.store.capabilities)
            if !missing.isEmpty { return .skipped(missing: missing) }
            try body(driver)
            return .passed
        } catch let difference as Difference {
            throw ConformanceFailure(law: law, name: name, difference: difference.message)
        } catch {
            throw ConformanceFailure(law: law, name: name, difference: "threw \(error)")
        }
    }
}

/// The outcome of a case that did not fail.
public enum ConformanceOutcome: Sendable, Hashable {
    /// The claim is true.
    case passed
    /// The store does not declare the capabilities of the claim.
    case skipped(missing: StoreCapabilities)
}

/// A claim that a store breaks.
public struct ConformanceFailure: Error, Sendable {
    /// The law that is broken.
    public let law: StoreLaw
    /// The claim.
    public let name: String
    /// The found and the expected values.
    public let difference: String
}

extension ConformanceCase: CustomStringConvertible {
    /// The law's number and the claim.
    public var description: String { "Law \(law.rawValue): \(name)" }
}

extension ConformanceFailure: CustomStringConvertible {
    /// The law's number, the claim and the difference.
    public var description: String { "Law \(law.rawValue): \(name): \(difference)" }
}

/// The public conformance suite: everything that a store must do.
///
/// ```swift
/// @Test(arguments: ConformanceSuite.cases)
/// func aStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
///     try claim.run(StoreFixture { _ in .memory() })
/// }
/// ```
public enum ConformanceSuite {
    /// All cases, by law.
    public static var cases: [ConformanceCase] {
        SnapshotCases.all + AtomicityCases.all + CheckCases.all + RefusalCases.all
            + FidelityCases.all
            + RelationshipKindCases.all
            + ExternalValueCases.all + LargeRowCases.all
            + VersionCases.all + KeyCases.all
            + SimultaneityCases.all + PushdownCases.all + SlotCases.all + CapabilityCases.all
            + ConcurrencyCases.all
            + CancellationCases.all + MetadataCases.all + SaveIdentifierCases.all
            + BatchCases.all + UpsertCases.all + HistoryCases.all + ObservationCases.all
            + DerivedCases.all + MigrationCases.all + StagedMigrationCases.all
            + GroupCases.all
    }
}
