public import DuramenModel
package import DuramenQuery

/// Which store to open, and how.
///
/// Each store module adds its own, such as `.sqlite("quakes.sqlite")`.
public struct PersistentStoreDescription: Sendable {
    /// The kind of the store.
    public var type: any PersistentStoreType
    /// Where the store is, in the words of its kind; a file path for most.
    public var location: String
    /// The configuration of the model whose entities the store keeps; nil for all entities.
    public var configuration: String?
    /// Whether the store must not be written or created.
    public var isReadOnly: Bool
    /// How long to wait for others who hold the store, in seconds.
    public var timeoutSeconds: Double
    /// The failures that a save survives once it has returned.
    public var durability: Durability
    /// How long, in seconds, a snapshot may hold the space of its state. Afterwards a save or the
    /// store's housekeeping may end it, and its users get `.snapshotExpired`.
    public var snapshotLeaseSeconds: Double
    /// The largest value, in bytes, that is kept in its row if its attribute has
    /// `allowsExternalBinaryDataStorage`. A larger value gets a file of its own, in stores that
    /// have files. You may change the number at any time: values stay where they are until they are
    /// assigned again.
    public var largestInlineValueBytes = 131_072
    /// When the structure of the store's file is checked, in stores whose engine does not find
    /// damage itself.
    public var fileCheck = FileCheck.automatic
    /// How many bytes of its file a store may cache in memory, if it caches pages itself; nil for a
    /// default that fits the machine.
    public var readCacheBytes: Int?
    /// Whether a history is begun, unless the store keeps one already; see
    /// ``keepingHistory(forDays:)``.
    public var keepsHistory = false
    /// How long transactions are kept in the history, in seconds; nil for until they are deleted.
    public var historySeconds: Double?
    /// Core Data's version hashes of the model's entities, for a store with Core Data's layout that
    /// Core Data will open; see ``appleVersionHashes(_:)``.
    public var appleVersionHashes: AppleVersionHashes?
    /// Whether a store of an earlier version of the model is migrated when it is opened.
    public var shouldMigrateStoreAutomatically = true
    /// Whether to infer changes that no stage declares.
    public var shouldInferMappingModelAutomatically = true
    /// The stages of the migration; nil for one inferred change.
    public var stagedMigrationManager: StagedMigrationManager?
    /// The changes that an automatic migration may make.
    public var migrationPolicy = MigrationPolicy()
    /// A closure that receives the progress of a migration, on the thread that migrates.
    public var migrationObserver: (@Sendable (MigrationProgress) -> Void)?
    /// Options for tools and migrations.
    public var opening = OpeningOptions()
    /// Where the store reads the time; a test sets its own.
    public var clock = StoreClock.system

    /// Describes a store.
    public init(
        type: any PersistentStoreType, location: String, configuration: String? = nil,
        isReadOnly: Bool = false,
        timeoutSeconds: Double = 10, durability: Durability = .full,
        snapshotLeaseSeconds: Double = 300
    ) {
        self.type = type
        self.location = location
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.timeoutSeconds = timeoutSeconds
        self.durability = durability
        self.snapshotLeaseSeconds = snapshotLeaseSeconds
    }

    /// Returns this description for only the entities of a configuration of the model.
    public func configuration(_ name: String) -> PersistentStoreDescription {
        var copy = self
        copy.configuration = name
        return copy
    }

    /// Returns this description for reading only.
    public func readOnly() -> PersistentStoreDescription {
        var copy = self
        copy.isReadOnly = true
        return copy
    }

    /// Returns this description with another durability.
    public func durability(_ durability: Durability) -> PersistentStoreDescription {
        var copy = self
        copy.durability = durability
        return copy
    }

    /// Returns this description with another time-out, in seconds.
    public func timeout(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.timeoutSeconds = seconds
        return copy
    }

    /// Returns this description with another maximum size of values that are kept in rows. Larger
    /// values get files of their own.
    public func largestInlineValue(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.largestInlineValueBytes = bytes
        return copy
    }

    /// Returns this description with another choice of when the structure of the store's file is
    /// checked.
    ///
    /// ```swift
    /// // A server that opens a store of many gigabytes, on a disk that checks its own sums.
    /// let description = PersistentStoreDescription.lmdb("quakes.lmdb").fileCheck(.whenChanged)
    /// ```
    public func fileCheck(_ fileCheck: FileCheck) -> PersistentStoreDescription {
        var copy = self
        copy.fileCheck = fileCheck
        return copy
    }

    /// Returns this description with another limit of the memory for caching the store's file.
    ///
    /// A larger one makes look-ups and indexes faster in files that do not fit. SQLite's first
    /// reader keeps so many bytes, those that are open beside it half, a fourth and so on, but 8
    /// MiB at least; by default the first keeps a 64th of the machine's memory, at most 128 MiB.
    /// ``MaintainingStore/maintain()`` gives them back. LMDB reads the system's memory and needs
    /// none.
    public func readCache(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.readCacheBytes = bytes
        return copy
    }

    /// Returns this description with another lease of snapshots, in seconds.
    public func snapshotLease(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.snapshotLeaseSeconds = seconds
        return copy
    }

    /// Returns this description for a store with history, which records the objects that each save
    /// and batch inserted, updated and deleted, and the author.
    ///
    /// A history that was begun goes on, whoever opens the store. Without the capability the store
    /// cannot be opened so.
    ///
    /// - Parameter days: Transactions that are older are deleted now and then, and when the store
    ///   is maintained, but for those that a consumer still needs; nil for none.
    public func keepingHistory(forDays days: Double? = nil) -> PersistentStoreDescription {
        var copy = self
        copy.keepsHistory = true
        copy.historySeconds = days.map { $0 * 86_400 }
        return copy
    }

    /// Returns this description for a store that is not migrated when it is opened.
    public func withoutMigration() -> PersistentStoreDescription {
        var copy = self
        copy.shouldMigrateStoreAutomatically = false
        return copy
    }

    /// Returns this description with another policy for migrations.
    public func migrating(_ policy: MigrationPolicy) -> PersistentStoreDescription {
        var copy = self
        copy.migrationPolicy = policy
        return copy
    }

    /// Returns this description with stages for the migration of earlier versions.
    public func migrating(with manager: StagedMigrationManager) -> PersistentStoreDescription {
        var copy = self
        copy.stagedMigrationManager = manager
        return copy
    }

    /// Returns this description with Core Data's own hashes of the model's entities.
    ///
    /// A SQLite store notes them when it is made or migrated. Without them it has none, and Core
    /// Data does not open it. Other stores do not look at them.
    public func appleVersionHashes(_ hashes: AppleVersionHashes) -> PersistentStoreDescription {
        var copy = self
        copy.appleVersionHashes = hashes
        return copy
    }

    /// The same description, with a flag that ends migrations when it is raised.
    package func cancelling(with flag: CancellationFlag) -> PersistentStoreDescription {
        var copy = self
        copy.opening.migrationCancellation = flag
        return copy
    }

    /// Returns this description with an observer of migrations. It is called on the thread that
    /// migrates, at most thirty times a second.
    ///
    /// ```swift
    /// let store = PersistentStoreDescription.sqlite("library.sqlite")
    ///     .onMigration { print($0.phase, $0.fraction) }
    /// ```
    public func onMigration(
        _ observer: @escaping @Sendable (MigrationProgress) -> Void
    ) -> PersistentStoreDescription {
        var copy = self
        copy.migrationObserver = observer
        return copy
    }

    /// Opens the store with a model, or with what its ``configuration`` leaves of it.
    ///
    /// - Throws: The store's error; `.invalidRequest` when the model has no such configuration, or
    ///   when the configuration lacks what its entities need. A store of an earlier version of the
    ///   model is migrated first: `.notInferable` when the two versions do not say what becomes of
    ///   everything; `.migrationRequired` when it may not be; `.storeIsNewer` when it was migrated
    ///   to a later version; `.cancelled` when its observer ended the migration.
    public func open(
        model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let own = try requiredSubmodel(of: model)
        let store = try openMigrating(own)
        if !own.derivations.isEmpty, !store.capabilities.contains(.derivedAttributes) {
            try? store.close()
            throw StoreError(
                .unsupported,
                "The store '\(location)' keeps no derived attributes, and the model has some. Use a store with the "
                    + "capability, or attributes that the application sets.")
        }
        if keepsHistory, !isReadOnly {
            do throws(StoreError) {
                try store.historyTracking().beginHistory()
            } catch {
                try? store.close()
                throw error
            }
        }
        return store
    }

    /// Opens the store, and before that changes its model if it is another version.
    private func openMigrating(
        _ model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        var description = self
        // Each time somebody else may be faster, with another version again.
        for _ in 0..<4 {
            do throws(StoreError) {
                return try type.open(description, model: model)
            } catch {
                guard error.code == .incompatibleModel else { throw error }
                description = checkedBefore
                // Another process may be about to migrate it.
                description.timeoutSeconds = max(timeoutSeconds, migrationPolicy.timeoutSeconds)
                try StoreMigration(description: description, target: model).run()
            }
        }
        return try type.open(description, model: model)
    }

    /// The same description, for a file that was just opened: it is checked again only if somebody
    /// changed it since.
    private var checkedBefore: PersistentStoreDescription {
        var copy = self
        if fileCheck == .automatic { copy.fileCheck = .whenChanged }
        return copy
    }

    func requiredSubmodel(of model: ManagedObjectModel) throws(StoreError) -> ManagedObjectModel {
        if let own = try submodel(of: model) { return own }
        throw StoreError(
            .invalidRequest,
            "'\(location)' is to be opened with the configuration '\(configuration ?? "")', which the "
                + "model does not have; correct the name, or add it to the model.")
    }

    private func submodel(
        of model: ManagedObjectModel
    ) throws(StoreError) -> ManagedObjectModel? {
        do {
            return try model.submodel(forConfiguration: configuration)
        } catch {
            throw StoreError(
                .invalidRequest,
                "'\(location)' cannot be opened with the configuration '\(configuration ?? "")': "
                    + error.mistakes.map(\.message).joined(separator: " "))
        }
    }
}

extension PersistentStoreDescription {
    /// The time-out in seconds, within the range of engines and clocks: at most 1,000,000, and 0 in
    /// place of a negative value or NaN.
    public var boundedTimeoutSeconds: Double {
        timeoutSeconds > 0 ? min(timeoutSeconds, 1_000_000) : 0
    }
}

/// The failures that a save survives once it has returned.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Loss of power.
    case full
    /// The end of the process. Loss of power may take the last saves back, never half of one.
    case relaxed
    /// Nothing: loss of power may destroy the store. For stores that can be made again.
    case unsafeNoSync
}
