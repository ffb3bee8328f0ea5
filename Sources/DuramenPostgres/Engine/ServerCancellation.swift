import CPostgres
import Dispatch
import Foundation

/// A request to the server to cancel what a connection runs.
final class ServerCancellation: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Sends a request on another thread, since libpq opens a connection of its own for it and
    /// waits.
    ///
    /// - Returns: Nil if libpq cannot.
    static func request(_ handle: OpaquePointer) -> ServerCancellation? {
        guard let cancel = PQgetCancel(handle) else { return nil }
        let address = UInt(bitPattern: cancel)
        let request = ServerCancellation()
        Thread.detachNewThread {
            guard let cancel = OpaquePointer(bitPattern: address) else { return }
            // A server that hangs up would end the process: unlike other functions of libpq, this
            // one does not keep the signal back.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(cancel, &message, Int32(message.count))
            PQfreeCancel(cancel)
            request.semaphore.signal()
        }
        return request
    }

    /// Waits until the server has passed the request on. A later statement is then out of danger:
    /// the server ignores requests that come between two statements.
    ///
    /// - Returns: False if the deadline passed.
    func wait(until deadline: Deadline) -> Bool {
        let milliseconds = Int(deadline.remainingMilliseconds ?? .max)
        guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
            return false
        }
        semaphore.signal()
        return true
    }
}
