import Duramen

/// The errors that the library documents.
enum TypedError {
    /// The code of an error in `docs/errors.md`, with the type before it unless it is a store's;
    /// nil for any other error, which no function of the library may throw.
    static func code(of error: any Error) -> String? {
        switch error {
        case let error as StoreError: error.code.rawValue
        case let error as ContextError: "context.\(error.code.rawValue)"
        case is SaveConflictError: "conflict"
        case is ValidationError: "validation"
        case let failures as FaultFailures:
            failures.errors.lazy.compactMap { code(of: $0) }.first.map { "faults.\($0)" }
        default: nil
        }
    }

    /// What a worker says of an error: `WORD CODE`, or `wrong TEXT` for one that no documentation
    /// knows; the action that failed comes between.
    static func answer(_ error: any Error, _ word: String, of action: String? = nil) -> String {
        let action = action.map { $0 + " " } ?? ""
        return code(of: error).map { "\(word) \(action)\($0)" } ?? "wrong \(action)\(line(error))"
    }

    /// The text in one line.
    static func line(_ error: any Error) -> String {
        String("\(error)".map { $0.isNewline ? " " : $0 })
    }
}
