/// The trials by name, in the order in which `all` runs them.
struct Trial: Sendable {
    let name: String
    /// The number of cases in `all`.
    let slice: Int
    /// Whether the trial says something about this kind of store.
    var applies: @Sendable (StoreKind) -> Bool = { _ in true }
    /// Runs the trial and says in one line what was seen.
    let run: @Sendable (TrialRun) throws -> String

    static let all: [Trial] = [
        Trial(name: "kill-save", slice: 60, run: KillSave.run),
        Trial(name: "faults", slice: 300, run: FaultSweep.run),
        Trial(name: "power-loss", slice: 1_500, run: PowerLoss.run),
        Trial(name: "counters", slice: 500, run: CounterRace.run),
    ]
}
