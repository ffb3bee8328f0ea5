import DuramenStore
import Foundation

/// What a data file looked like when its last user left it in order.
///
/// While it still looks so, nobody has changed it by other means, and it need not be checked again. Any
/// commit changes the numbers in its first pages, and any other change the time.
struct CheckMark: Codable, Equatable {
    var inode: UInt64
    var byteCount: Int64
    var changeTime: Int64
    var transactions: [UInt64]

    /// Looks at a file; nil when it cannot be read.
    init?(_ folder: StoreFolder) {
        guard case .file(let identity, let size) = SystemCalls.kind(of: folder.data),
            let time = SystemCalls.changeTime(of: folder.data),
            let pages = FilePages(path: folder.data), let heads = MetaPage.both(of: pages)
        else { return nil }
        inode = identity.inode
        byteCount = size
        changeTime = time
        transactions = heads.map(\.transaction)
    }

    /// Whether the mark in the folder is of the file as it is.
    static func isValid(_ folder: StoreFolder) -> Bool {
        guard let data = FileManager.default.contents(atPath: folder.mark),
            let mark = try? JSONDecoder().decode(CheckMark.self, from: data)
        else { return false }
        return mark == CheckMark(folder)
    }

    /// Leaves a mark. Without one the file is checked, so failures do not matter.
    static func leave(_ folder: StoreFolder) {
        guard let mark = CheckMark(folder), let data = try? JSONEncoder().encode(mark) else {
            return
        }
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
