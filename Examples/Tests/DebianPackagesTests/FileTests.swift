import DebianPackages
import Foundation
import Testing

private let databasePath = "/var/lib/dpkg/status"

@Suite struct FileTests {
    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: databasePath)))
    func theDatabaseOfThisMachineIsReadWhole() throws {
        let reader = try PackageReader(path: databasePath)
        var names: [String] = []
        for entry in reader {
            switch entry {
            case .package(let stanza):
                names.append(stanza.name)
                #expect(stanza.status != nil)
                #expect(stanza.synopsis != nil)
            case .malformed(let stanza):
                // dpkg keeps what it remembers of packages that are gone without a version.
                #expect(
                    stanza.problems.allSatisfy { $0.reason == .missingField("Version") },
                    "\(stanza)")
                names.append(stanza.packageName ?? "")
            case .unreadable(let error):
                throw error
            }
        }
        let text = try String(contentsOfFile: databasePath, encoding: .utf8)
        let expected = text.split(separator: "\n").filter { $0.hasPrefix("Package: ") }
        #expect(names == expected.map { String($0.dropFirst("Package: ".count)) })
        #expect(reader.progress.fraction == 1)
    }

    @Test func aFileThatIsNotThereIsAnErrorThatNamesIt() {
        let error = #expect(throws: PackageReaderError.self) {
            try PackageReader(path: "/nowhere/Packages")
        }
        #expect(error?.systemErrorCode == ENOENT)
        #expect(error?.description.contains("'/nowhere/Packages'") == true)
    }

    @Test func aFolderIsUnreadable() throws {
        let entries = Array(try PackageReader(path: "/"))
        #expect(entries == [.unreadable(PackageReaderError(path: "/", systemErrorCode: EISDIR))])
    }

    @Test func aPipeHasNoTotal() throws {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // Open both ways, so that neither end waits for the other.
        let pipe = try FileHandle(forUpdating: URL(filePath: path))
        let text = Data("Package: a\nVersion: 1\n".utf8)
        try pipe.write(contentsOf: text)
        let reader = try PackageReader(path: path)
        try pipe.close()
        #expect(Array(reader).count == 1)
        #expect(
            reader.progress == PackageReader.Progress(bytesRead: text.count, totalBytes: nil))
    }
}
