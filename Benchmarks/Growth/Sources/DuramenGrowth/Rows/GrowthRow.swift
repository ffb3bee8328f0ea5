import Duramen

/// Work whose cost per unit must stay what it is when there is ten times as much of it.
struct GrowthRow: Sendable {
    /// Its number in the table of targets; nil for what only must not grow.
    let number: String?
    let word: String
    /// What one unit is.
    let unit: String
    /// How many objects there are at first; the comparison has ten times as many.
    let size: Int
    /// How many there are at first where instructions are counted, which takes fifty times as long.
    let countedSize: Int
    /// The most that a unit may cost at the larger size.
    var must: Limit?
    /// How many times the cost of a unit may be that of ten times fewer.
    var growth = 1.2
    var stores = StoreKind.allCases
    /// Sets work up, given how many objects there are to be.
    let prepare: @MainActor (StoreKind, Int) throws -> Work

    /// A limit on what a unit costs.
    enum Limit: Sendable {
        case nanoseconds(Double)
        /// As many times the cost of other work with the same units.
        case times(Double)
        case bytes(Double)
    }
}

/// Work that is set up.
@MainActor
struct Work {
    /// How many units the body does.
    let units: Int
    /// What is measured.
    let body: @MainActor () throws -> Void
    /// Work to be compared with, measured after it.
    var reference: (@MainActor () throws -> Void)?
    /// What was measured while the work was set up, such as bytes; nil where its time counts.
    var amount: Double?

    init(
        units: Int, amount: Double? = nil, reference: (@MainActor () throws -> Void)? = nil,
        body: @escaping @MainActor () throws -> Void
    ) {
        self.units = units
        self.body = body
        self.reference = reference
        self.amount = amount
    }
}

extension GrowthRow {
    /// All rows, in the order of the table.
    static var all: [GrowthRow] {
        unsaved + relationships + lists + texts + reading + others + opening + objects
    }
}
