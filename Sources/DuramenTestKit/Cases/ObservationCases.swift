import DuramenStore
import Foundation

/// Law 13: observers are notified of commits.
enum ObservationCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(
                .observation, "An observer is called after each commit",
                requires: .changeObservation
            ) { driver in
                guard let store = driver.store.observing else {
                    throw Difference("the store declares what it does not conform to")
                }
                let seen = SeenState(store)
                // Some systems cannot observe files.
                guard let observation = try seen.observe() else { return }
                for _ in 0..<5 {
                    let generation = try driver.commit { try $0.insert("Disc") }.generation
                    try check(seen.reaches(generation), "no call after a save")
                }
                withExtendedLifetime(observation) {}
            },
            ConformanceCase(
                .observation, "An observer is called after a batch",
                requires: [.changeObservation, .batches]
            ) { driver in
                guard let store = driver.store.observing else { return }
                let seen = SeenState(store)
                guard let observation = try seen.observe() else { return }
                for _ in 0..<2 {
                    let made = try driver.batch { _ = try $0.insert("Disc") }
                    guard let made else { throw Difference("a batch made no state") }
                    try check(seen.reaches(made), "no call after a batch")
                }
                withExtendedLifetime(observation) {}
            },
            ConformanceCase(
                .observation, "Each observer is called, whenever it began",
                requires: .changeObservation
            ) { driver in
                guard let store = driver.store.observing else { return }
                var observers: [(SeenState, StoreObservation)] = []
                for _ in 0..<3 {
                    let seen = SeenState(store)
                    guard let observation = try seen.observe() else { return }
                    observers.append((seen, observation))
                    let generation = try driver.commit { try $0.insert("Disc") }.generation
                    for (seen, _) in observers {
                        try check(seen.reaches(generation), "no call for one of several")
                    }
                }
                withExtendedLifetime(observers) {}
            },
            ConformanceCase(
                .observation, "An observer is not called once its observation has ended",
                requires: .changeObservation
            ) { driver in
                guard let store = driver.store.observing else { return }
                let (ended, lasting) = (SeenState(store), SeenState(store))
                // The observation is released at once, which ends it.
                _ = try ended.observe()
                guard let observation = try lasting.observe() else { return }
                for _ in 0..<3 {
                    let generation = try driver.commit { try $0.insert("Disc") }.generation
                    try check(lasting.reaches(generation), "no call for the other one")
                    try check(!ended.hasReached(generation), "a call after the end")
                }
                withExtendedLifetime(observation) {}
            },
        ]
    }
}

/// The newest state that an observer has seen in its calls.
// Sound: the condition guards what changes.
private final class SeenState: @unchecked Sendable {
    /// In seconds; only a failure waits so long.
    private static let patience = 20.0

    private let store: any ChangeObservingStore
    private let condition = NSCondition()
    private var generation = StoreGeneration(rawValue: -1)

    init(_ store: any ChangeObservingStore) { self.store = store }

    func observe() throws -> StoreObservation? {
        try store.observeChanges { [weak self] in self?.look() }
    }

    private func look() {
        guard let newest = try? store.snapshot().generation else { return }
        condition.withLock {
            generation = max(generation, newest)
            condition.broadcast()
        }
    }

    func hasReached(_ wanted: StoreGeneration) -> Bool {
        condition.withLock { generation >= wanted }
    }

    /// Waits for a state.
    func reaches(_ wanted: StoreGeneration) -> Bool {
        let end = Date(timeIntervalSinceNow: Self.patience)
        return condition.withLock {
            while generation < wanted { if !condition.wait(until: end) { return false } }
            return true
        }
    }
}
