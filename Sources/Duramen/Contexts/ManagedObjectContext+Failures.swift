extension ManagedObjectContext {
    /// Tells of an object that could not be read, and has the next save throw the error too.
    func reportFaultFailure(of object: ManagedObject, _ error: any Error) {
        failures.record(error)
        onFaultFailure?(object, error)
    }

    /// The failures of reading and assigning that accessors could not throw. Said once.
    func takeFaultFailures() -> any Error {
        let errors = failures.take()
        for part in parts {
            for table in part.tables { table.forEach { $0.extra?.faultError = nil } }
        }
        return errors.count == 1 ? errors[0] : FaultFailures(errors: errors)
    }
}
