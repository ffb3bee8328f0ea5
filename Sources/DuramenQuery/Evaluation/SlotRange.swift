import DuramenModel

/// A number type that slots have in place.
protocol InPlaceNumber: Comparable, Hashable, Sendable {
    /// The smallest and the greatest number.
    static var bounds: (Self, Self) { get }
    /// The next greater number; nil after the greatest.
    var successor: Self? { get }
    /// The next smaller number; nil before the smallest.
    var predecessor: Self? { get }
    static func read(_ row: Row, _ slot: Int) -> Self
}

extension Int64: InPlaceNumber {
    static var bounds: (Int64, Int64) { (.min, .max) }
    var successor: Int64? { self == .max ? nil : self + 1 }
    var predecessor: Int64? { self == .min ? nil : self - 1 }
    static func read(_ row: Row, _ slot: Int) -> Int64 { row.integer(slot) }
}

extension Double: InPlaceNumber {
    static var bounds: (Double, Double) { (-.infinity, .infinity) }
    var successor: Double? { self == .infinity ? nil : nextUp }
    var predecessor: Double? { self == -.infinity ? nil : nextDown }
    static func read(_ row: Row, _ slot: Int) -> Double { row.double(slot) }
}

/// A range of a slot that is equivalent to a comparison of a number with a constant.
///
/// One form for all operators makes one loop over rows, and two ranges on one slot also make one.
struct SlotRange<Number: InPlaceNumber>: Sendable {
    let slot: Int
    /// The bounds, both included; the range is empty if they are in the wrong order.
    private var lowest: Number
    private var highest: Number
    /// The result inside of the range; outside it is the opposite.
    private var inside = true
    private var whenNull = false

    /// Creates a range between two numbers, both included. Neither is NaN: ``ComparisonCheck``
    /// rejects it.
    init(slot: Int, from lowest: Number, to highest: Number) {
        self.slot = slot
        self.lowest = lowest
        self.highest = highest
    }

    /// Creates a range with one result for all numbers, and one for null.
    init(slot: Int, everyNumber: Bool, null: Bool) {
        let (smallest, greatest) = Number.bounds
        self.init(slot: slot, from: greatest, to: smallest)
        (inside, whenNull) = (!everyNumber, null)
    }

    /// Creates the range of the numbers that satisfy an operator.
    init(slot: Int, _ relation: PredicateComparison.Operator, _ value: Number) {
        let (smallest, greatest) = Number.bounds
        switch relation {
        case .equal: self.init(slot: slot, from: value, to: value)
        case .notEqual:
            self.init(slot: slot, from: value, to: value)
            (inside, whenNull) = (false, true)
        case .lessOrEqual: self.init(slot: slot, from: smallest, to: value)
        case .greaterOrEqual: self.init(slot: slot, from: value, to: greatest)
        case .less where value.predecessor != nil:
            self.init(slot: slot, from: smallest, to: value.predecessor ?? value)
        case .greater where value.successor != nil:
            self.init(slot: slot, from: value.successor ?? value, to: greatest)
        default: self.init(slot: slot, everyNumber: false, null: false)
        }
    }

    /// Returns the result of the comparison for a row.
    @inline(__always) func holds(_ row: Row) -> Bool {
        if row.isNull(slot) { return whenNull }
        let value = Number.read(row, slot)
        return (lowest <= value && value <= highest) == inside
    }

    /// Returns the range of both conditions; nil if they do not form a range.
    func intersection(_ other: SlotRange) -> SlotRange? {
        guard slot == other.slot, inside, other.inside else { return nil }
        var both = SlotRange(
            slot: slot, from: max(lowest, other.lowest), to: min(highest, other.highest))
        both.whenNull = whenNull && other.whenNull
        return both
    }
}
