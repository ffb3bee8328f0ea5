import Foundation
import Testing

/// Rules that a compiler does not check.
struct HouseTests {
    @Test func everyUnsafeConstructHasItsProof() {
        let unsafe =
            /@unchecked Sendable|nonisolated\(unsafe\)|unowned\(unsafe\)|\bUnmanaged<|_withUnsafeGuaranteedRef|unsafeBitCast\(|unsafeDowncast\(|unsafelyUnwrapped|assumingMemoryBound|withoutActuallyEscaping/
        for file in SourceFile.sources {
            for index in file.lines.indices where !file.isComment(index) {
                guard file.lines[index].firstMatch(of: unsafe) != nil else { continue }
                #expect(Self.hasProof(index, in: file), "\(file.path):\(index + 1)")
            }
        }
    }

    /// The proof is the type's, which says who may use it, or that of one property.
    @Test func whoeverLeavesExclusivityUncheckedSaysWhy() {
        for file in SourceFile.sources {
            guard !file.places(of: /@exclusivity\(unchecked\)/).isEmpty else { continue }
            let text = file.lines.joined(separator: " ")
            let isProved = text.firstMatch(of: /Sound:[^{}]{0,300}xclusiv/) != nil
            #expect(isProved, "\(file.path)")
        }
    }

    /// Where the key, the version and the null bits of a row stand is known in one folder.
    @Test func bytesBeforeARowAreAddressedInOneFolder() {
        let elsewhere = SourceFile.sources.filter { !$0.path.contains("DuramenModel/Rows/") }
        let offset = /ByteOffset: -/
        #expect(elsewhere.flatMap { $0.places(of: offset) } == [])
    }

    /// The thread sanitizer does not see a `Mutex`. Articles and the programs that the compiler
    /// must refuse are what users write, and are not built with it.
    @Test func whatThreadsShareIsLocked() {
        let files = SourceFile.swiftFiles(in: ["Sources", "Tests"]).filter { file in
            !file.path.hasSuffix("/Locked.swift") && !file.path.hasPrefix("Tests/ArticleTests/")
                && !file.path.hasPrefix("Tests/MustNotCompile/")
        }
        #expect(files.count > 1_000)
        #expect(files.flatMap { $0.places(of: /\bMutex[<(]/) } == [])
    }

    @Test func referencesAreBorrowedInOneWay() {
        let files = SourceFile.sources.filter {
            $0.module == "Duramen" && !$0.path.hasSuffix("/Borrowed.swift")
        }
        #expect(!files.isEmpty)
        #expect(files.flatMap { $0.places(of: /_withUnsafeGuaranteedRef/) } == [])
    }

    /// Each piece of state of a part has an owner, and nobody else writes it.
    @Test func theStateOfAPartIsWrittenByItsOwner() {
        let owners = [
            "Reading/ReadView", "Tracking/ChangeTracker", "Tracking/ChangedList",
            "Merging/MergeLedger", "Identity/IdentityMap", "Saving/SavePhase",
        ]
        for owner in owners {
            let file = SourceFile.sources.first { $0.path.hasSuffix("Parts/\(owner).swift") }
            let lines = (file?.lines ?? []).drop { !$0.hasPrefix("struct ") }.prefix { $0 != "}" }
            let stored = lines.filter {
                $0.hasPrefix("    var ") && !$0.hasSuffix("{") && !$0.hasSuffix("}")
            }
            #expect(!lines.isEmpty, "\(owner)")
            #expect(stored == [], "\(owner)")
        }
    }

    /// What a context and its parts have besides is written in the folder that it is about, and by
    /// the two files that declare it.
    @Test(arguments: [
        ("Contexts", #"stores\.(hasOne|changeCount|aliases\S*) = |ownership\.owner = "#),
        ("Contexts", #"isStoreRemoved = |failures\.(record|take)\("#),
        ("Merging", #"ownership\.isPerforming = "#),
        ("Hooks", #"telling\.(prepare|record|forget|collect|begin|end)|awaking\.(queue|take)"#),
        ("OffOwner", #"saveTurns\.(take|wait|pass|begin|end)\("#),
        ("Conflicts", #"replacements\.(record|report)\("#),
        ("Notifications", #"^ *events = "#),
        ("Faulting", #"roundTrips = "#),
        ("Undo", #"^ *undoRecorder = "#),
        ("Children", #"\bchildren\.(append|removeAll)"#),
    ])
    func theRestOfAContextIsWrittenInOneFolder(folder: String, pattern: String) throws {
        let write = try Regex(pattern)
        let files = SourceFile.sources.filter {
            $0.module == "Duramen" && !$0.path.hasSuffix("/ManagedObjectContext.swift")
                && !$0.path.hasSuffix("/ContextPart.swift")
        }
        let (inside, outside) = (
            files.filter { $0.path.hasPrefix("Sources/Duramen/\(folder)/") },
            files.filter { !$0.path.hasPrefix("Sources/Duramen/\(folder)/") }
        )
        #expect(!inside.flatMap { $0.places(of: write) }.isEmpty)
        #expect(outside.flatMap { $0.places(of: write) } == [])
    }

    /// A type with more has several tasks: what belongs together becomes a type of its own.
    @Test func noTypeHasMoreThanTwentyStoredProperties() {
        let types = SourceFile.sources.flatMap { StoredProperties.counts(in: $0) }
        #expect(types.count > 500)
        #expect(types.filter { $0.count > 20 }.map { "\($0.type): \($0.count)" } == [])
    }

    @Test func filesAreShort() {
        let long = SourceFile.swiftFiles(in: ["Sources", "Tests"]).filter { $0.lines.count > 500 }
        #expect(long.map(\.path) == [])
    }

    /// Faults of migrations that users of other libraries have reported, by their numbers.
    @Test func everyReportedFaultOfMigrationsHasATest() throws {
        let tests = SourceFile.swiftFiles(in: ["Tests"])
        var missing = Set(1...33)
        for line in tests.lazy.flatMap(\.lines) {
            for match in line.matches(of: /(?:"B|func b)(\d+)(?:: |[A-Z])/) {
                if let number = Int(match.output.1) { missing.remove(number) }
            }
        }
        #expect(missing.sorted() == [])
    }

    @Test func nothingIsTriedByForce() {
        #expect(SourceFile.sources.flatMap { $0.places(of: /\btry!/) } == [])
    }

    @Test(arguments: [
        "DuramenLMDB", "DuramenPostgres", "DuramenSQLite", "DuramenMemory", "DuramenSQL",
        "DuramenStore", "DuramenQuery", "DuramenArchives",
    ])
    func dataNeverTraps(in module: String) {
        let files = SourceFile.sources.filter { $0.module == module }
        #expect(!files.isEmpty)
        #expect(files.flatMap { $0.places(of: /\bfatalError\(/) } == [])
    }

    /// Swift calls canonically equal strings equal; names and texts compare by their bytes, as
    /// StoredText.
    @Test(arguments: ["DuramenModel", "DuramenQuery", "DuramenStore", "Duramen"])
    func textIsComparedByItsBytes(in module: String) {
        let comparison =
            /(\.(name|string|entityName|description)|[a-z]Name|[a-z]Text) *[!=]= *[^=n"]/
        let files = SourceFile.sources.filter { $0.module == module }
        #expect(!files.isEmpty)
        #expect(files.flatMap { $0.places(of: comparison) } == [])
    }

    @Test func noFileMentionsAFolderOfOneMachine() {
        let folders = ["home", "Users", "root"].map { "/\($0)/" } + [SourceFile.package.path]
        let places = ["Sources", "Tests", "Examples", "Benchmarks", "Scripts", "docs"]
        for file in SourceFile.files(in: places, where: Self.isText) {
            for (index, line) in file.lines.enumerated() {
                let found = folders.first { line.contains($0) }
                #expect(found == nil, "\(file.path):\(index + 1) mentions \(found ?? "")")
            }
        }
    }

    /// Whether the comment right above a line, or above the declaration that it continues, says why
    /// it is sound.
    private static func hasProof(_ index: Int, in file: SourceFile) -> Bool {
        for above in file.lines[..<index].suffix(4).reversed() {
            if above.allSatisfy(\.isWhitespace) { return false }
            if above.contains("// Sound:") { return true }
        }
        return false
    }

    private static func isText(_ name: String) -> Bool {
        [".swift", ".md", ".sh", ".json", ".modulemap", ".h"].contains { name.hasSuffix($0) }
            || !name.contains(".")
    }
}
