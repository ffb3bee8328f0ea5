/// Who uses a context: its owner, and whether a closure of `perform` does at this moment.
struct ContextOwnership {
    /// The owner of the context; nil until its first use. A child takes that of its parent.
    var owner: ContextOwner?
    /// Whether a closure of `perform` runs, which ends the unit of work itself.
    var isPerforming = false
}
