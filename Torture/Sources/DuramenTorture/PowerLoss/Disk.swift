import DuramenTestKit

/// What a disk may hold after a loss of power.
///
/// - A file's bytes are safe once the file was synced after they were written.
/// - Of what was written since, each sector is kept or lost independently of all others.
/// - Names that were made, removed or changed survive as a prefix of their order, all of it once a
///   folder was synced. Syncing a file does not preserve its name.
struct Disk {
    /// How much of what is not safe survives.
    enum Luck {
        case nothing, everything
        /// Each sector with this probability.
        case chance(Double)
    }

    private static let sectorBytes = 512

    private struct File {
        var safe: [UInt8] = []
        var pending: [Change] = []
    }

    private enum Change {
        case bytes([UInt8], position: Int)
        case size(Int)
    }

    private enum NameChange {
        case added(String, file: UInt64)
        case removed(String)
        case renamed(String, to: String)
        case folder(String)
    }

    private var files: [UInt64: File] = [:]
    private var safeNames = Names()
    private var pendingNames: [NameChange] = []

    /// What is found in folders, by paths.
    private struct Names {
        var files: [String: UInt64] = [:]
        var folders: Set<String> = []

        mutating func apply(_ change: NameChange) {
            switch change {
            case .added(let name, let file): files[name] = file
            case .removed(let name):
                files[name] = nil
                folders.remove(name)
            case .folder(let name): folders.insert(name)
            case .renamed(let from, let to):
                // A folder takes along what is in it.
                func moved(_ name: String) -> String {
                    name == from || name.hasPrefix(from + "/")
                        ? to + name.dropFirst(from.count) : name
                }
                let kept = files.filter { $0.key != to }
                files = Dictionary(uniqueKeysWithValues: kept.map { (moved($0.key), $0.value) })
                folders = Set(folders.map(moved))
            }
        }
    }

    /// Notes what happened.
    mutating func apply(_ event: Recording.Event) {
        switch event {
        case .created(let file, let name):
            // The number of a removed file may be given to a new one.
            files[file] = File()
            pendingNames.append(.added(name, file: file))
        case .written(let file, let position, let bytes):
            files[file]?.pending.append(.bytes(bytes, position: position))
        case .resized(let file, let size): files[file]?.pending.append(.size(size))
        case .synced(let file):
            if let known = files[file] {
                var generator = SplitMix64(seed: 0)
                files[file] = File(safe: Self.content(of: known, .everything, &generator))
            } else {
                // What is no file is a folder.
                for change in pendingNames { safeNames.apply(change) }
                pendingNames = []
            }
        case .removed(let name): pendingNames.append(.removed(name))
        case .renamed(let from, let to): pendingNames.append(.renamed(from, to: to))
        case .folderMade(let name): pendingNames.append(.folder(name))
        case .said: break
        }
    }

    private static func content(
        of file: File, _ luck: Luck, _ random: inout SplitMix64
    ) -> [UInt8] {
        var bytes = file.safe
        func survives() -> Bool {
            switch luck {
            case .nothing: false
            case .everything: true
            case .chance(let share): Double.random(in: 0..<1, using: &random) < share
            }
        }
        for change in file.pending {
            switch change {
            case .size(let size) where survives():
                if size < bytes.count {
                    bytes.removeSubrange(size...)
                } else {
                    bytes += repeatElement(0, count: size - bytes.count)
                }
            case .size: break
            case .bytes(let written, let position):
                var start = 0
                while start < written.count {
                    // Sectors are those of the disk, so a write may begin and end inside one.
                    let place = position + start
                    let end = min(
                        written.count,
                        start + sectorBytes - place % sectorBytes)
                    if survives() {
                        let needed = position + end
                        if bytes.count < needed {
                            bytes += repeatElement(0, count: needed - bytes.count)
                        }
                        bytes.replaceSubrange(place..<needed, with: written[start..<end])
                    }
                    start = end
                }
            }
        }
        return bytes
    }

    /// Writes what may be left into an empty folder.
    ///
    /// - Parameter leavesOut: Whether a file never survives.
    func write(
        to folder: String, _ luck: Luck, random: inout SplitMix64, leavesOut: (String) -> Bool
    ) throws {
        var names = safeNames
        let survivors =
            switch luck {
            case .nothing: 0
            case .everything: pendingNames.count
            case .chance: Int.random(in: 0...pendingNames.count, using: &random)
            }
        for change in pendingNames[..<survivors] { names.apply(change) }
        for name in names.folders { try FileSystem.makeFolder("\(folder)/\(name)") }
        for (name, number) in names.files.sorted(by: { $0.key < $1.key }) where !leavesOut(name) {
            let bytes = files[number].map { Self.content(of: $0, luck, &random) } ?? []
            try FileSystem.write(bytes, to: "\(folder)/\(name)")
        }
    }
}
