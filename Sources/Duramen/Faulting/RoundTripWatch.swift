import DuramenModel

/// What a context is to do about its trips to the store, while somebody wants to know.
final class RoundTripWatch {
    private let mode: FaultingMode?
    /// What the scope around this one wants.
    private let outer: RoundTripWatch?
    private(set) var trips: [RoundTrip] = []
    /// Why a getter, which cannot throw, had no value.
    private(set) var forbidden: (any Error)?
    /// How deep the context is in work of its own, such as a save, whose reads are no faults of the
    /// application.
    private var ownWork = 0

    /// - Parameter mode: What becomes of faults; nil for what the scope around says.
    init(_ mode: FaultingMode?, in outer: RoundTripWatch?) {
        self.mode = mode
        self.outer = outer
    }

    func beginOwnWork() { ownWork += 1 }

    func endOwnWork() { ownWork -= 1 }

    /// - Throws: ``ContextError`` `.faultingForbidden`.
    func checkFault(
        of object: ManagedObject, _ propertyName: @autoclosure () -> String?
    ) throws {
        if ownWork > 0 { return }
        switch mode?.kind {
        case .forbidden: throw ContextError.faultingForbidden(of: object, propertyName())
        case .allowed, .reported: return
        case nil: try outer?.checkFault(of: object, propertyName())
        }
    }

    func countFault(of object: ManagedObject, _ propertyName: String?, _ objectCount: Int) {
        let trip = RoundTrip(
            .fault, object.entity.name, propertyName, object.objectID, objectCount)
        record(trip)
        report(trip)
    }

    private func report(_ trip: RoundTrip) {
        switch mode?.kind {
        case .reported(let report): report(trip)
        case .allowed, .forbidden: return
        case nil: outer?.report(trip)
        }
    }

    func record(_ trip: RoundTrip) {
        trips.append(trip)
        outer?.record(trip)
    }

    /// Keeps an error of this scope that a getter cannot throw, for the end of the scope.
    ///
    /// - Returns: Whether the error is one of this scope.
    func keepsForbidden(
        _ error: any Error, _ object: ManagedObject, in part: ContextPart
    ) -> Bool {
        guard (error as? ContextError)?.code == .faultingForbidden else { return false }
        guard mode?.kind.isForbidden == true else {
            return outer?.keepsForbidden(error, object, in: part) ?? false
        }
        forbidden = forbidden ?? error
        part.context.onFaultFailure?(object, error)
        return true
    }
}

extension ManagedObjectContext {
    /// Runs a closure with another watch.
    func watching<Result>(
        _ watch: RoundTripWatch, _ body: () throws -> Result
    ) rethrows -> Result {
        noticeStores()
        let outer = roundTrips
        roundTrips = watch
        defer { roundTrips = outer }
        return try body()
    }
}

extension ContextPart {
    /// Notes that the context goes to its store, if somebody wants to know.
    @inline(__always)
    func countRoundTrip(_ trip: @autoclosure () -> RoundTrip) {
        if let roundTrips { roundTrips.record(trip()) }
    }
}

extension ManagedObject {
    /// The name of the property in a slot.
    final func propertyName(ofSlot slot: Int) -> String {
        plan.relationship(forSlot: slot)?.name ?? name(ofSlot: slot)
    }
}
