import Foundation

public struct RegularExpressionError: Error, Sendable, Hashable { public let message: String }
public struct RegularExpression: Sendable {
    let pattern: String
    public init(_ pattern: String, options: PredicateComparison.Options = [])
        throws(RegularExpressionError)
    { self.pattern = pattern }
    func matches(_ utf8: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: utf8, as: UTF8.self)
        guard let r = text.range(of: pattern, options: [.regularExpression, .anchored]) else {
            return false
        }
        return r.upperBound == text.endIndex
    }
}
