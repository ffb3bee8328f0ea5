extension ManagedObjectContext {
    /// The broken invariants of the parts; empty if there are none.
    ///
    /// - Complexity: O(*n*) in the number of objects with changes. Tests check it between their
    ///   steps.
    var brokenInvariants: [String] {
        parts.flatMap { part in
            [
                part.reading.brokenInvariant, part.tracker.brokenInvariant,
                part.ledger.brokenInvariant, part.identity.brokenInvariant,
                part.brokenInvariantOfDeletions,
            ].compactMap(\.self)
        }
    }
}

extension ContextPart {
    fileprivate var brokenInvariantOfDeletions: String? {
        let unmarked = ledger.deletedElsewhere.compactMap(registeredHere).first {
            !$0.flags.contains(.deletedElsewhere)
        }
        return unmarked.map { "\($0.objectID) is deleted elsewhere for the ledger only" }
    }
}
