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
        // The ID of a new object that its parent has saved since is not looked up any more.
        let unmarked = ledger.deletedElsewhere.first { id in
            guard let object = registeredHere(id), object.objectID == id else { return false }
            return !object.isFault && !object.flags.contains(.deletedElsewhere)
        }
        return unmarked.map { "\($0) is deleted elsewhere for the ledger only" }
    }
}
