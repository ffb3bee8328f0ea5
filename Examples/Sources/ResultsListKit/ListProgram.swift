/// What keys do to a list of packages.
@MainActor
public struct ListProgram {
    /// What goes on after a key.
    public enum Step: Sendable {
        case goOn, quit
    }

    private let list: PackageList
    /// The filter that is being typed; nil when none is.
    public private(set) var typed: String?
    /// What went wrong last.
    public private(set) var failure: String?

    public init(_ list: PackageList) { self.list = list }

    /// What is to be said at the bottom of the screen.
    public var status: String {
        if let failure { return failure }
        if let typed { return "/\(typed)_   enter keeps, escape shows all" }
        return "↑↓ scroll  []  section  / filter  f favourite  d delete  u undo  w save  q quit"
    }

    /// Does what a key says.
    ///
    /// - Parameter pageRows: How far a page goes.
    public mutating func handle(_ key: Key, pageRows: Int) -> Step {
        failure = nil
        do {
            if let typed { try type(key, typed) } else { return try command(key, pageRows) }
        } catch {
            failure = "\(error)"
        }
        return .goOn
    }

    private mutating func type(_ key: Key, _ text: String) throws {
        switch key {
        case .character(let character): typed = text + String(character)
        case .backspace: typed = String(text.dropLast())
        case .escape:
            typed = nil
            return try list.filter(by: "")
        case .enter, .interrupt:
            typed = nil
            return
        default: return
        }
        try list.filter(by: typed ?? "")
    }

    private mutating func command(_ key: Key, _ pageRows: Int) throws -> Step {
        switch key {
        case .up, .character("k"): list.moveCursor(to: list.cursor - 1)
        case .down, .character("j"): list.moveCursor(to: list.cursor + 1)
        case .pageUp: list.moveCursor(to: list.cursor - pageRows)
        case .pageDown: list.moveCursor(to: list.cursor + pageRows)
        case .home, .character("g"): list.moveCursor(to: 0)
        case .end, .character("G"): list.moveCursor(to: list.count - 1)
        case .character("]"): list.jump(bySections: 1)
        case .character("["): list.jump(bySections: -1)
        case .character("/"): typed = list.filter
        case .character("f"): try list.toggleFavourite()
        case .character("d"): list.deletePackage()
        case .character("u"): try list.undo()
        case .character("w"): try list.save()
        case .character("q"), .interrupt: return .quit
        default: break
        }
        return .goOn
    }
}
