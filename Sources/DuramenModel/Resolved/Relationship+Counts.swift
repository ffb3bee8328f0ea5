extension Relationship {
    /// The reason why an object with a number of members cannot be saved.
    package enum CountProblem {
        /// The number is below the minimum, or above the maximum.
        case tooFew, tooMany
    }

    /// Returns why a number of members is not permitted; nil if it is.
    ///
    /// An optional relationship may be empty. So may a mandatory to-many without a minimum, as in
    /// Core Data.
    package func problem(ofCount count: Int) -> CountProblem? {
        if isOptional, count == 0 { return nil }
        if count < (isToMany ? minimumCount : 1) { return .tooFew }
        if isToMany, let maximumCount, count > maximumCount { return .tooMany }
        return nil
    }
}
