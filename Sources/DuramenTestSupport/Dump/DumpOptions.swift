/// The choices for `context.dump()`.
public struct DumpOptions: Sendable {
    /// The names of the entities to show, with their sub-entities; empty for all.
    public var entities: Set<String> = []
    /// The properties to leave out, in all entities as `created`, or in one as `Book.created`. Use
    /// it for values that differ from run to run.
    public var ignoredProperties: Set<String> = []
    /// Whether derived attributes are shown. An attribute derived from `now()` is never shown.
    public var showsDerived = true
    /// Whether the values of confidential attributes are shown. Otherwise they are `•••`.
    public var showsConfidential = false

    /// Shows everything but confidential values.
    public init() {}
}
