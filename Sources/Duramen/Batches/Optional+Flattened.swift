extension Optional where Wrapped == Any {
    /// The value within optionals of optionals.
    var flattened: Any? {
        guard case .some(let value) = self else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return Self.flattened(mirror.children.first?.value)
    }

    private static func flattened(_ value: Any?) -> Any? { value.flattened }
}
