import Foundation

/// Waits for and closes the socket of a connection.
enum Socket {
    /// The work that a socket is ready for.
    enum Readiness {
        /// Nothing happened in time.
        case none
        /// It can be read or written.
        case ready
        /// It is not a socket any more.
        case broken
    }

    /// Waits until a socket can be read, or written.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - reading: Whether to wait for something to read.
    ///   - writing: Whether to wait until something can be written.
    ///   - milliseconds: How long to wait; nil for ever.
    static func wait(
        _ descriptor: Int32, reading: Bool, writing: Bool, milliseconds: Int32?
    ) -> Readiness {
        guard descriptor >= 0 else { return .broken }
        var events: Int32 = 0
        if reading { events |= Int32(POLLIN) }
        if writing { events |= Int32(POLLOUT) }
        var file = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        let count = poll(&file, 1, milliseconds ?? -1)
        // A signal is like a time-out: the caller looks at its clock and waits again.
        if count < 0 { return errno == EINTR ? .none : .broken }
        if count == 0 { return .none }
        // An error or an end of the stream is found by reading.
        return file.revents & Int16(POLLNVAL) != 0 ? .broken : .ready
    }

    /// Closes this process's copy of a descriptor.
    static func close(_ descriptor: Int32) {
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
    }
}
