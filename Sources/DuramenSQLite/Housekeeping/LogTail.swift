import CSQLite

/// What a refused commit has left in the log behind the last one that was made.
///
/// The engine writes the header of a frame, then its page. When the disk has room for the header only, the page is what
/// the log had there before, and that may be the very page that was meant: of zeros, in a part of the log that was
/// made in advance, or as an earlier round left it. The frame is whole then. The engine has forgotten it, but whoever
/// reads the log after a crash takes the refused commit for one that was made.
struct LogTail {
    private let log: LogFile
    private let committed: Int64
    private let frameBytes: Int64
    private let isBigEndian: Bool
    private let header: [UInt8]

    /// Erases a commit that is whole in the log and was refused. Call it between transactions.
    ///
    /// - Returns: Whether no such commit is left; false as well when that cannot be told.
    static func eraseRefusedCommit(on connection: Connection) -> Bool {
        var isClean = false
        try? connection.holdingWriteLock {
            guard let log = connection.log, let frames = connection.committedFrames,
                let bytes = log.byteCount
            else { return }
            if bytes <= LogFile.headerBytes {
                isClean = true
            } else if let tail = LogTail(log, committed: Int64(frames)) {
                isClean = tail.erase(upTo: bytes)
            }
        }
        return isClean
    }

    private init?(_ log: LogFile, committed: Int64) {
        guard let header = log.read(Int(LogFile.headerBytes), at: 0) else { return nil }
        self.log = log
        self.committed = committed
        self.header = header
        isBigEndian = header[3] & 1 == 1
        frameBytes = LogFile.frameHeaderBytes + Int64(Self.word(header, 8, isBigEndian: true))
    }

    private func erase(upTo bytes: Int64) -> Bool {
        guard let holdsCommit = holdsCommit(upTo: bytes) else { return false }
        if !holdsCommit { return true }
        // Each checksum goes on from the one before, so without its first frame the rest is none.
        let start = place(of: committed)
        return log.writeZeros(from: start, to: start + LogFile.frameHeaderBytes)
            && log.synchronize()
    }

    /// Whether a reader of the log alone finds a commit behind the last one; nil when the log cannot be read.
    private func holdsCommit(upTo bytes: Int64) -> Bool? {
        var checksum: Checksum
        if committed == 0 {
            checksum = Checksum(header, 24)
        } else {
            let last = log.read(Int(LogFile.frameHeaderBytes), at: place(of: committed - 1))
            guard let last else { return nil }
            checksum = Checksum(last, 16)
        }
        var frame = committed
        while place(of: frame + 1) <= bytes {
            guard let content = log.read(Int(frameBytes), at: place(of: frame)) else { return nil }
            checksum.add(content[..<8], isBigEndian: isBigEndian)
            checksum.add(content[24...], isBigEndian: isBigEndian)
            guard content[8..<16] == header[16..<24], checksum == Checksum(content, 16) else {
                return false
            }
            // The size of the file after a commit; zero in the other frames of one.
            if Self.word(content, 4, isBigEndian: true) != 0 { return true }
            frame += 1
        }
        return false
    }

    private func place(of frame: Int64) -> Int64 { LogFile.headerBytes + frame * frameBytes }

    private static func word(
        _ bytes: some RandomAccessCollection<UInt8>, _ place: Int, isBigEndian: Bool
    ) -> UInt32 {
        let word = bytes[bytes.index(bytes.startIndex, offsetBy: place)...].prefix(4)
        return (isBigEndian ? Array(word) : word.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running sums of a log.
    private struct Checksum: Equatable {
        var first: UInt32
        var second: UInt32

        /// As it is stored at a place.
        init(_ bytes: [UInt8], _ place: Int) {
            first = LogTail.word(bytes, place, isBigEndian: true)
            second = LogTail.word(bytes, place + 4, isBigEndian: true)
        }

        /// - Parameter bytes: Pairs of words.
        mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
            for place in stride(from: 0, to: bytes.count, by: 8) {
                first &+= LogTail.word(bytes, place, isBigEndian: isBigEndian) &+ second
                second &+= LogTail.word(bytes, place + 4, isBigEndian: isBigEndian) &+ first
            }
        }
    }
}
