import DuramenFileStore
import DuramenStore
import Foundation

/// The state of a data file when its last user closed it in order, and the time of its last
/// complete check.
///
/// While the state is equal, nobody has changed the file in other ways. Any commit changes the
/// numbers in its first pages, and any other change the time. Bit rot changes nothing of it, so the
/// mark says when to check, and never that a file is sound.
struct CheckMark: Codable, Equatable {
    /// The state of a file.
    struct State: Equatable {
        var inode: UInt64
        var byteCount: Int64
        var changeTime: Int64
        var transactions: [UInt64]
    }

    // Separate properties, because marks have always been written so.
    private var inode: UInt64
    private var byteCount: Int64
    private var changeTime: Int64
    private var transactions: [UInt64]
    /// The time of the last complete check, in seconds since 2001; nil if unknown, as in marks of
    /// earlier builds.
    var checkTime: Double?

    /// Creates a mark of a file; nil if it cannot be read.
    init?(_ folder: StoreFolder, checkTime: Double? = nil) {
        guard case .file(let identity, let size) = SystemCalls.kind(of: folder.data),
            let time = SystemCalls.changeTime(of: folder.data),
            let pages = FilePages(path: folder.data), let heads = MetaPage.both(of: pages)
        else { return nil }
        inode = identity.inode
        byteCount = size
        changeTime = time
        transactions = heads.map(\.transaction)
        self.checkTime = checkTime
    }

    /// The recorded state of the file.
    var state: State {
        State(
            inode: inode, byteCount: byteCount, changeTime: changeTime, transactions: transactions)
    }

    /// Reads the mark in a folder; nil if there is none or it cannot be read.
    init?(leftIn folder: StoreFolder) {
        guard let data = FileManager.default.contents(atPath: folder.mark),
            let mark = try? JSONDecoder().decode(CheckMark.self, from: data)
        else { return nil }
        self = mark
    }

    /// Whether the mark in the folder matches the file.
    static func isValid(_ folder: StoreFolder) -> Bool {
        guard let left = CheckMark(leftIn: folder) else { return false }
        return left.state == CheckMark(folder)?.state
    }

    /// Whether nobody has written to the file since the mark was left, whatever its content.
    static func isNewerThanWrites(_ folder: StoreFolder) -> Bool {
        guard let left = CheckMark(leftIn: folder)?.state, var now = CheckMark(folder)?.state else {
            return false
        }
        now.transactions = left.transactions
        return left == now
    }

    /// Leaves a mark. Without a mark the file is checked, so failures do not matter.
    ///
    /// - Parameters:
    ///   - folder: The folder of the store.
    ///   - checkTime: The time of the last complete check.
    static func leave(_ folder: StoreFolder, checkTime: Double?) {
        guard let mark = CheckMark(folder, checkTime: checkTime),
            let data = try? JSONEncoder().encode(mark)
        else { return }
        let made = folder.mark + ".new"
        _ = SystemCalls.removeFile(made)
        guard SystemCalls.createFile(made) == 0 else { return }
        do {
            try data.write(to: URL(filePath: made))
        } catch {
            _ = SystemCalls.removeFile(made)
            return
        }
        _ = SystemCalls.rename(made, to: folder.mark)
    }
}
