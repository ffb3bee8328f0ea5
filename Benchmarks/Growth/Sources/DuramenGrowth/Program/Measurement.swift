import CMeasure

/// What units of one size cost.
struct Cost {
    /// Nanoseconds, bytes or instructions of one unit.
    var unit: Double
    /// The same of the work to compare with.
    var reference: Double?
}

extension GrowthRow {
    /// Measures one round: processor time, or bytes where the limit is one of bytes.
    @MainActor
    func measure(_ kind: StoreKind, size: Int) throws -> Cost {
        let work = try prepare(kind, size)
        let units = Double(work.units)
        if let amount = work.amount { return Cost(unit: amount / units) }
        var cost = Cost(unit: try Self.nanoseconds(work.body) / units)
        if let reference = work.reference {
            cost.reference = try Self.nanoseconds(reference) / units
        }
        return cost
    }

    @MainActor
    private static func nanoseconds(_ body: @MainActor () throws -> Void) throws -> Double {
        let start = measure_processor_nanoseconds()
        try body()
        return Double(measure_processor_nanoseconds() - start)
    }

    /// Does the work where a counter of instructions finds it.
    @MainActor
    func runCounted(_ kind: StoreKind, size: Int) throws {
        var call = Call(try prepare(kind, size).body)
        // Sound: the call ends before `call` does, and nobody else knows its address.
        withUnsafeMutablePointer(to: &call) { pointer in
            measure_counted(
                { argument in
                    MainActor.assumeIsolated {
                        argument?.assumingMemoryBound(to: Call.self).pointee.run()
                    }
                }, pointer)
        }
        try call.result.get()
    }
}

/// A call with its result, as the counted function takes it.
private struct Call {
    let body: @MainActor () throws -> Void
    var result: Result<Void, any Error> = .success(())

    init(_ body: @escaping @MainActor () throws -> Void) { self.body = body }

    @MainActor mutating func run() { result = Result { try body() } }
}
