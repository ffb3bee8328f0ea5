import DuramenArchives
import Foundation
import StoreTestSupport
import Testing

/// Values of transformable attributes that Core Data wrote.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
struct CorpusArchiveTests {
    let folder = TemporaryFolder()

    /// The applications' own classes.
    static let classes: Set<String> = [
        "Content", "CoreDataPlus_Tests.Cover", "CoreDataPlus_Tests_macOS.Cover",
    ]

    @Test func everyArchiveIsWrittenAsCoreDataWroteIt() throws {
        let archives = try archives()
        #expect(archives.count == 106)
        var refused = 0
        for archive in archives {
            let value = try ArchivedValue(archive: archive, allowing: Self.classes)
            #expect(try value.archive() == archive)
            do throws(ArchiveError) {
                #expect(try ArchivedValue(archive: archive) == value)
            } catch {
                #expect(error.code == .classNotAllowed)
                refused += 1
            }
        }
        #expect(refused == 103)
    }

    /// All different archives in columns of entities.
    private func archives() throws -> Set<Data> {
        var found: Set<Data> = []
        for store in Corpus.stores {
            let path = try Corpus.copy(store, to: folder)
            let tables = try RawDatabase.texts(
                path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'")
            for table in tables where !table.hasPrefix("Z_") {
                let columns = try RawDatabase.texts(
                    path, "SELECT name FROM pragma_table_info('\(table)') WHERE type = 'BLOB'")
                for column in columns {
                    let values = try RawDatabase.texts(
                        path,
                        "SELECT DISTINCT hex(\"\(column)\") FROM \"\(table)\" "
                            + "WHERE substr(\"\(column)\", 1, 8) = x'62706c6973743030'")
                    found.formUnion(values.map(Self.data(hexadecimal:)))
                }
            }
        }
        return found
    }

    private static func data(hexadecimal text: String) -> Data {
        let digits = Array(text.utf8).map { $0 < 58 ? $0 - 48 : $0 - 55 }
        return Data(
            stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}
