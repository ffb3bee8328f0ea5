/// The treatment of faults while a closure runs; see ``ManagedObjectContext/faulting(_:_:)``.
public struct FaultingMode {
    enum Kind {
        case allowed
        case forbidden
        case reported((RoundTrip) -> Void)

        var isForbidden: Bool { if case .forbidden = self { true } else { false } }
    }

    let kind: Kind

    /// Loads faults as usual, inside a closure in which faults are otherwise forbidden.
    public static var allowed: FaultingMode { FaultingMode(kind: .allowed) }

    /// Makes faults errors: nothing is loaded from the store.
    public static var forbidden: FaultingMode { FaultingMode(kind: .forbidden) }

    /// Loads faults from the store, and calls a closure before each round trip.
    public static func reported(to report: @escaping (RoundTrip) -> Void) -> FaultingMode {
        FaultingMode(kind: .reported(report))
    }
}

extension ManagedObjectContext {
    /// Runs a closure in which loading faults is forbidden or reported. This covers properties and
    /// to-many members that are not in memory.
    ///
    /// ```swift
    /// let quakes = try context.fetch(FetchRequest<Quake>().prefetching(\.region))
    /// try context.faulting(.forbidden) { draw(quakes.map { ($0.code, $0.region?.name) }) }
    /// ```
    /// Where faults are forbidden, ``ManagedObject/load()`` and other throwing methods throw at
    /// once. A getter cannot throw. It returns the default or zero value and calls
    /// ``onFaultFailure``, and the first such error is thrown at the end of the closure. The error
    /// has no later effect: the object can be loaded, and the next save does not report it.
    /// Fetching, looking up by ID, refreshing and saving do not count as faults. Scopes can be
    /// nested; the inner one applies. Other contexts, including children, are not affected.
    ///
    /// - Parameters:
    ///   - mode: The treatment of faults.
    ///   - body: The closure.
    /// - Throws: Errors of the closure, or ``ContextError`` `.faultingForbidden`.
    public func faulting<Result>(
        _ mode: FaultingMode, _ body: () throws -> Result
    ) throws -> Result {
        let watch = RoundTripWatch(mode, in: roundTrips)
        let result = try watching(watch, body)
        if let error = watch.forbidden { throw error }
        return result
    }

    /// Runs a closure and throws if it makes more round trips to the store than allowed; for tests.
    ///
    /// ```swift
    /// try context.expectRoundTrips(atMost: 2) {
    ///     for quake in try context.fetch(FetchRequest<Quake>()) {
    ///         print(quake.region?.name ?? "")
    ///     }
    /// }
    /// ```
    /// Counts this context's fetches, saves and faults; a group of faults that is loaded together
    /// counts once.
    ///
    /// - Parameters:
    ///   - limit: The most round trips.
    ///   - body: The closure.
    /// - Throws: Errors of the closure, or ``ContextError`` `.tooManyRoundTrips`, whose message
    ///   lists the round trips.
    public func expectRoundTrips<Result>(
        atMost limit: Int, _ body: () throws -> Result
    ) throws -> Result {
        let watch = RoundTripWatch(nil, in: roundTrips)
        let result = try watching(watch, body)
        if watch.trips.count > limit {
            throw ContextError.tooManyRoundTrips(watch.trips, limit: limit)
        }
        return result
    }
}
