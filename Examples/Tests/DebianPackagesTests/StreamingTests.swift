import Testing

@testable import DebianPackages

@Suite struct StreamingTests {
    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func theSizeOfTheBlocksChangesNothing(bytesPerRead: Int) {
        let text = sample + "\n\n bad\n\nPackage: x\nVersion: 1\nSection: é\n"
        let limits = PackageReader.Limits(blockBytes: bytesPerRead)
        let source = DrippingSource(text, bytesPerRead: bytesPerRead)
        #expect(Array(PackageReader(source: source, limits: limits)) == entries(in: text))
    }

    @Test func aTextThatIsCutAnywhereNeverTrapsAndLosesNoEarlierStanza() {
        let bytes = Array(sample.utf8)
        let whole = packages(in: sample)
        for end in bytes.indices {
            let found = Array(PackageReader(bytes: Array(bytes[..<end])))
            #expect(found.count <= 3)
            #expect(found.dropLast().allSatisfy { $0.package != nil })
            #expect(
                found.dropLast().compactMap(\.package)
                    == Array(whole.prefix(max(0, found.count - 1))))
        }
    }

    @Test func aTextWithAnyByteReplacedNeverTraps() {
        let bytes = Array(sample.utf8)
        // Few of these bytes leave the sample as it is, and each has a meaning somewhere.
        for replacement in [0x00, 0x0A, 0x0D, 0x20, 0x23, 0x28, 0x3A, 0x3C, 0xFF] as [UInt8] {
            for index in bytes.indices {
                var changed = bytes
                changed[index] = replacement
                let found = Array(PackageReader(bytes: changed))
                #expect((2...5).contains(found.count))
            }
        }
    }

    @Test func aLongLineIsSkippedWithItsStanzaOnly() {
        let limits = PackageReader.Limits(blockBytes: 16, lineBytes: 40)
        let found = entries(
            in: """
                Package: long
                Version: 1
                Depends: \(String(repeating: "x", count: 32))
                still: the same stanza
                without colon

                Package: exact
                Version: 1
                Section: \(String(repeating: "x", count: 31))

                """, limits: limits)
        #expect(
            found.first?.malformed
                == MalformedStanza(
                    lines: 1...5, packageName: "long",
                    problems: [MalformedStanza.Problem(line: 3, reason: .overlongLine)]))
        #expect(found.last?.package?.section?.count == 31)
        #expect(found.last?.package?.lines == 7...9)
    }

    @Test func aLongStanzaIsSkippedAndItsNameReported() {
        let limits = PackageReader.Limits(blockBytes: 16, stanzaBytes: 100)
        let text =
            "Package: a\nVersion: 1\nX:\n" + String(repeating: " line\n", count: 50)
            + "\nPackage: b\nVersion: 1"
        let found = entries(in: text, limits: limits)
        #expect(found.count == 2)
        #expect(found.first?.malformed?.problems.map(\.reason) == [.overlongStanza])
        #expect(found.first?.malformed?.packageName == "a")
        #expect(found.first?.malformed?.lines == 1...53)
        #expect(found.last?.package?.lines == 55...56)
    }

    @Test func aStanzaWithTooManyFieldsIsSkipped() {
        let fields = (1...300).map { "X-\($0): 1\n" }.joined()
        #expect(
            problems(in: "Package: a\nVersion: 1\n" + fields) == [
                MalformedStanza.Problem(line: 257, reason: .tooManyFields)
            ])
    }

    @Test func endlessInputIsReadInBoundedMemory() {
        // 16 MiB each: one line without end, and one stanza without end.
        let limits = PackageReader.Limits()
        for unit in ["x", "Some: text\n"] {
            let bytes = Array(String(repeating: unit, count: (1 << 20) / unit.utf8.count).utf8)
            let source = RepeatingSource(
                unit: bytes, repetitions: 64, prefix: Array("Package: a\n".utf8))
            var scanner = StanzaAssembler(source: source, limits: limits)
            var highest = 0
            var found = 0
            while let entry = try? scanner.next() {
                found += 1
                highest = max(highest, scanner.bufferedBytes)
                #expect(entry.malformed?.packageName == "a")
            }
            #expect(found == 1)
            let bound = 2 * (limits.stanzaBytes + limits.lineBytes + limits.blockBytes)
            #expect(highest < bound)
        }
    }

    @Test func aFailureToReadIsTheLastEntry() {
        let failure = PackageReaderError(path: "somewhere", systemErrorCode: 5)
        let source = DrippingSource(
            "Package: a\nVersion: 1\n\nPackage: b\n", bytesPerRead: 9, failure: failure)
        let reader = PackageReader(source: source)
        #expect(reader.next()?.package?.name == "a")
        #expect(reader.next() == .unreadable(failure))
        #expect(reader.next() == nil)
    }

    @Test func progressEndsAtTheWhole() {
        let reader = PackageReader(bytes: Array(sample.utf8))
        var last = reader.progress
        #expect(last.fraction == 0)
        while reader.next() != nil {
            #expect(reader.progress.bytesRead > last.bytesRead)
            last = reader.progress
        }
        #expect(last.bytesRead == sample.utf8.count)
        #expect(last.totalBytes == sample.utf8.count)
        #expect(last.fraction == 1)
        #expect(PackageReader(bytes: []).progress.fraction == 1)
    }

    @Test func aReaderIsTakenInChunks() {
        let reader = PackageReader(bytes: Array(sample.utf8))
        #expect(
            Array(reader.prefix(2)).compactMap(\.package?.name) == ["exim4-daemon-light", "tiny"])
        #expect(Array(reader.prefix(2)).compactMap(\.package?.name) == ["last"])
        #expect(Array(reader.prefix(2)).isEmpty)
    }
}
