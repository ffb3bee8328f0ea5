/// Reads Debian package stanzas one after the other, in one pass and bounded memory.
///
/// It takes the format of `/var/lib/dpkg/status` and of the `Packages` indexes, uncompressed; for
/// a compressed list, read `/dev/stdin` behind `apt-helper cat-file`. What cannot be read is an
/// entry like any other, so that a loop sees everything the file holds:
///
/// ```swift
/// for entry in try PackageReader(path: "/var/lib/dpkg/status") {
///     switch entry {
///     case .package(let stanza): print(stanza.name, stanza.version)
///     case .malformed(let stanza): print("skipped:", stanza)
///     case .unreadable(let error): throw error
///     }
/// }
/// ```
///
/// The reader is its own iterator: a second loop goes on where the first one stopped, and
/// `reader.prefix(500)` takes the next 500 entries. It belongs to one task; the entries may go
/// anywhere.
/// - Complexity: O(*n*) time for *n* bytes. Apart from the entries that the caller keeps, memory
///   stays below twice the sum of the limits for blocks, lines and stanzas, and in practice at
///   two or three blocks.
public final class PackageReader: Sequence, IteratorProtocol {
    /// What the reader found next.
    public enum Entry: Sendable, Hashable {
        /// A stanza that is as it should be.
        case package(PackageStanza)
        /// A stanza that was skipped, with the reasons.
        case malformed(MalformedStanza)
        /// The file could not be read on; this is the last entry.
        case unreadable(PackageReaderError)
    }

    /// How far the reader has come.
    public struct Progress: Sendable, Hashable {
        /// The bytes of the stanzas handed out so far and of what stands between them.
        public var bytesRead: Int
        /// The length of the file when reading began, or `nil` for a pipe or device.
        public var totalBytes: Int?

        /// Creates a progress.
        public init(bytesRead: Int, totalBytes: Int?) {
            self.bytesRead = bytesRead
            self.totalBytes = totalBytes
        }

        /// The part that has been read, from 0 to 1, or `nil` while the whole is unknown.
        public var fraction: Double? {
            guard let totalBytes else { return nil }
            guard totalBytes > 0 else { return 1 }
            return Swift.min(1, Double(bytesRead) / Double(totalBytes))
        }
    }

    /// The sizes at which the reader gives a stanza up, and the size of its reads.
    public struct Limits: Sendable, Hashable {
        /// How many bytes one read asks for.
        public var blockBytes: Int
        /// How long a line may be, without its line feed.
        public var lineBytes: Int
        /// How long a stanza may be.
        public var stanzaBytes: Int
        /// How many fields a stanza may have.
        public var fieldsPerStanza: Int
        /// How many problems of one stanza are listed; the rest is counted.
        public var problemsPerStanza: Int

        /// Creates limits; every default is far above what a Debian archive holds.
        public init(
            blockBytes: Int = 256 << 10, lineBytes: Int = 1 << 20, stanzaBytes: Int = 4 << 20,
            fieldsPerStanza: Int = 256, problemsPerStanza: Int = 16
        ) {
            self.blockBytes = Swift.max(1, blockBytes)
            self.lineBytes = Swift.max(1, lineBytes)
            self.stanzaBytes = Swift.max(1, stanzaBytes)
            self.fieldsPerStanza = Swift.max(1, fieldsPerStanza)
            self.problemsPerStanza = Swift.max(1, problemsPerStanza)
        }
    }

    private var assembler: StanzaAssembler
    private var isFinished = false

    /// Opens the file.
    ///
    /// - Throws: ``PackageReaderError`` when the file cannot be opened. A directory opens, and is
    ///   then an ``Entry/unreadable(_:)`` entry.
    public init(path: String, limits: Limits = Limits()) throws(PackageReaderError) {
        assembler = StanzaAssembler(source: try FileSource(path: path), limits: limits)
    }

    /// Reads stanzas that are in memory already.
    public init(bytes: [UInt8], limits: Limits = Limits()) {
        assembler = StanzaAssembler(source: MemorySource(bytes), limits: limits)
    }

    /// Reads from any source, for tests of failures.
    init(source: any ByteSource, limits: Limits = Limits()) {
        assembler = StanzaAssembler(source: source, limits: limits)
    }

    /// How far the reader has come.
    public var progress: Progress { assembler.progress }

    /// Reads the next stanza, or returns `nil` at the end.
    public func next() -> Entry? {
        guard !isFinished else { return nil }
        do throws(PackageReaderError) {
            if let entry = try assembler.next() { return entry }
            isFinished = true
            return nil
        } catch {
            isFinished = true
            return .unreadable(error)
        }
    }
}
