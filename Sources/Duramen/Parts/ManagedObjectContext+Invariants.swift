extension ManagedObjectContext {
    /// What is wrong with the state of the parts; nothing when all is well.
    ///
    /// - Complexity: O(*n*) in the number of objects with changes. Tests ask between their steps.
    var brokenInvariants: [String] {
        parts.flatMap { part in
            [
                part.reading.brokenInvariant, part.tracker.brokenInvariant,
                part.ledger.brokenInvariant, part.identity.brokenInvariant,
            ].compactMap(\.self)
        }
    }
}
