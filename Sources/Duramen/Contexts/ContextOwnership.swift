/// The owner of a context, and whether a closure of `perform` is running.
struct ContextOwnership {
    /// The owner of the context; nil until its first use. A child uses its parent's owner.
    var owner: ContextOwner?
    /// Whether a closure of `perform` is running, which ends the unit of work itself.
    var isPerforming = false
}
