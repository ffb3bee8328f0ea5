import CMeasure

/// Runs measurements: one round to warm up, then the counted ones, contestants in turn.
///
/// Contestants take turns inside each round, and each round starts with another one, so that a
/// machine that slows down, or a cache that the neighbour left warm, favours nobody.
@MainActor
struct MeasurementRunner {
    let rounds: Int

    /// Runs several measurements in the same rounds.
    ///
    /// - Throws: ``UnequalWork`` when contestants of one measurement disagree on what they read;
    ///   else what a contestant throws.
    func run(_ measurements: [Measurement]) async throws -> [MeasurementResult] {
        var samples = [[Role: [Double]]](repeating: [:], count: measurements.count)
        for round in 0...rounds {
            for (index, measurement) in measurements.enumerated() {
                let figures = try await figures(of: measurement, startingAt: round)
                guard round > 0 else { continue }
                for (role, figure) in figures {
                    samples[index][role, default: []].append(figure)
                }
            }
        }
        return zip(measurements, samples).map { measurement, samples in
            MeasurementResult(
                name: measurement.name, title: measurement.title, store: measurement.store,
                unit: measurement.quantity.unit, operation: measurement.operation,
                operations: measurement.operations, rounds: rounds,
                targets: measurement.targets, roles: measurement.contestants.map(\.role),
                samples: samples)
        }
    }

    private func figures(
        of measurement: Measurement, startingAt round: Int
    ) async throws -> [(Role, Double)] {
        let contestants = measurement.contestants
        var figures: [(Role, Double)] = []
        var checksums: [(Contestant, Int)] = []
        for turn in contestants.indices {
            let contestant = contestants[(turn + round) % contestants.count]
            let (amount, checksum) = try await turnOf(contestant, counting: measurement.quantity)
            let operations = contestant.operations ?? measurement.operations
            figures.append((contestant.role, amount / Double(operations)))
            checksums.append((contestant, checksum))
        }
        // Who does another number of operations has nobody to be compared with.
        let comparable = checksums.filter { $0.0.operations == nil }
        if let first = comparable.first, comparable.contains(where: { $0.1 != first.1 }) {
            throw UnequalWork(
                measurement: measurement.name,
                checksums: comparable.map { ($0.0.role, $0.1) })
        }
        return figures
    }

    private func turnOf(
        _ contestant: Contestant, counting quantity: Measurement.Quantity
    ) async throws -> (amount: Double, checksum: Int) {
        try await contestant.prepare()
        let amount: Double
        let outcome: Outcome
        switch quantity {
        case .processorNanoseconds:
            let start = measure_processor_nanoseconds()
            outcome = try contestant.body()
            amount = Double(measure_processor_nanoseconds() - start)
        case .elapsedNanoseconds:
            let start = ContinuousClock.now
            outcome = try contestant.body()
            amount = outcome.amount ?? start.duration(to: .now) / .nanoseconds(1)
        case .heldBytes:
            let start = measure_held_bytes()
            guard start >= 0 else { throw HeldBytesUnavailable() }
            outcome = try contestant.body()
            amount = Double(measure_held_bytes() - start)
        case .statements(let count):
            let start = count()
            outcome = try contestant.body()
            amount = Double(count() - start)
        }
        let checksum = outcome.checksum &+ (try await contestant.verify())
        withExtendedLifetime(outcome) {}
        try await contestant.finish()
        return (amount, checksum)
    }
}

/// Contestants that should have done the same work did not.
struct UnequalWork: Error, CustomStringConvertible {
    let measurement: String
    let checksums: [(Role, Int)]

    var description: String {
        let list = checksums.map { "\($0.0.title) \($0.1)" }.joined(separator: ", ")
        return "The contestants of '\(measurement)' did not do the same work. Checksums: \(list)."
    }
}

/// The C library does not tell how much memory the process holds.
struct HeldBytesUnavailable: Error, CustomStringConvertible {
    var description: String {
        "The allocator does not report held bytes here. Use glibc 2.33 or later, or macOS."
    }
}
