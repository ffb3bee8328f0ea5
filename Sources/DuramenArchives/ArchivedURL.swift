public import Foundation

/// A URL in a keyed archive: a text, and the base URL of the text.
///
/// The text is kept unchanged, because Foundation's `URL` may escape some of its characters.
public struct ArchivedURL: Sendable, Hashable {
    /// The text, followed by the texts of its bases, nearest first. Never empty.
    let texts: [String]

    init(texts: [String]) { self.texts = texts }

    /// Creates a URL from a text.
    public init(_ relative: String, base: ArchivedURL? = nil) {
        texts = [relative] + (base?.texts ?? [])
    }

    /// Creates a URL from a Foundation URL.
    public init(_ url: URL) {
        self.init(url.relativeString, base: url.baseURL.map { ArchivedURL($0) })
    }

    /// The text, relative to the base.
    public var relative: String { texts[0] }

    /// The base URL of the text; nil for none.
    public var base: ArchivedURL? {
        texts.count > 1 ? ArchivedURL(texts: Array(texts.dropFirst())) : nil
    }

    /// The Foundation URL; nil if a text is not a valid URL.
    public var url: URL? {
        var url: URL?
        for text in texts.reversed() {
            guard let next = URL(string: text, relativeTo: url) else { return nil }
            url = next
        }
        return url
    }
}
