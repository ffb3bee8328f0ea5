import ArgumentParser
import DuramenModel
import DuramenModelFile

/// `duramen model diff`
struct ModelDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Names every change between two versions, and whether inference settles it.",
        discussion: """
            With one path, the versions are two of a bundle: --to, or the current one, and --from, or the one \
            before it by name. With two paths, they are the current versions there. Exits with 1 when some change needs a migration that \
            somebody writes.
            """)

    @Argument(help: "A bundle, or two of anything that holds a model.")
    var paths: [String]

    @Option(help: .init("The older version of the bundle.", valueName: "name"))
    var from: String?

    @Option(help: .init("The newer version of the bundle.", valueName: "name"))
    var to: String?

    func validate() throws {
        guard (1...2).contains(paths.count) else { throw ValidationError("Give one or two paths.") }
        if paths.count == 2, from != nil || to != nil {
            throw ValidationError("'--from' and '--to' choose among the versions of one bundle.")
        }
    }

    func run() throws {
        let isInferable: Bool
        do throws(ModelFileError) {
            let (old, new) = try versions
            let comparison = ModelComparison(from: old.document, to: new.document)
            Screen.print(lines: comparison.changes.map(\.description))
            Screen.print("\(old.name) -> \(new.name): \(Self.summary(comparison))")
            isInferable = comparison.isInferable
        } catch {
            throw ModelFailure(error)
        }
        if !isInferable { throw ExitCode(1) }
    }

    private var versions: (ModelBundle.Version, ModelBundle.Version) {
        get throws(ModelFileError) {
            let bundle = try ModelBundle(path: paths[0])
            if paths.count == 2 {
                let other = try ModelBundle(path: paths[1])
                return (
                    try bundle.requiredCurrentVersion(), try other.requiredCurrentVersion()
                )
            }
            let new =
                if let to { try bundle.version(named: to) } else {
                    try bundle.requiredCurrentVersion()
                }
            if let from { return (try bundle.version(named: from), new) }
            let before = bundle.versions.prefix { $0.name != new.name }.last
            guard let old = before else {
                let count = bundle.versionCount
                let others = count.inOldFormat > 0 ? " (\(count.remark))" : ""
                throw ModelFileError(
                    .notFound, path: paths[0],
                    "no version stands before '\(new.name)'\(others); name one with '--from'.")
            }
            return (old, new)
        }
    }

    private static func summary(_ comparison: ModelComparison) -> String {
        if comparison.isEmpty { return "no change" }
        let count = comparison.changes.count
        let changes = "\(count) change\(count == 1 ? "" : "s")"
        if comparison.needsNoMigration { return "\(changes), stores open as they are" }
        return comparison.isInferable
            ? "\(changes), a migration is inferred" : "\(changes), a migration has to be written"
    }
}
