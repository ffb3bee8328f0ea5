/// A limit on a figure.
enum Bound: Equatable, Sendable {
    case atMost(Double)
    case atLeast(Double)

    func holds(for value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }

    /// The bound as reports print it.
    func text(unit: String) -> String {
        switch self {
        case .atMost(let limit): "<= \(figureText(limit)) \(unit)"
        case .atLeast(let limit): ">= \(figureText(limit)) \(unit)"
        }
    }
}

/// A figure of a measurement with the line it must keep and the line it aims at.
struct Target: Sendable {
    let label: String
    let unit: String
    let must: Bound?
    let aim: Bound?
    /// The figure; nil while a contestant it needs does not take part.
    let figure: @Sendable (MeasurementResult) -> Double?

    init(
        _ label: String, unit: String, must: Bound?, aim: Bound?,
        figure: @escaping @Sendable (MeasurementResult) -> Double?
    ) {
        self.label = label
        self.unit = unit
        self.must = must
        self.aim = aim
        self.figure = figure
    }

    /// Duramen's cost as a multiple of another contestant's.
    static func ratio(to role: Role, must: Double?, aim: Double?) -> Target {
        Target(
            "of \(role.title)", unit: "x", must: must.map(Bound.atMost),
            aim: aim.map(Bound.atMost)
        ) { $0.ratio(of: .duramen, to: role) }
    }

    /// How many times less than another contestant Duramen costs.
    static func faster(than role: Role, must: Double?, aim: Double?) -> Target {
        Target(
            "faster than \(role.title)", unit: "x", must: must.map(Bound.atLeast),
            aim: aim.map(Bound.atLeast)
        ) { $0.ratio(of: role, to: .duramen) }
    }

    /// Duramen's cost of one operation as it is.
    static func absolute(_ unit: String, must: Double?, aim: Double?) -> Target {
        Target(
            "each", unit: unit, must: must.map(Bound.atMost), aim: aim.map(Bound.atMost)
        ) {
            $0.median(of: .duramen)
        }
    }

    /// Duramen's cost of one operation less that of another contestant.
    static func over(_ role: Role, must: Double?, aim: Double?) -> Target {
        Target(
            "over \(role.title)", unit: "ns", must: must.map(Bound.atMost),
            aim: aim.map(Bound.atMost)
        ) {
            $0.excess(of: .duramen, over: role)
        }
    }

    /// Which part of its speed Duramen keeps that it has alone.
    static func speedKept(must: Double?, aim: Double?) -> Target {
        Target(
            "of the speed alone", unit: "x", must: must.map(Bound.atLeast),
            aim: aim.map(Bound.atLeast)
        ) { $0.ratio(of: .duramenAlone, to: .duramen) }
    }

    /// Which part of its speed raw SQLite keeps that it has alone, for comparison.
    static var rawSpeedKept: Target {
        Target("raw SQLite, of the speed alone", unit: "x", must: nil, aim: nil) {
            $0.ratio(of: .rawAlone, to: .raw)
        }
    }

    /// Duramen's cost of one operation less that of the empty loop.
    static func overEmptyLoop(must: Double, aim: Double) -> Target {
        Target("over an empty loop", unit: "ns", must: .atMost(must), aim: .atMost(aim)) {
            $0.excess(of: .duramen, over: .empty)
        }
    }
}

/// How a figure stands to its target.
enum Verdict: String, Sendable {
    case pass
    case miss = "MISS"
    /// There is no line to keep, only one to aim at.
    case none = "-"
    /// A contestant is missing, so there is no figure.
    case absent

    init(_ target: Target, figure: Double?) {
        guard let figure, figure.isFinite else {
            self = .absent
            return
        }
        guard let must = target.must else {
            self = .none
            return
        }
        self = must.holds(for: figure) ? .pass : .miss
    }
}
