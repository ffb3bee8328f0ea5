import DebianPackages
import Duramen
import DuramenMemory
import PackageImport
import PackageModel

/// The model is made once and shared; each test has a store of its own.
private let model = Result { try PackageGraph.model() }

/// A container over a fresh memory store.
@MainActor func makeContainer() throws -> PersistentContainer {
    try PersistentContainer.open(model: model.get(), stores: [.memory()])
}

extension PersistentContainer {
    /// Imports text in small chunks, so that even short texts take several.
    @MainActor @discardableResult
    func importing(_ text: String, stanzasPerChunk: Int = 2) async throws -> ImportSummary {
        try await PackageImporter(container: self, stanzasPerChunk: stanzasPerChunk)
            .run(PackageReader(bytes: Array(text.utf8)))
    }

    /// The package with an identifier, in the view context.
    @MainActor func package(_ identifier: String) throws -> Package? {
        let found = try viewContext.fetch(
            FetchRequest<Package>().where { $0.identifier == identifier })
        return found.first
    }
}

extension ToMany<Package> {
    /// The identifiers of the members, sorted.
    var identifiers: [String] { map(\.identifier).sorted() }
}

/// Five packages: with alternatives, a virtual package, a circle, and one that is not installed.
let sample = """
    Package: mailx
    Version: 8
    Architecture: amd64
    Status: install ok installed
    Section: mail
    Maintainer: Mail Team <mail@example.org>
    Installed-Size: 200
    Description: sends mail
    Depends: default-mta | mail-transport-agent, libc6 (>= 2)

    Package: exim4
    Version: 4
    Architecture: amd64
    Status: deinstall ok config-files
    Section: mail
    Maintainer: Mail Team <mail@example.org>
    Provides: mail-transport-agent
    Depends: libc6

    Package: libc6
    Version: 2.36
    Architecture: amd64
    Status: install ok installed
    Section: libs
    Depends: libgcc-s1

    Package: libgcc-s1
    Version: 12
    Architecture: amd64
    Status: install ok installed
    Section: libs
    Depends: libc6

    Package: doc
    Version: 1
    Architecture: all
    Homepage: https://example.org
    """
