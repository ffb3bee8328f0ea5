import DuramenFileStore
import DuramenStore

/// The saves in a log, from the log's own pages.
///
/// Frames and pages: sqlite.org, "WAL-mode File Format" and "Database File Format". Numbers are
/// big-endian.
struct LoggedSaves {
    /// A row of the table of saves.
    struct Save {
        var number: Int64
        var identifier: [UInt8]
        /// The place in the identifier where the row goes on in the next sector of the disk; 0 if
        /// the whole identifier is there, nil if the row is in one sector.
        var nextSector: Int?

        enum Comparison {
            case same, other, unknown
        }

        /// Compares a row of the log with the file's row of this number.
        ///
        /// A loss of power during a checkpoint keeps any of the sectors. So the part of a row in
        /// one sector proves nothing; an identifier in one sector with its number does.
        func compare(with identifier: [UInt8]) -> Comparison {
            if identifier == self.identifier { return .same }
            guard let nextSector else { return .other }
            guard identifier.count == self.identifier.count else { return .unknown }
            let hasOtherParts =
                nextSector > 0 && identifier[..<nextSector] != self.identifier[..<nextSector]
                && identifier[nextSector...] != self.identifier[nextSector...]
            return hasOtherParts ? .other : .unknown
        }
    }

    /// The smallest part that a disk writes whole.
    private static let sectorBytes = 512

    /// Whether the log has a complete commit.
    private(set) var hasCommits = false
    /// Whether one commit has all pages, as after a migrated copy has replaced the file. Such a log
    /// needs no page of the file.
    private(set) var hasAllPages = false
    /// The rows by their numbers: the log's own saves, and some from before.
    private(set) var rows: [Int64: Save] = [:]
    /// The number of the save before the log's first one; nil when there is none, or when the log
    /// does not tell.
    private(set) var before: Int64?
    /// The number of the log's last save; nil when no commit was a save.
    private(set) var last: Int64?

    /// Reads a log from its start to its last complete commit.
    init?(logPath: String) {
        let file = SystemCalls.openForReading(logPath)
        guard file >= 0 else { return nil }
        defer { SystemCalls.closeFile(file) }
        guard let head = Self.bytes(of: file, at: 0, count: 32) else { return nil }
        let pageBytes = Int(Self.word(head, 8))
        guard pageBytes >= 512, pageBytes <= 65_536 else { return nil }
        // The lowest bit of the first word is the byte order for checksums.
        let isBig = Self.word(head, 0) & 1 == 1
        var sum = Checksum(isBig: isBig)
        sum.add(head[0..<24])
        guard sum.words == (Self.word(head, 24), Self.word(head, 28)) else { return }
        var offset = 32
        var commit: [Save] = []
        var pages: Set<UInt32> = []
        while let frame = Self.bytes(of: file, at: offset, count: 24 + pageBytes),
            frame[8..<16].elementsEqual(head[16..<24])
        {
            sum.add(frame[0..<8])
            sum.add(frame[24...])
            guard sum.words == (Self.word(frame, 16), Self.word(frame, 20)) else { return }
            offset += frame.count
            commit += Self.saves(Array(frame[24...]))
            pages.insert(Self.word(frame, 0))
            // A frame with the number of pages ends a commit.
            let pageCount = Self.word(frame, 4)
            guard pageCount != 0 else { continue }
            hasCommits = true
            // SQLite never writes the page of its lock bytes.
            let locked = UInt32(0x4000_0000 / pageBytes) + 1
            let needed = pageCount < locked ? pageCount : pageCount - 1
            if pages.count(where: { $0 <= pageCount && $0 != locked }) >= Int(needed) {
                hasAllPages = true
            }
            pages = []
            let raisesNumbers = commit.contains(where: \.identifier.isEmpty)
            commit.removeAll(where: \.identifier.isEmpty)
            commit.sort { $0.number < $1.number }
            if let newest = commit.last, newest.number > last ?? .min {
                if last == nil {
                    // A row that begins a page has the next number, unless a row without an
                    // identifier has raised the numbers.
                    before =
                        commit.dropLast().last?.number ?? (raisesNumbers ? nil : newest.number - 1)
                }
                last = newest.number
                for save in commit { rows[save.number] = save }
            }
            commit = []
        }
    }

    // MARK: - Pages

    /// The rows of a leaf that have the form of saves: null for the key, and 16 bytes or null.
    private static func saves(_ page: [UInt8]) -> [Save] {
        guard page[0] == 13 else { return [] }
        let count = min(Int(page[3]) << 8 + Int(page[4]), (page.count - 8) / 2)
        var found: [Save] = []
        for cell in 0..<count {
            let start = Int(page[8 + 2 * cell]) << 8 + Int(page[9 + 2 * cell])
            var place = start
            guard let length = number(page, &place), let key = number(page, &place) else {
                continue
            }
            if length == 3, page[place...].starts(with: [3, 0, 0]) {
                found.append(Save(number: key, identifier: []))
            }
            guard length == 19, place + 19 <= page.count, page[place...].starts(with: [3, 0, 44])
            else {
                // All other rows of saves have this form, except those of other programs.
                continue
            }
            let (identifier, end) = (place + 3, place + 19)
            let sector = (end - 1) / Self.sectorBytes * Self.sectorBytes
            found.append(
                Save(
                    number: key, identifier: Array(page[identifier..<end]),
                    nextSector: sector > start ? max(0, sector - identifier) : nil))
        }
        return found
    }

    /// A variable-length integer of one to nine bytes: seven bits each, eight in the ninth.
    private static func number(_ page: [UInt8], _ place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < page.count else { return nil }
            let byte = page[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(of file: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { SystemCalls.read(file, at: offset, into: $0) }
        return read == count ? bytes : nil
    }

    /// The running checksum of a log.
    private struct Checksum {
        let isBig: Bool
        var words: (UInt32, UInt32) = (0, 0)

        init(isBig: Bool) { self.isBig = isBig }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { memory in
                for place in stride(from: 0, to: memory.count - 7, by: 8) {
                    let first = memory.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                    let second = memory.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    words.0 &+= (isBig ? first.bigEndian : first.littleEndian) &+ words.1
                    words.1 &+= (isBig ? second.bigEndian : second.littleEndian) &+ words.0
                }
            }
        }
    }
}
