import CPostgres
import Dispatch
import DuramenModel
import DuramenStore
import Foundation

/// Opens connections by our own clock: libpq's `connect_timeout` does not count for connections
/// that are not waited for.
enum ConnectionOpening {
    /// Opens a connection.
    ///
    /// - Throws: `.storeUnavailable` if no server answers in time, `.permissionDenied`,
    ///   `.storeMissing` or another error by the server's SQLSTATE.
    static func open(
        _ settings: ConnectionSettings, within deadline: Deadline
    ) throws(StoreError) -> OpaquePointer {
        let parameters = try settings.libpqParameters()
        let place = settings.place
        if settings.isLocalSocket {
            return try establish(parameters, place, deadline, isAbandoned: { false })
        }
        // Names are resolved without a time-out, so a thread does that which can be left alone.
        let handoff = Handoff()
        Thread.detachNewThread {
            do throws(StoreError) {
                let handle = try establish(
                    parameters, place, deadline, isAbandoned: { handoff.isAbandoned })
                if !handoff.finish(.success(UInt(bitPattern: handle))) { PQfinish(handle) }
            } catch {
                _ = handoff.finish(.failure(error))
            }
        }
        switch handoff.wait(until: deadline) {
        case .success(let address):
            if let handle = OpaquePointer(bitPattern: address) { return handle }
            throw tooLate(place)
        case .failure(let error): throw error
        case nil: throw tooLate(place)
        }
    }

    private static func establish(
        _ parameters: [(name: String, value: String)], _ place: StorePlaceName,
        _ deadline: Deadline, isAbandoned: () -> Bool
    ) throws(StoreError) -> OpaquePointer {
        guard let handle = start(parameters) else {
            throw PostgresFailure(.connectionLost).storeError(place, during: "connect to")
        }
        var isOpen = false
        defer { if !isOpen { PQfinish(handle) } }
        // The server's errors as SQLSTATE alone: its words would have the name of the role.
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        // Otherwise libpq prints what the server tells.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        var polled = PGRES_POLLING_WRITING
        if PQstatus(handle) == CONNECTION_BAD { polled = PGRES_POLLING_FAILED }
        while polled != PGRES_POLLING_OK {
            if polled == PGRES_POLLING_FAILED { throw failure(handle, place) }
            if deadline.isPassed || isAbandoned() { throw tooLate(place) }
            let pause = min(deadline.remainingMilliseconds ?? 100, 100)
            let isReading = polled == PGRES_POLLING_READING
            switch Socket.wait(
                PQsocket(handle), reading: isReading, writing: !isReading, milliseconds: pause)
            {
            case .none: continue
            case .ready, .broken: polled = PQconnectPoll(handle)
            }
        }
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw failure(handle, place)
        }
        isOpen = true
        return handle
    }

    private static func start(_ parameters: [(name: String, value: String)]) -> OpaquePointer? {
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { (names + values).forEach { free($0) } }
        let (nameList, valueList) = (
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil]
        )
        return PQconnectStartParams(nameList, valueList, 0)
    }

    private static func tooLate(_ place: StorePlaceName) -> StoreError {
        StoreError(
            .storeUnavailable,
            "Cannot connect to '\(place)': the server did not answer in time; try again when it runs."
        )
    }

    /// The message of libpq about a failed connection is never passed on: it names roles and files.
    private static func failure(_ handle: OpaquePointer, _ place: StorePlaceName) -> StoreError {
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        if let state = sqlState(in: message) {
            return PostgresFailure(sqlState: state, words: "", statement: -1)
                .storeError(place, during: "connect to")
        }
        if PQconnectionNeedsPassword(handle) != 0 {
            return StoreError(
                .permissionDenied,
                "Cannot connect to '\(place)': the server wants a password; put it into ~/.pgpass "
                    + "or a service file.")
        }
        let remedy =
            remedies.first { message.contains($0.word) }?.remedy
            ?? "the server cannot be reached; check host and port, and try again when it runs."
        return StoreError(.storeUnavailable, "Cannot connect to '\(place)': \(remedy)")
    }

    /// The SQLSTATE at the end of a line, as `PQERRORS_SQLSTATE` has it; the last, since several
    /// hosts may have been tried.
    private static func sqlState(in message: String) -> String? {
        let lines = message.split(whereSeparator: \.isNewline)
        return lines.reversed().lazy.compactMap { line in
            line.firstMatch(of: /: +([0-9A-Z]{5}) *$/).map { String($0.1) }
        }.first
    }

    // The words are libpq's own; a translated libpq gets the general remedy.
    private static let remedies: [(word: String, remedy: String)] = [
        (
            "root certificate",
            "the root certificate that the server is verified with is missing; name it in "
                + "sslrootcert, or allow an unverified server."
        ),
        (
            "does not support SSL",
            "the server has no TLS; turn it on there, or allow an unverified server."
        ),
        (
            "channel binding",
            "the server does not bind the password to the TLS channel; use scram-sha-256 there."
        ),
        (
            "authentication method requirement",
            "the server wants the password in an unsafe form; use scram-sha-256 there."
        ),
        (
            "certificate",
            "the server's certificate could not be verified; check its name and sslrootcert."
        ),
    ]
}

/// Hands a connection from the thread that opens it to the one that waits.
private final class Handoff: Sendable {
    private enum State {
        case waiting, abandoned
        case done(Result<UInt, StoreError>)
    }

    private let state = Locked(State.waiting)
    private let semaphore = DispatchSemaphore(value: 0)

    var isAbandoned: Bool {
        state.withLock { if case .abandoned = $0 { true } else { false } }
    }

    /// Returns false if nobody waits any longer.
    func finish(_ result: Result<UInt, StoreError>) -> Bool {
        let isWanted = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .done(result)
            return true
        }
        semaphore.signal()
        return isWanted
    }

    /// Returns nil if the deadline passed.
    func wait(until deadline: Deadline) -> Result<UInt, StoreError>? {
        if let milliseconds = deadline.remainingMilliseconds {
            _ = semaphore.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
        } else {
            semaphore.wait()
        }
        return state.withLock { state in
            if case .done(let result) = state { return result }
            state = .abandoned
            return nil
        }
    }
}
