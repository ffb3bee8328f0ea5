import DebianPackages
public import Duramen
import PackageModel

/// Imports a file of packages into a store that lists none yet, by batch requests: rows are filled
/// from stanzas, and no object is made.
///
/// ```
///   pass 1: names, sections, maintainers ──► three requests
///   pass 2: stanzas ──► one request, whose rows lead to these by name
/// ```
/// Each request is there whole or not at all. Memory stays at a part of a request beside the names,
/// which are some forty megabytes for a whole distribution.
public struct PackageBatches: Sendable {
    /// Why nothing was imported.
    public enum Refusal: Error, Equatable, CustomStringConvertible {
        /// The store lists packages, which a batch would not take away from where they are.
        case storeListsPackages(Int)
        /// The input can be read once only.
        case inputIsNoFile(String)

        /// The reason, and what to do.
        public var description: String {
            switch self {
            case .storeListsPackages(let count):
                "The store lists \(count) packages already. Import without --batches to update them."
            case .inputIsNoFile(let path):
                "\(path) is no file that can be read twice. Write it to one, or import without --batches."
            }
        }
    }

    private let container: PersistentContainer

    /// Creates an importer.
    public init(container: PersistentContainer) { self.container = container }

    /// Imports the packages of a file.
    ///
    /// - Parameter path: A file in the format that ``PackageReader`` takes.
    /// - Throws: ``Refusal``; `PackageReaderError` when the file cannot be read to its end; what
    ///   the store throws.
    public nonisolated(nonsending) func run(path: String) async throws -> ImportSummary {
        let background = container.newBackgroundContext(
            ContextOptions(
                name: "import", author: "PackageBatches",
                automaticallyMergesChangesFromParent: false,
                mergePolicy: .mergeByPropertyObjectTrump))
        return try await background.perform { context in
            let listed = try context.listedPackageCount()
            if listed > 0 { throw Refusal.storeListsPackages(listed) }
            let survey = try PackageSurvey(path: path)
            try survey.insertNames(into: context)
            try insertPackages(of: path, survey, into: context)
            return survey.summary
        }
    }

    private func insertPackages(
        of path: String, _ survey: PackageSurvey, into context: ManagedObjectContext
    ) throws {
        var stanzas = NumberedStanzas(try PackageReader(path: path))
        try context.execute(
            BatchInsertRequest(Package.self) { row in
                while let (number, identifier, stanza) = try stanzas.next() {
                    // Of two stanzas for one package, the later one holds.
                    if survey.isLast(number, of: identifier) {
                        fill(row, identifier, stanza)
                        row[\.state] = survey.state(of: identifier)
                        return false
                    }
                }
                return true
            })
    }

    private func fill(_ row: BatchRow<Package>, _ identifier: String, _ stanza: PackageStanza) {
        row[\.identifier] = identifier
        row[\.version] = stanza.version
        row[\.architecture] = stanza.architecture
        row[\.synopsis] = stanza.synopsis
        row[\.homepage] = stanza.homepage
        row[\.installedSizeKiB] = stanza.installedSizeKiB
        row[\.section, \.name] = stanza.section
        row[\.maintainer, \.contact] = stanza.maintainer?.description
        let dependencies = Set(stanza.dependencyNames)
        row[\.dependencies, \.identifier] = Array(dependencies)
        row[\.alternatives, \.identifier] = stanza.alternativeNames.filter {
            !dependencies.contains($0)
        }
        row[\.provides, \.identifier] = stanza.providedNames
    }
}
