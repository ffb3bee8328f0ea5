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
        Trial(name: "kill-import", slice: 40, run: KillImport.run),
        Trial(name: "kill-save", slice: 300, run: KillSave.run),
        Trial(name: "kill-migration", slice: 24, run: KillMigration(.inferred).run),
        Trial(name: "migration-faults", slice: 60, run: MigrationFaults(.inferred).run),
        Trial(name: "kill-stages", slice: 24, run: KillMigration(.staged).run),
        Trial(name: "stage-faults", slice: 60, run: MigrationFaults(.staged).run),
        Trial(name: "backup-faults", slice: 60, run: BackupFaults(.backup).run),
        Trial(name: "restore-faults", slice: 60, run: BackupFaults(.restore).run),
        Trial(name: "migration-race", slice: 4, run: MigrationRace.run),
        Trial(name: "faults", slice: 400, run: FaultSweep.run),
        Trial(name: "power-loss", slice: 1_000, run: PowerLoss.run),
        Trial(name: "disk-full", slice: 6, run: DiskFull.run),
        Trial(name: "damage", slice: 400, run: Damage.run),
        Trial(name: "large-rows", slice: 64, run: LargeRows.run),
        Trial(name: "wal-reset", slice: 10, applies: { $0.name == "sqlite" }, run: WalReset.run),
        Trial(name: "stopped", slice: 8, run: Stopped.run),
        Trial(name: "readers", slice: 300, run: Readers.run),
        Trial(name: "counters", slice: 500, run: CounterRace.run),
        Trial(name: "crowd", slice: 12, run: Crowd.run),
        Trial(name: "isolation", slice: 600, run: Isolation.run),
        Trial(name: "history", slice: 60, run: HistoryRace.run),
    ]
}
