import Dispatch
public import DuramenStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells when files of a folder were written, made or renamed, by whatever process.
///
/// The kernel's own notices, where there are any: they name the folder's files, and several of one
/// file come as one. A notice comes when something is written, and engines show a commit only after
/// that: so whoever listens is called again a few times, ever later, and every half second where
/// nothing happens.
public enum FileEvents {
    // A writer makes many notices; so long they are left to gather.
    private static let gatheringMilliseconds: Int32 = 4
    private static let shortestMilliseconds: Int32 = 2
    private static let longestMilliseconds: Int32 = 512

    /// Begins to watch a folder.
    ///
    /// - Parameters:
    ///   - isMeant: Whether a file is to be watched, by its name.
    ///   - body: Is called on a thread of its own, one call after the other.
    /// - Returns: Nil where the system has no such notices.
    public static func observe(
        folder: String, _ isMeant: @escaping @Sendable (String) -> Bool,
        _ body: @escaping @Sendable () -> Void
    ) -> StoreObservation? {
        #if os(Linux)
        let notices = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        if notices < 0 { return nil }
        let wanted = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)
        var ends: [Int32] = [-1, -1]
        guard inotify_add_watch(notices, folder, wanted) >= 0, pipe(&ends) == 0 else {
            close(notices)
            return nil
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (stop, stopping) = (ends[0], ends[1])
        // A thread that waits for the kernel must not be one of those that tasks share.
        DispatchQueue(label: "duramen.file-events", qos: .userInitiated).async {
            let clock = ContinuousClock()
            var pause = shortestMilliseconds
            // However much is written to other files, it comes in time.
            var nextLook = clock.now + .milliseconds(pause)
            while true {
                let left = clock.now.duration(to: nextLook) / .milliseconds(1)
                let occasion = wait(for: notices, or: stop, Int32(max(0, left.rounded(.up))))
                if occasion == .stop { break }
                if occasion == .notice, hasNotice(in: notices, isMeant) {
                    pause = shortestMilliseconds
                } else if clock.now >= nextLook {
                    pause = min(pause * 2, longestMilliseconds)
                } else {
                    if wait(for: nil, or: stop, gatheringMilliseconds) == .stop { break }
                    continue
                }
                body()
                nextLook = clock.now + .milliseconds(pause)
                if occasion == .notice, wait(for: nil, or: stop, gatheringMilliseconds) == .stop {
                    break
                }
            }
            close(notices)
            close(stop)
        }
        let process = ProcessMark()
        return StoreObservation {
            // Wakes the thread, although a child of this process may have a copy of this end. The
            // child's own observation is not there to be ended.
            if !process.isInherited {
                var byte: UInt8 = 0
                _ = write(stopping, &byte, 1)
            }
            close(stopping)
        }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private enum Occasion {
        case notice, pause, stop
    }

    /// Waits for a notice, for the end, or until the time is up.
    private static func wait(
        for notices: Int32?, or stop: Int32, _ milliseconds: Int32
    ) -> Occasion {
        var files = [stop, notices].compactMap { $0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // A signal ends the waiting early, which does no harm: whoever waits looks at the clock.
        if poll(&files, nfds_t(files.count), milliseconds) <= 0 { return .pause }
        return files[0].revents != 0 ? .stop : .notice
    }

    /// Reads the notices that there are.
    private static func hasNotice(in notices: Int32, _ isMeant: (String) -> Bool) -> Bool {
        let head = MemoryLayout<inotify_event>.size
        var found = false
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(notices, $0.baseAddress, $0.count) }
            if count <= 0 { return found }
            var place = 0
            while place + head <= count {
                bytes.withUnsafeBytes { bytes in
                    let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    let name = bytes[(place + head)..<(place + head + Int(event.len))]
                    // Names end with NULs; when notices were lost there is none.
                    let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || isMeant(text) { found = true }
                    place += head + Int(event.len)
                }
            }
        }
    }
    #endif
}
