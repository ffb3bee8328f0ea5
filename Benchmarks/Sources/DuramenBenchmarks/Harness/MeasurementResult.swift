/// The samples of a measurement: for each contestant one figure per operation and round.
struct MeasurementResult: Sendable {
    let name: String
    let title: String
    let store: StoreKind
    let unit: String
    let operation: String
    let operations: Int
    let rounds: Int
    let targets: [Target]
    /// Contestants in the order in which the measurement lists them.
    let roles: [Role]
    /// `samples[role]?[round]`, in the measurement's unit for one operation.
    let samples: [Role: [Double]]

    /// The middle of a contestant's figures; nil when it takes no part.
    func median(of role: Role) -> Double? {
        finite(samples[role].map(medianValue))
    }

    /// The median of the ratios of one round, which a drift of the machine's speed leaves alone.
    func ratio(of role: Role, to other: Role) -> Double? {
        pairwise(samples[role], samples[other], /)
    }

    /// The median of the differences of one round.
    func excess(of role: Role, over other: Role) -> Double? {
        pairwise(samples[role], samples[other], -)
    }

    /// The median of the ratios to figures of another measurement, taken in the same rounds.
    func ratio(of role: Role, toSamples others: [Double]?) -> Double? {
        pairwise(samples[role], others, /)
    }

    private func pairwise(
        _ figures: [Double]?, _ others: [Double]?, _ combine: (Double, Double) -> Double
    ) -> Double? {
        guard let figures, let others else { return nil }
        return finite(medianValue(zip(figures, others).map(combine)))
    }

    /// A ratio to nothing is no figure, and JSON could not say it.
    private func finite(_ value: Double?) -> Double? {
        value.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The middle of some values; between the two middle ones of an even count.
///
/// - Returns: Not a number for no values.
func medianValue(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
        ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
