import CPostgres

extension Connection {
    /// Waits for notices of a channel that the connection listens on.
    ///
    /// - Parameter seconds: How long to wait.
    /// - Returns: The texts of the notices; none after the time, or if the connection broke.
    func waitForNotices(seconds: Double) -> [String] {
        let deadline = Deadline(seconds: seconds)
        var skipped = Reception()
        guard (try? checkUsable()) != nil,
            (try? receive(into: &skipped, RunLimits(deadline: deadline))) != nil
        else { return [] }
        while let handle {
            let notices = takeNotices(handle)
            if !notices.isEmpty || deadline.isPassed { return notices }
            switch Socket.wait(
                PQsocket(handle), reading: true, writing: false,
                milliseconds: deadline.remainingMilliseconds)
            {
            case .none: continue
            case .broken: close()
            case .ready:
                if PQconsumeInput(handle) == 0 {
                    let last = takeNotices(handle)
                    close()
                    return last
                }
            }
        }
        return []
    }

    private func takeNotices(_ handle: OpaquePointer) -> [String] {
        var texts: [String] = []
        while let notice = PQnotifies(handle) {
            texts.append(notice.pointee.extra.map { String(cString: $0) } ?? "")
            PQfreemem(notice)
        }
        return texts
    }
}
