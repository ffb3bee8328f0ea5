/// What a disk may hold after a loss of power.
///
/// - A file's bytes are safe once the file was synced after they were written.
/// - Of what was written since, each sector is kept or lost independently of all others.
/// - Names that were made, removed or changed survive as a prefix of their order, all of it once a
///   folder was synced. Syncing a file does not preserve its name.
struct Disk {
    /// How much of what is not safe survives.
    enum Luck {
        case nothing, everything, chance
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
        case folder(String)
    }

    private var files: [UInt64: File] = [:]
    private var names: [String: UInt64] = [:]
    private var safeNames: [String: UInt64] = [:]
    private var safeFolders: [String] = []
    private var pendingNames: [NameChange] = []

    /// Whether an event changed what a loss of power would leave, beyond names.
    mutating func apply(_ event: Recording.Event) {
        switch event {
        case .created(let file, let name):
            // The number of a removed file may be given to a new one.
            files[file] = File()
            names[name] = file
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
                for change in pendingNames { Self.apply(change, &safeNames, &safeFolders) }
                pendingNames = []
            }
        case .removed(let name):
            if names.removeValue(forKey: name) != nil { pendingNames.append(.removed(name)) }
        case .renamed(let from, let to):
            guard let file = names.removeValue(forKey: from) else { return }
            names[to] = file
            pendingNames += [.removed(from), .added(to, file: file)]
        case .folderMade(let name): pendingNames.append(.folder(name))
        case .said: break
        }
    }

    private static func apply(
        _ change: NameChange, _ names: inout [String: UInt64], _ folders: inout [String]
    ) {
        switch change {
        case .added(let name, let file): names[name] = file
        case .removed(let name): names[name] = nil
        case .folder(let name): folders.append(name)
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
            case .chance: Bool.random(using: &random)
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
        var folders = safeFolders
        let survivors =
            switch luck {
            case .nothing: 0
            case .everything: pendingNames.count
            case .chance: Int.random(in: 0...pendingNames.count, using: &random)
            }
        for change in pendingNames[..<survivors] { Self.apply(change, &names, &folders) }
        for name in folders { try FileSystem.makeFolder("\(folder)/\(name)") }
        for (name, number) in names.sorted(by: { $0.key < $1.key }) where !leavesOut(name) {
            let bytes = files[number].map { Self.content(of: $0, luck, &random) } ?? []
            try FileSystem.write(bytes, to: "\(folder)/\(name)")
        }
    }
}
