extension Optional where Wrapped == Any {
    /// The value inside nested optionals; nil if there is none.
    var flattened: Any? {
        guard case .some(let value) = self else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return Self.flattened(mirror.children.first?.value)
    }

    private static func flattened(_ value: Any?) -> Any? { value.flattened }
}
