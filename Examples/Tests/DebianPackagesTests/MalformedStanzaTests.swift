import DebianPackages
import Testing

@Suite struct MalformedStanzaTests {
    @Test(
        arguments: [
            ("Package: a\nVersion: 1\nnonsense\n continued\n", 3, .lineWithoutColon),
            ("Package: a\nVersion: 1\n: value\n", 3, .invalidFieldName),
            ("Package: a\nVersion: 1\ntwo words: value\n", 3, .invalidFieldName),
            ("Package: a\nVersion: 1\n-Name: value\n", 3, .invalidFieldName),
            ("Package: a\nVersion: 1\nNäme: value\n", 3, .invalidFieldName),
            (" early\n still\nPackage: a\nVersion: 1\n", 1, .continuationBeforeField),
            ("Package: a\nVersion: 1\nPACKAGE: a\n", 3, .duplicateField("PACKAGE")),
            ("Package: a\nX-Own: 1\nVersion: 1\nx-own: 1\n", 4, .duplicateField("x-own")),
            ("\n\nVersion: 1\nSection: x\n", 3, .missingField("Package")),
            ("Package: a\n", 1, .missingField("Version")),
            ("Package: a\nVersion:  \n", 2, .missingField("Version")),
            ("Package: a b\nVersion: 1\n", 1, .invalidValue(field: "Package")),
            ("Package: a\u{1B}[2J\nVersion: 1\n", 1, .invalidValue(field: "Package")),
            ("Package: a\nVersion: 1\n 2\n", 2, .invalidValue(field: "Version")),
            ("Package: a\nVersion: 1\nStatus: installed\n", 3, .invalidValue(field: "Status")),
            ("Package: a\nVersion: 1\nDepends: b (\n", 3, .invalidValue(field: "Depends")),
            ("Package: a\nVersion: 1\nProvides: b | c\n", 3, .invalidValue(field: "Provides")),
            (
                "Package: a\nVersion: 1\nInstalled-Size: 1k\n", 3,
                .invalidValue(field: "Installed-Size")
            ),
            (
                "Package: a\nVersion: 1\nInstalled-Size: -1\n", 3,
                .invalidValue(field: "Installed-Size")
            ),
            (
                "Package: a\nVersion: 1\nInstalled-Size: 9223372036854775808\n", 3,
                .invalidValue(field: "Installed-Size")
            ),
        ] as [(String, Int, MalformedStanza.Reason)])
    func aBreakIsReportedWithItsLine(text: String, line: Int, reason: MalformedStanza.Reason) {
        #expect(problems(in: text) == [MalformedStanza.Problem(line: line, reason: reason)])
    }

    @Test func theLargestSizeIsStillANumber() {
        let text = "Package: a\nVersion: 1\nInstalled-Size: 9223372036854775807\n"
        #expect(packages(in: text).first?.installedSizeKiB == Int.max)
    }

    @Test func textThatIsNotUTF8IsReportedAtItsOwnLine() {
        var bytes = Array("Package: a\nVersion: 1\nDescription: fine\n fine\n# ".utf8)
        bytes += [0xFF] + Array("\n bad ".utf8) + [0xC3, 0x28] + Array("\n fine\n".utf8)
        let found = Array(PackageReader(bytes: bytes))
        #expect(found.count == 1)
        #expect(
            found.first?.malformed?.problems == [
                MalformedStanza.Problem(line: 6, reason: .invalidUTF8(field: "Description"))
            ])
    }

    @Test func aCommentNeedNotBeUTF8() {
        let bytes = Array("Package: a\n#".utf8) + [0xFF, 0xFE] + Array("\nVersion: 1\n".utf8)
        #expect(Array(PackageReader(bytes: bytes)).first?.package?.version == "1")
    }

    @Test func theStanzasAroundAMalformedOneAreKept() {
        let found = entries(
            in: """
                Package: before
                Version: 1

                Package: broken
                Version: 1
                what is this
                Version: 2

                Package: after
                Version: 3
                """)
        #expect(found.count == 3)
        #expect(found.first?.package?.name == "before")
        #expect(found.last?.package?.name == "after")
        #expect(
            found[1].malformed
                == MalformedStanza(
                    lines: 4...7, packageName: "broken",
                    problems: [
                        MalformedStanza.Problem(line: 6, reason: .lineWithoutColon),
                        MalformedStanza.Problem(line: 7, reason: .duplicateField("Version")),
                    ]))
    }

    @Test func aReportNamesStanzaAndLinesButNoValues() {
        let found = entries(in: "Package: a\nVersion: 1\nInstalled-Size: secret\n")
        #expect(
            found.first?.malformed?.description
                == "package 'a', lines 1-3: line 3 has a value that 'Installed-Size' does not allow"
        )
    }

    @Test func problemsBeyondTheLimitAreCounted() {
        let text = "Package: a\n" + String(repeating: "x\n", count: 1000)
        let malformed = entries(in: text).first?.malformed
        #expect(malformed?.problems.count == 16)
        #expect(malformed?.unlistedProblemCount == 984)
    }
}
