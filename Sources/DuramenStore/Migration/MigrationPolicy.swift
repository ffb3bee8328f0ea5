public import DuramenModel

/// What a migration may do without being asked.
///
/// ```swift
/// var policy = MigrationPolicy()
/// policy.fills["Book.pages"] = .integer(0)    // Mandatory in the new model, without a default.
/// policy.notRenamed = ["Book.remark"]         // Not the `note` that went in the same version.
/// let description = PersistentStoreDescription.sqlite("library.sqlite").migrating(policy)
/// ```
public struct MigrationPolicy: Sendable, Hashable {
    /// What may be lost.
    public enum Loss: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// What the new model plainly leaves out.
        case declared
        /// That, and what a property had that may only have been renamed.
        case all
    }

    /// What may be lost.
    public var loss = Loss.declared
    /// Values for attributes that are mandatory now and have no default, by `Entity.attribute`.
    public var fills: [String: StoredValue] = [:]
    /// Properties that are new and no other one renamed, by `Entity.property`.
    public var notRenamed: Set<String> = []

    /// What is done by default.
    public init() {}
}
