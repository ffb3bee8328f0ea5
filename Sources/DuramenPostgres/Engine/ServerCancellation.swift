import CPostgres
import Foundation

/// Asks the server to cancel what a connection runs.
enum ServerCancellation {
    /// Sends the request on another thread, since libpq opens a connection of its own for it and
    /// waits.
    static func request(_ handle: OpaquePointer) {
        guard let cancel = PQgetCancel(handle) else { return }
        let address = UInt(bitPattern: cancel)
        Thread.detachNewThread {
            guard let cancel = OpaquePointer(bitPattern: address) else { return }
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(cancel, &message, Int32(message.count))
            PQfreeCancel(cancel)
        }
    }
}
