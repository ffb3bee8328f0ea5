import Foundation
import StoreTestSupport
import Testing

/// Stores that another program than `duramen` knows.
@Suite struct OtherProgramTests {
    private let folder = TemporaryFolder()

    @Test func aProgramInTheWorkingDirectoryIsNotStarted() throws {
        let program = folder.file("duramen-postgres")
        try writeFile(program, "#!/bin/sh\necho started\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        // The program beside `duramen`, if it is built, refuses the command.
        let tool = try Tool("no-such-command", "postgres:none", foundInPathFrom: folder.path)
        #expect(tool.status != 0)
        #expect(!tool.output.contains("started"))
    }
}
