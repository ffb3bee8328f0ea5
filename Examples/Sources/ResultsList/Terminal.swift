import Dispatch
import Foundation
import ResultsListKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The terminal of the program, taken over while it shows a list, and given back however the
/// program ends.
@MainActor
final class Terminal {
    private let input: any DispatchSourceRead
    private let resize: any DispatchSourceSignal

    /// Whether input and output are a terminal.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Takes the terminal over.
    ///
    /// - Parameters:
    ///   - onKeys: Is called with keys that were pressed.
    ///   - onResize: Is called when the terminal has another size.
    ///   - onEnd: Is called when the terminal is gone.
    init(
        onKeys: @escaping @MainActor ([Key]) -> Void, onResize: @escaping @MainActor () -> Void,
        onEnd: @escaping @MainActor () -> Void
    ) {
        TerminalGuard.begin()
        input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        input.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // The main queue is where the main actor runs.
            MainActor.assumeIsolated {
                if count <= 0 { return onEnd() }
                onKeys(KeyDecoder().keys(in: Array(bytes.prefix(count))))
            }
        }
        input.resume()
        resize = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .main)
        resize.setEventHandler { MainActor.assumeIsolated { onResize() } }
        resize.resume()
        show("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    /// Gives the terminal back.
    func restore() {
        input.cancel()
        resize.cancel()
        TerminalGuard.restore()
    }

    /// The size of the terminal.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Writes a frame, with one call as long as the terminal takes it.
    func show(_ frame: String) {
        var bytes = Array(frame.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR && errno != EAGAIN {
                return
            }
        }
    }
}

/// What the terminal was, for whoever has to give it back, a signal handler too.
private enum TerminalGuard {
    // Sound: written once, before the handlers that read it are there.
    nonisolated(unsafe) private static var saved = termios()
    // Sound: as above, and set to false by whoever restores first; twice would do no harm.
    nonisolated(unsafe) private static var isTaken = false

    static func begin() {
        tcgetattr(STDIN_FILENO, &saved)
        isTaken = true
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        atexit { TerminalGuard.restore() }
        // What ends the process: the terminal first, and then as if nobody had asked. The store
        // needs no goodbye.
        let ends = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP,
        ]
        for number in ends {
            signal(number) { number in
                TerminalGuard.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Calls nothing that a signal handler may not.
    static func restore() {
        if !isTaken { return }
        isTaken = false
        tcsetattr(STDIN_FILENO, TCSANOW, &saved)
        Terminal.restoringText.withUTF8Buffer {
            _ = write(STDOUT_FILENO, $0.baseAddress, $0.count)
        }
    }
}

extension Terminal {
    /// What makes a terminal what it was: the other screen is left, the cursor is there. Nothing
    /// has to be made of it.
    nonisolated fileprivate static var restoringText: StaticString {
        "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
    }
}
