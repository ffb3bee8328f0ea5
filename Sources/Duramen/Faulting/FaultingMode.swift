/// The treatment of faults while a closure runs; see ``ManagedObjectContext/faulting(_:_:)``.
public struct FaultingMode {
    enum Kind {
        case allowed
        case forbidden
        case reported((RoundTrip) -> Void)

        var isForbidden: Bool { if case .forbidden = self { true } else { false } }
    }

    let kind: Kind

    /// They are read from the store, as everywhere; for a part of a closure in which they are
    /// forbidden.
    public static var allowed: FaultingMode { FaultingMode(kind: .allowed) }

    /// They are errors: nothing is read from the store.
    public static var forbidden: FaultingMode { FaultingMode(kind: .forbidden) }

    /// Faults are loaded from the store, and a closure is called before each round trip.
    public static func reported(to report: @escaping (RoundTrip) -> Void) -> FaultingMode {
        FaultingMode(kind: .reported(report))
    }
}

extension ManagedObjectContext {
    /// Runs a closure in which loading faults is forbidden or reported. This covers reads of
    /// properties and of to-manys' members that are not in memory.
    ///
    /// ```swift
    /// let quakes = try context.fetch(FetchRequest<Quake>().prefetching(\.region))
    /// try context.faulting(.forbidden) { draw(quakes.map { ($0.code, $0.region?.name) }) }
    /// ```
    /// Where faults are forbidden, ``ManagedObject/load()`` and what else throws do so at once. A
    /// getter cannot throw: it gives the default or zero value and tells ``onFaultFailure``, and
    /// the first such error is thrown at the end of the closure. Nothing of it is left then: the
    /// object can be read, and the next save does not mind. Fetching, looking up by ID, refreshing
    /// and saving are no faults. Scopes may be nested; the inner one counts. Other contexts,
    /// children too, are not concerned.
    ///
    /// - Throws: What the closure throws, or ``ContextError`` `.faultingForbidden`.
    public func faulting<Result>(
        _ mode: FaultingMode, _ body: () throws -> Result
    ) throws -> Result {
        let watch = RoundTripWatch(mode, in: roundTrips)
        let result = try watching(watch, body)
        if let error = watch.forbidden { throw error }
        return result
    }

    /// Runs a closure that may go to the store so many times, for tests of programs.
    ///
    /// ```swift
    /// try context.expectRoundTrips(atMost: 2) {
    ///     for quake in try context.fetch(FetchRequest<Quake>()) { print(quake.region?.name ?? "") }
    /// }
    /// ```
    /// Counted are the trips of this context, faults and fetches and saves alike, one for each
    /// group of objects that is read together.
    ///
    /// - Throws: What the closure throws, or ``ContextError`` `.tooManyRoundTrips`, whose message
    ///   says what they were for.
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
