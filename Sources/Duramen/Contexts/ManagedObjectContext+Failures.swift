extension ManagedObjectContext {
    /// Reports an object that could not be loaded, and makes the next save throw the error.
    func reportFaultFailure(of object: ManagedObject, _ error: any Error) {
        failures.record(error)
        onFaultFailure?(object, error)
    }

    /// Returns and clears the errors of loading and assigning that accessors could not throw.
    func takeFaultFailures() -> any Error {
        let errors = failures.take()
        for part in parts {
            for table in part.tables { table.forEach { $0.extra?.faultError = nil } }
        }
        return errors.count == 1 ? errors[0] : FaultFailures(errors: errors)
    }
}
