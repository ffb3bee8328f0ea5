extension Relationship {
    /// Why an object with so many members is not saved.
    package enum CountProblem {
        case tooFew, tooMany
    }

    /// What a number of members has against it; nil when it is permitted.
    ///
    /// An optional relationship may be empty. So may a mandatory to-many without a minimum, as Core
    /// Data has it.
    package func problem(ofCount count: Int) -> CountProblem? {
        if isOptional, count == 0 { return nil }
        if count < (isToMany ? minimumCount : 1) { return .tooFew }
        if isToMany, let maximumCount, count > maximumCount { return .tooMany }
        return nil
    }
}
