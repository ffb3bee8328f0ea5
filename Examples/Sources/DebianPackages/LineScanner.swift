/// Cuts a byte source into lines and keeps in memory only what its user has not let go of.
///
///     bytes   | let go of | kept, handed out as lines | read, not yet cut |
///                         ^ keptStart                 ^ position          ^ bytes.endIndex
///
/// Offsets in lines count from `keptStart`, so that they stay true when a refill moves the bytes.
struct LineScanner {
    /// A line without its line feed.
    enum Line {
        /// The offsets of the line's text.
        case text(Range<Int>)
        /// A line over the limit; ``skipLine()`` must follow.
        case overlong
    }

    private var source: any ByteSource
    private let lineBytes: Int
    private var block: [UInt8]
    private var bytes: [UInt8] = []
    private var keptStart = 0
    private var position = 0
    private var droppedBytes = 0
    private var reachedEnd = false

    /// The number of the line handed out last, counted from 1.
    private(set) var lineNumber = 0

    init(source: any ByteSource, blockBytes: Int, lineBytes: Int) {
        self.source = source
        self.lineBytes = lineBytes
        block = [UInt8](repeating: 0, count: blockBytes)
    }

    /// How many bytes of the source have been handed out.
    var consumedBytes: Int { droppedBytes + position }

    /// How many bytes all sources of the source hold, when known.
    var totalBytes: Int? { source.totalBytes }

    /// How many bytes are held in memory.
    var bufferedBytes: Int { bytes.capacity + block.count }

    /// How many bytes cannot be dropped yet.
    var keptBytes: Int { position - keptStart }

    /// The text of all lines that are kept, whose first index stands for offset 0.
    var keptText: ArraySlice<UInt8> { bytes[keptStart..<position] }

    /// Lets go of all lines handed out so far.
    mutating func forget() {
        keptStart = position
    }

    /// Hands out the next line, or `nil` at the end.
    mutating func nextLine() throws(PackageReaderError) -> Line? {
        var searchStart = position
        while true {
            if let end = bytes[searchStart...].firstIndex(of: Byte.lineFeed) {
                guard end - position <= lineBytes else { return overlong() }
                return line(to: end, next: end + 1)
            }
            guard bytes.count - position <= lineBytes else { return overlong() }
            guard !reachedEnd else {
                return position == bytes.count ? nil : line(to: bytes.count, next: bytes.count)
            }
            let searched = bytes.count - position
            try refill()
            searchStart = position + searched
        }
    }

    /// Lets go of everything up to the end of the line that was too long.
    mutating func skipLine() throws(PackageReaderError) {
        while true {
            if let end = bytes[position...].firstIndex(of: Byte.lineFeed) {
                position = end + 1
                return forget()
            }
            position = bytes.count
            forget()
            guard !reachedEnd else { return }
            try refill()
        }
    }

    private mutating func line(to end: Int, next: Int) -> Line {
        let range = (position - keptStart)..<(end - keptStart)
        position = next
        lineNumber += 1
        return .text(range)
    }

    private mutating func overlong() -> Line {
        lineNumber += 1
        return .overlong
    }

    /// Reads one more block behind the bytes that are still needed.
    private mutating func refill() throws(PackageReaderError) {
        bytes.removeSubrange(..<keptStart)
        droppedBytes += keptStart
        position -= keptStart
        keptStart = 0
        let count = try source.read(into: &block)
        bytes.append(contentsOf: block[..<count])
        reachedEnd = count == 0
    }
}
