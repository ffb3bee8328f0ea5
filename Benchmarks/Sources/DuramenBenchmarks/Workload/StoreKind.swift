/// The engines whose C interface Duramen's stores are measured beside.
enum StoreKind: String, Sendable {
    case sqlite
    case lmdb

    /// Who takes the engine's C interface, and is the limit of what Duramen can reach over it.
    var raw: Role {
        switch self {
        case .sqlite: .raw
        case .lmdb: .rawLMDB
        }
    }
}
