import DuramenFileStore
import DuramenStore
import Foundation

/// What a data file looked like when its last user left it in order, and when all of it was
/// checked.
///
/// While it still looks so, nobody has changed it by other means: any commit changes the numbers in
/// its first pages, and any other change the time. Bits that rot change nothing of it, so the mark
/// says when to check, and never that a file is sound.
struct CheckMark: Codable, Equatable {
    /// The state of a file.
    struct State: Equatable {
        var inode: UInt64
        var byteCount: Int64
        var changeTime: Int64
        var transactions: [UInt64]
    }

    // By themselves, since that is how marks have always been written.
    private var inode: UInt64
    private var byteCount: Int64
    private var changeTime: Int64
    private var transactions: [UInt64]
    /// When all of the file was checked last, in seconds since 2001; nil when nobody knows, as in
    /// marks of earlier builds.
    var checkTime: Double?

    /// Looks at a file; nil when it cannot be read.
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

    /// What the file looked like.
    var state: State {
        State(
            inode: inode, byteCount: byteCount, changeTime: changeTime, transactions: transactions)
    }

    /// The mark that was left in a folder; nil when there is none that can be read.
    init?(leftIn folder: StoreFolder) {
        guard let data = FileManager.default.contents(atPath: folder.mark),
            let mark = try? JSONDecoder().decode(CheckMark.self, from: data)
        else { return nil }
        self = mark
    }

    /// Whether the mark in the folder is of the file as it is.
    static func isValid(_ folder: StoreFolder) -> Bool {
        guard let left = CheckMark(leftIn: folder) else { return false }
        return left.state == CheckMark(folder)?.state
    }

    /// Whether nobody has written to the file since the mark was left, whatever it holds now.
    static func isNewerThanWrites(_ folder: StoreFolder) -> Bool {
        guard let left = CheckMark(leftIn: folder)?.state, var now = CheckMark(folder)?.state else {
            return false
        }
        now.transactions = left.transactions
        return left == now
    }

    /// Leaves a mark. Without one the file is checked, so failures do not matter.
    ///
    /// - Parameter checkTime: When all of the file was checked last.
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
