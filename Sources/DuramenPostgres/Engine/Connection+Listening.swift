import CPostgres

extension Connection {
    /// Waits for a notification of a channel that the connection listens on.
    ///
    /// - Parameter seconds: How long to wait.
    /// - Returns: Whether one came; false after the time, or if the connection broke.
    func waitForNotice(timeout seconds: Double) -> Bool {
        let deadline = Deadline(seconds: seconds)
        var skipped = Reception()
        guard (try? checkUsable()) != nil,
            (try? receive(into: &skipped, RunLimits(deadline: deadline))) != nil
        else { return false }
        while let handle {
            if takeNotices(handle) { return true }
            if deadline.isPassed { return false }
            switch Socket.wait(
                PQsocket(handle), reading: true, writing: false,
                milliseconds: deadline.remainingMilliseconds)
            {
            case .none: continue
            case .broken: close()
            case .ready:
                if PQconsumeInput(handle) == 0 {
                    _ = takeNotices(handle)
                    close()
                }
            }
        }
        return false
    }

    private func takeNotices(_ handle: OpaquePointer) -> Bool {
        var hasAny = false
        while let notice = PQnotifies(handle) {
            hasAny = true
            PQfreemem(notice)
        }
        return hasAny
    }
}
