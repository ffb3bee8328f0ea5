import ArgumentParser
import Duramen
import DuramenModel
import DuramenStore

/// `duramen import`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports JSON into a store without duplicates, or makes a store of an export.",
        discussion: """
            Of a file, each element updates the object with its natural key, or becomes a new one. The \
            file is a JSON array, or JSON Lines when its name ends in '.jsonl' or '.ndjson'. Exits with \
            1 when elements were refused. Of the folder of an export, all objects are copied under \
            their keys into a new or empty store. A store that does not exist is made.
            """)

    /// The handling of a property that an element does not have.
    enum Missing: String, ExpressibleByArgument, CaseIterable {
        case keep, null
    }

    /// The handling of destinations that an element does not name.
    enum ToMany: String, ExpressibleByArgument, CaseIterable {
        case replace, union
    }

    /// How dates are written.
    enum DateFormat: String, ExpressibleByArgument, CaseIterable {
        case iso8601, seconds, milliseconds

        var format: ImportDateFormat {
            switch self {
            case .iso8601: .iso8601
            case .seconds: .secondsSince1970
            case .milliseconds: .millisecondsSince1970
            }
        }
    }

    @Argument(help: "The store: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @Argument(help: "A file of JSON, or the folder of an export.")
    var file: String

    @Option(help: "The entity of the elements.")
    var entity: String?

    @Option(
        help: .init(
            "The attributes of the natural key; the first uniqueness constraint if none.",
            valueName: "attribute[,attribute]"))
    var match: String?

    @Option(
        help: .init(
            "The array in the document, such as '/features'.", valueName: "JSON pointer"))
    var at = ""

    @Option(
        help: .init(
            "Another key for a property, such as 'fullTitle=title'. It may be a JSON pointer.",
            valueName: "key=property"))
    var rename: [String] = []

    @Option(
        help: .init(
            "The natural key of the destinations of a relationship, such as 'author=name'.",
            valueName: "relationship=attribute[,attribute]"))
    var relationship: [String] = []

    @Option(help: "How dates are written: in ISO 8601, or as a number since 1970.")
    var date: DateFormat?

    @Option(help: "Whether a property that an element does not have keeps its value.")
    var missing = Missing.keep

    @Option(help: "Whether members of to-manys that an element does not name stay.")
    var toMany = ToMany.replace

    @Flag(help: "Import nothing when an element is refused.")
    var allOrNothing = false

    @OptionGroup var model: ModelArguments

    func validate() throws {
        for pair in rename + relationship {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            if parts.count < 2 || parts.contains(where: \.isEmpty) {
                throw ValidationError("'\(pair)' is not of the form 'name=value'.")
            }
        }
    }

    func run() throws {
        do {
            let folder = ExportFolder(file)
            if entity == nil, folder.exists {
                try ExportCopy(folder, into: NamedStore(store)).run()
            } else {
                try importFile()
            }
        } catch let error as StoreError {
            throw StoreFailure(error)
        }
    }

    // MARK: - A file

    private func importFile() throws {
        guard let entity else {
            throw ValidationError("Say with '--entity' what the elements of '\(file)' are.")
        }
        let named = NamedStore(store)
        let model = try model.model(for: named)
        guard let found = model.entity(named: entity) else {
            throw StoreError(
                .invalidRequest,
                "The model has no entity '\(entity)'; it has "
                    + model.entities.map(\.name).sorted().joined(separator: ", ") + ".")
        }
        var description = try named.description
        description.durability = .full
        let container = try PersistentContainer.open(
            name: "duramen", model: model, stores: [description])
        defer { try? container.close() }
        var settings = ContextOptions()
        settings.author = "duramen import"
        let context = container.makeContext(settings)
        var options = ImportOptions()
        options.failureHandling = allOrNothing ? .fail : .report
        let report: ImportReport
        do {
            report = try context.import(
                from: .file(file, at: at), into: found, options: options, map)
        } catch let error as ImportError {
            throw StoreError(.invalidRequest, error.message)
        }
        try show(report)
    }

    private func map(_ mapping: inout ImportMapping<ManagedObject>) {
        if let match { mapping.match(Self.list(match)) }
        for pair in rename {
            // A JSON pointer may have an equals sign, a property does not.
            let parts = pair.split(separator: "=")
            mapping.rename(
                parts.dropLast().joined(separator: "="), to: String(parts[parts.count - 1]))
        }
        for pair in relationship {
            let parts = pair.split(separator: "=", maxSplits: 1)
            mapping.relationship(String(parts[0])) { $0.match(Self.list(parts[1])) }
        }
        if let date { mapping.date(date.format) }
        mapping.missing = missing == .keep ? .keep : .setNil
        mapping.toMany = toMany == .replace ? .replace : .union
    }

    private static func list(_ text: some StringProtocol) -> [String] {
        String(text).split(separator: ",").map { String($0) }
    }

    private func show(_ report: ImportReport) throws {
        let counts = report.entities.sorted { $0.key < $1.key }
        Screen.print(
            lines: TextColumn.lines([
                TextColumn("name", counts.map(\.key), isNumber: false),
                TextColumn("inserted", counts.map { "\($0.value.inserted)" }),
                TextColumn("updated", counts.map { "\($0.value.updated)" }),
                TextColumn("unchanged", counts.map { "\($0.value.unchanged)" }),
            ]))
        for failure in report.failures { Screen.printNote("refused: \(failure)") }
        if report.failureCount == 0 { return }
        throw StoreError(
            .invalidRequest,
            "\(report.failureCount) of \(report.elementCount) elements were refused; the others are in the store."
        )
    }
}

/// Makes a store of an export.
struct ExportCopy {
    private let folder: ExportFolder
    private let store: NamedStore

    init(_ folder: ExportFolder, into store: NamedStore) {
        self.folder = folder
        self.store = store
    }

    func run() throws(StoreError) {
        let model = try folder.model()
        let isNew = !store.exists
        let opened = try store.make(model)
        do throws(StoreError) {
            let checksums = try ExportReader(folder, into: opened).read()
            try opened.close()
            Screen.print(ChecksumTable(checksums).lines)
        } catch {
            try? opened.close()
            // A store that was there and has objects stays as it is.
            if isNew { try? store.destroy() }
            throw error
        }
    }
}
