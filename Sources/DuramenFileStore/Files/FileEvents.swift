import Dispatch
public import DuramenStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reports when any process writes, creates or renames files in a folder.
///
/// It uses the kernel's events, which name the files and are combined for one file. An event comes
/// when a file is written, but an engine shows a commit only afterwards. So an observer is called
/// again with growing pauses, and every half second when nothing happens.
public enum FileEvents {
    // A writer causes many events, which are collected for so long.
    private static let gatheringMilliseconds: Int32 = 4
    private static let shortestMilliseconds: Int32 = 2
    private static let longestMilliseconds: Int32 = 512

    /// Starts to watch a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - isMeant: Returns whether to watch a file, by its name.
    ///   - body: Called on a separate thread, one call at a time.
    /// - Returns: Nil if the system has no such events.
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
        // The thread blocks, so it must not be one of the cooperative pool.
        DispatchQueue(label: "duramen.file-events", qos: .userInitiated).async {
            let clock = ContinuousClock()
            var pause = shortestMilliseconds
            // Events of other files do not delay the next call.
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
            // Wakes the thread even if a child process has a copy of this end. A child does not
            // have the thread, so it has nothing to stop.
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

    /// Waits for an event, for the end, or until the time is up.
    private static func wait(
        for notices: Int32?, or stop: Int32, _ milliseconds: Int32
    ) -> Occasion {
        var files = [stop, notices].compactMap { $0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // A signal ends the wait early, which is harmless: the caller checks the clock.
        if poll(&files, nfds_t(files.count), milliseconds) <= 0 { return .pause }
        return files[0].revents != 0 ? .stop : .notice
    }

    /// Reads all pending events.
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
