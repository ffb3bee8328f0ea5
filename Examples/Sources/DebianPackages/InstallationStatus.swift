/// The three words of a `Status` field: what is wanted, whether an error stands, what is the case.
public struct InstallationStatus: Sendable, Hashable, CustomStringConvertible {
    /// The selection, such as `install`, `hold` or `deinstall`.
    public var selection: String
    /// The error flag: `ok`, or `reinstreq` for a package that must be installed again.
    public var flag: String
    /// The state, such as `installed`, `unpacked` or `config-files`.
    public var state: String

    /// Creates a status from its three words.
    public init(selection: String, flag: String, state: String) {
        self.selection = selection
        self.flag = flag
        self.state = state
    }

    /// Whether the package is installed and configured.
    public var isInstalled: Bool { state == "installed" }

    /// The three words, as the file has them.
    public var description: String { "\(selection) \(flag) \(state)" }

    /// Reads the three words, or returns `nil` when there are more or fewer.
    init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count == 3 else { return nil }
        self.init(
            selection: String(words[0]), flag: String(words[1]), state: String(words[2]))
    }
}
