import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@Suite struct SQLiteConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aSQLiteStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { number in
                .sqlite("\(path)/\(number).sqlite").durability(.relaxed)
            })
        if case .skipped(let missing) = outcome, missing != .groupSaves {
            Issue.record("skipped for lack of \(missing)")
        }
    }

    /// Whatever wrote the rows, their checksums are right.
    @Test(
        .enabled(if: !isSlice, "a slice runs without checksums"), arguments: ConformanceSuite.cases)
    func aStoreWithChecksumsKeepsTheLaws(_ claim: ConformanceCase) throws {
        let folder = TemporaryFolder()
        let path = folder.path
        _ = try claim.run(
            StoreFixture(largeRowBytes: 2 << 20) { number in
                .sqlite("\(path)/\(number).sqlite").durability(.relaxed).rowChecksums()
            })
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        for file in files where file.hasSuffix(".sqlite") {
            let findings = try PersistentStoreDescription.sqlite("\(path)/\(file)").verifyStore()
            #expect(findings.filter { $0.message.contains("checksum") }.isEmpty)
            #expect(try rowsWithoutChecksum("\(path)/\(file)") == 0)
        }
    }

    /// The number of rows whose version has no checksum.
    private func rowsWithoutChecksum(_ file: String) throws -> Int {
        let tables = try RawDatabase.texts(
            file,
            "SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                + "WHERE m.type = 'table' AND m.name GLOB 'Z*' AND c.name = 'Z_OPT'")
        return try tables.reduce(0) { count, table in
            let rows = try RawDatabase.texts(
                file,
                "SELECT count(*) FROM \"\(table)\" AS t WHERE NOT EXISTS (SELECT 1 FROM "
                    + "DURAMEN_CHECKSUM AS c WHERE c.ZENT IN (SELECT Z_ENT FROM Z_PRIMARYKEY) "
                    + "AND c.ZROW = t.Z_PK "
                    + "AND substr(hex(c.ZCHECK), 1, 16) = printf('%016X', t.Z_OPT))")
            return count + (Int(rows[0]) ?? 0)
        }
    }
}
