import CPostgres

/// Records what the server tells besides results. Confined by its connection.
final class NoticeRecorder {
    /// Whether a warning came since the last reset.
    private(set) var hasWarned = false
    /// The SQLSTATE with which the server ended the connection between two statements.
    private(set) var fatalState: String?

    /// Forgets warnings.
    func reset() { hasWarned = false }

    /// Lets libpq call this recorder, which must live as long as the connection.
    func attach(to handle: OpaquePointer) {
        // Sound: the connection keeps the recorder until it has finished the handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let receiver: PQnoticeReceiver = { context, result in
            guard let context, let result else { return }
            // Sound: it is the recorder that was handed over.
            Unmanaged<NoticeRecorder>.fromOpaque(context).takeUnretainedValue().record(result)
        }
        _ = PQsetNoticeReceiver(handle, receiver, context)
    }

    private func record(_ result: OpaquePointer) {
        switch ServerError.field(duramen_pg_diag_severity, of: result) {
        case "WARNING": hasWarned = true
        case "FATAL", "PANIC": fatalState = ServerError.field(duramen_pg_diag_sqlstate, of: result)
        default: break
        }
    }
}

/// Reads the fields of an error that may be read: those without values.
enum ServerError {
    /// Returns a field of an error or a notice; empty if it has none.
    static func field(_ field: Int32, of result: OpaquePointer) -> String {
        PQresultErrorField(result, field).map { String(cString: $0) } ?? ""
    }

    /// Returns the failure that an error result tells of.
    static func failure(_ result: OpaquePointer, statement: Int) -> PostgresFailure {
        PostgresFailure(
            sqlState: field(duramen_pg_diag_sqlstate, of: result),
            words: field(duramen_pg_diag_primary, of: result), statement: statement)
    }

    /// Whether the server ended the connection with an error.
    static func isFatal(_ result: OpaquePointer) -> Bool {
        ["FATAL", "PANIC"].contains(field(duramen_pg_diag_severity, of: result))
    }
}
