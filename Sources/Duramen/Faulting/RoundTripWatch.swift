import DuramenModel

/// Records and restricts the round trips of a context while a closure runs.
final class RoundTripWatch {
    private let mode: FaultingMode?
    /// The watch of the enclosing scope.
    private let outer: RoundTripWatch?
    private(set) var trips: [RoundTrip] = []
    /// The first error of a getter, which could not throw it.
    private(set) var forbidden: (any Error)?
    /// The nesting depth of the context's own work, such as a save, whose reads are not faults of
    /// the application.
    private var ownWork = 0

    /// - Parameters:
    ///   - mode: The treatment of faults; nil for that of the enclosing scope.
    ///   - outer: The watch of the enclosing scope.
    init(_ mode: FaultingMode?, in outer: RoundTripWatch?) {
        self.mode = mode
        self.outer = outer
    }

    func beginOwnWork() { ownWork += 1 }

    func endOwnWork() { ownWork -= 1 }

    /// Throws if faults are forbidden.
    ///
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

    /// Keeps an error of this scope that a getter cannot throw, until the end of the scope.
    ///
    /// - Returns: Whether the error belongs to this scope or an enclosing one.
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
    /// Records a round trip, if a watch is active.
    @inline(__always)
    func countRoundTrip(_ trip: @autoclosure () -> RoundTrip) {
        if let roundTrips { roundTrips.record(trip()) }
    }
}

extension ManagedObject {
    /// Returns the name of the property in a slot.
    final func propertyName(ofSlot slot: Int) -> String {
        plan.relationship(forSlot: slot)?.name ?? name(ofSlot: slot)
    }
}
