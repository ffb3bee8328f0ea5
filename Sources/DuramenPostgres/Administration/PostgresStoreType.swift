public import DuramenModel
public import DuramenStore
import Foundation

/// Stores in PostgreSQL databases, one schema each.
///
/// The location of a description is the name of the schema. The server and the database are part of
/// the type, so that no message and no log shows a password.
public struct PostgresStoreType: PersistentStoreType {
    static let typeName = "postgres"

    /// The schema of a store whose description names none.
    public static let defaultSchema = "duramen"

    let connection: ConnectionSecret
    var options = PostgresOptions()

    /// Creates the kind of store, with the server and database of a connection string.
    ///
    /// - Parameter connection: A connection string of libpq: a URI, or words such as
    ///   `service=library`. Empty for libpq's defaults and environment.
    public init(_ connection: String = "") { self.connection = ConnectionSecret(connection) }

    /// The name `postgres`.
    public var name: String { Self.typeName }
    /// The name `postgresql`, which URIs of libpq may begin with, too.
    public var otherNames: [String] { ["postgresql"] }

    /// Returns the description for the text after `postgres:`, such as `//host/library?schema=s`.
    public func description(forLocation text: String) throws(StoreError)
        -> PersistentStoreDescription
    {
        var type = PostgresStoreType(text.isEmpty ? "" : "\(Self.typeName):\(text)")
        type.options = options
        let location = try StoreLocation(type.description(ofSchema: ""))
        return type.description(ofSchema: location.schema)
    }

    /// An old state keeps the server from removing old rows, so a snapshot is held for a minute.
    func description(ofSchema schema: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: self, location: schema, snapshotLeaseSeconds: 60)
    }

    /// Opens the store, and creates its schema if it does not exist.
    ///
    /// - Throws: ``StoreError`` `.storeUnavailable`, `.permissionDenied`, `.storeMissing` (no such
    ///   database, or for reading only), `.foreignFile`, `.newerFormat`, `.incompatibleModel`,
    ///   `.unsupported`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        try StoreOpening(description).open(model: model)
    }

    /// Returns the metadata of a store that need not be open.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try ClosedStore(description).metadata()
    }

    /// Returns the model that a store keeps. The store need not be open.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType] = [],
        transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        let store = try ClosedStore(description)
        return try StoredModel(
            archive: store.modelArchive(), codableTypes: codableTypes, transformers: transformers,
            path: store.location.place)
    }

    /// Replaces the application's metadata entries of a store that need not be open.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(description).setUserInfo(userInfo)
    }

    /// Deletes the store's schema. If it does not exist, nothing happens.
    ///
    /// - Throws: `.foreignFile` when something in it is not the store's.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try ClosedStore(description).destroy()
    }

    /// Copies a store, which may be in use, as it is at one moment, to another schema of the same
    /// database.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(source).copy(to: destination)
    }

    /// Replaces a store with a copy of another one, in one transaction. If this or another process
    /// has the replaced store open, its next use throws `.storeMigrated`.
    ///
    /// - Throws: `.storeBusy` while somebody holds a state of the replaced store for longer than
    ///   the time-out; `.foreignFile` when something in its schema is not the store's.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        var copy = destination
        copy.location = "duramen \(UUID())"
        try ClosedStore(source).copy(to: copy, replacing: StoreLocation(destination))
    }

    /// Returns the schemas of the database with stores.
    public func locations(beside location: String) -> [String] {
        let description = PersistentStoreDescription(type: self, location: location)
        return (try? ClosedStore(description).schemas()) ?? []
    }
}

extension PostgresStoreType: ScriptedStoreType {
    /// Returns the statements that make an empty store, in one transaction. Let the owner run them
    /// once, such as with `psql`. The program's role then needs no right to make tables.
    public func creationScript(
        of description: PersistentStoreDescription, model: ManagedObjectModel, for roles: [String]
    ) throws(StoreError) -> String {
        let creation = StoreCreation(model: model, location: try StoreLocation(description))
        return try CreationScript(creation: creation, roles: roles).text()
    }
}

/// The options of stores in PostgreSQL databases.
struct PostgresOptions: Sendable, Hashable {
    /// Whether TLS may be missing, or not verified.
    var allowsUnverifiedServer = false
    /// Whether the server may run without flushing.
    var allowsUnsafeServer = false
    /// The largest number of connections for states; nil for the default.
    var connections: Int?
    /// Whether saves send a notice, and observers wait for notices.
    var notifies = false
    /// The longest time for a read, in seconds; nil for no limit.
    var readSeconds: Double?
}

/// A connection string, which may have a password. Nothing prints it.
struct ConnectionSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { "a connection string" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PersistentStoreType where Self == PostgresStoreType {
    /// The kind of stores in PostgreSQL databases, for ``StoreTypes``.
    public static var postgres: PostgresStoreType { PostgresStoreType() }
}

extension PersistentStoreDescription {
    /// Returns a description of a store in a schema of a PostgreSQL database.
    ///
    /// ```swift
    /// let library = PersistentStoreDescription.postgres("service=library", schema: "library")
    /// ```
    /// - Parameters:
    ///   - connection: A connection string of libpq: a URI, or words such as `service=library`.
    ///     Keep the password in `~/.pgpass`, a service file or a certificate.
    ///   - schema: The schema of the store; by default the one that the string names, or `duramen`.
    ///     Opening the store creates it.
    public static func postgres(
        _ connection: String, schema: String = ""
    ) -> PersistentStoreDescription {
        PostgresStoreType(connection).description(ofSchema: schema)
    }

    /// Returns this description of a PostgreSQL store for a server whose identity is not verified,
    /// or without TLS. Anybody on the way can then read and change what is sent.
    public func allowingUnverifiedServer() -> PersistentStoreDescription {
        changingOptions { $0.allowsUnverifiedServer = true }
    }

    /// Returns this description of a PostgreSQL store for a server that does not flush to the disk,
    /// such as one for tests. A loss of power may destroy the store.
    public func allowingUnsafeServer() -> PersistentStoreDescription {
        changingOptions { $0.allowsUnsafeServer = true }
    }

    /// Returns this description of a PostgreSQL store with another limit of connections for states:
    /// snapshots of different states that are held at once. By default 14.
    public func connections(_ count: Int) -> PersistentStoreDescription {
        changingOptions { $0.connections = max(1, count) }
    }

    /// Returns this description of a PostgreSQL store with notices of the server's about saves.
    ///
    /// Observers, such as live lists, learn of other processes' saves at once, and ask only every
    /// five seconds; without notices they ask four times a second. A save of a process that does
    /// not send notices is noticed within five seconds, so let all processes send them.
    ///
    /// The commits of all saves with a notice queue on the whole server, also those of other
    /// databases: choose notices for few saves and many observers.
    public func notifying() -> PersistentStoreDescription {
        changingOptions { $0.notifies = true }
    }

    /// Returns this description of a PostgreSQL store with a time-out for reads.
    ///
    /// It limits each request of a fetch, a fault, a count or a verification to the server. The
    /// server ends a request that takes longer, and the call throws ``StoreError`` `.storeBusy`.
    /// You can still read the same state. Without this time-out, reads have no limit.
    ///
    /// - Parameter seconds: The longest time, in seconds; at least a millisecond.
    public func readTimeout(seconds: Double) -> PersistentStoreDescription {
        changingOptions { $0.readSeconds = max(0.001, seconds) }
    }

    private func changingOptions(
        _ change: (inout PostgresOptions) -> Void
    ) -> PersistentStoreDescription {
        guard var type = type as? PostgresStoreType else { return self }
        change(&type.options)
        var copy = self
        copy.type = type
        return copy
    }
}
