import DuramenModel
import DuramenStore
import Foundation

/// Opens a store from its description.
struct StoreOpening {
    let description: PersistentStoreDescription
    let location: StoreLocation

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        self.description = description
        location = try StoreLocation(description)
    }

    /// The connections of an open store for saves and look-ups. A batch keeps one.
    private static let writingConnections = 4
    /// The connections for states, unless a description says otherwise.
    static let readingConnections = 14

    /// Opens the store, and creates it if it is missing and may be created.
    func open(model: ManagedObjectModel) throws(StoreError) -> PostgresStore {
        let counters = StoreCounters()
        let connection = try location.connect(description, counters)
        defer { connection.close() }
        let catalog = Catalog(connection, location)
        try catalog.checkServer()
        if try catalog.state() != .store {
            if description.isReadOnly { throw location.missing }
            try StoreCreation(model: model, location: location).run(on: connection)
        }
        let about = try catalog.about()
        try check(about, model)
        let known = try catalog.knownNames()
        let schema = PostgresSchema(
            name: location.schema, model: model, store: StoreHandle(uuid: about.uuid), known: known)
        if !description.isReadOnly {
            try keepModel(model, about, schema, connection)
            try SequenceRaising(schema, location).run(on: connection)
        }
        return try finish(schema, about, counters)
    }

    private func check(_ about: StoredAbout, _ model: ManagedObjectModel) throws(StoreError) {
        let names = model.entities(unlike: about.checksum, about.hashes, omitsReferences: false)
        if names.isEmpty { return }
        let list = names.sorted { StoredText($0) < StoredText($1) }.map { "'\($0)'" }
        throw StoreError(
            .incompatibleModel,
            "'\(location.place)' was written with another version of the model; these entities "
                + "differ: \(list.joined(separator: ", ")). Open it with that model, or migrate it."
        )
    }

    /// Saves the model that the store is opened with, unless exactly this one is saved.
    private func keepModel(
        _ model: ManagedObjectModel, _ about: StoredAbout, _ schema: PostgresSchema,
        _ connection: Connection
    ) throws(StoreError) {
        do throws(PostgresFailure) {
            _ = try connection.run(
                Statement(
                    "INSERT INTO \(schema.own(.models)) VALUES ($1::text, $2::bytea) "
                        + "ON CONFLICT (checksum) DO UPDATE SET archive = EXCLUDED.archive "
                        + "WHERE models.archive <> EXCLUDED.archive", prepared: false),
                [.text(model.versionChecksum), .bytea(model.archived())],
                RunLimits(deadline: location.replyDeadline))
        } catch {
            throw error.storeError(location.name, during: "write to")
        }
    }

    private func finish(
        _ schema: PostgresSchema, _ about: StoredAbout, _ counters: StoreCounters
    ) throws(StoreError) -> PostgresStore {
        let registration = try StoreRegistration(
            description.registration(of: about.uuid), place: location.place)
        let core = StoreCore(
            schema: schema, name: location.name,
            settings: StoreSettings(description, location.options),
            layout: about.layout, counters: counters)
        let lease = SnapshotLease(
            seconds: description.snapshotLeaseSeconds, clock: description.clock)
        let most = location.options.connections ?? Self.readingConnections
        let held = HeldSnapshots(path: location.place, lease: lease, limit: most)
        let readers = ConnectionPool(
            location.settings, limit: most, counters: counters,
            endOverdue: { held.endOverdue() }, check: core.checkNew)
        let snapshots = SnapshotPool(core: core, connections: readers, held: held)
        let writer: StoreWriter?
        if description.isReadOnly {
            writer = nil
        } else {
            writer = StoreWriter(
                core: core,
                connections: ConnectionPool(
                    location.settings, limit: Self.writingConnections, isForStates: false,
                    counters: counters, check: core.checkNew),
                leasing: ConnectionPool(
                    location.settings, limit: 1, isForStates: false, counters: counters,
                    check: core.checkNew),
                snapshots: snapshots, keepsHistory: about.historyFrom != nil)
        }
        return PostgresStore(
            core: core, snapshots: snapshots, writer: writer,
            observer: ChangeObserver(core: core, location, description),
            registration: registration, location: location)
    }
}
