import Foundation

/// The bytes of a feed, of which only a window is in memory.
///
/// Positions count from the beginning of the feed.
struct FeedBytes {
    /// The window.
    private(set) var window: [UInt8]
    /// Where the window begins in the feed.
    private(set) var start = 0
    /// Gives the next piece; nil at the end.
    private var more: (() throws(ImportError) -> [UInt8]?)?

    /// The bytes of a piece that is read from a file at once.
    private static let pieceBytes = 1 << 18

    /// - Throws: ``ImportError`` `.unreadable`.
    init(_ source: ImportFeed.Source) throws(ImportError) {
        switch source {
        case .bytes(let bytes): window = bytes
        case .file(let path):
            window = []
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw ImportError(
                    .unreadable, "The file '\(path)' cannot be read. Check its path and its rights."
                )
            }
            more = { () throws(ImportError) in
                do {
                    let piece = try file.read(upToCount: Self.pieceBytes) ?? Data()
                    return piece.isEmpty ? nil : [UInt8](piece)
                } catch {
                    throw ImportError(
                        .unreadable, "The file '\(path)' cannot be read: \(error).")
                }
            }
        case .values(let make):
            window = []
            let next = make()
            more = { () throws(ImportError) in
                do {
                    guard let line = try next() else { return nil }
                    return [UInt8](line) + [UInt8(ascii: "\n")]
                } catch {
                    throw ImportError(
                        .unreadable, "A value of the feed cannot be encoded: \(error).")
                }
            }
        }
    }

    /// Where the window ends in the feed.
    var end: Int { start + window.count }

    /// The byte at a position of the window.
    subscript(position: Int) -> UInt8 { window[position - start] }

    /// Makes the window longer.
    ///
    /// - Parameter position: The bytes before it are not needed any more.
    /// - Returns: False at the end of the feed.
    mutating func extend(keepingFrom position: Int) throws(ImportError) -> Bool {
        guard let more, let piece = try more() else { return false }
        window.removeFirst(position - start)
        start = position
        window += piece
        return true
    }
}
