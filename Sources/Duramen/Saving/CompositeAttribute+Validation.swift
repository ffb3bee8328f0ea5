import DuramenModel

extension CompositeAttribute {
    /// The composite itself if it is optional, otherwise the outermost optional composites in it.
    var outermostOptional: [CompositeAttribute] {
        if isOptional { return [self] }
        var result: [CompositeAttribute] = []
        for case .composite(let nested) in elements { result += nested.outermostOptional }
        return result
    }

    /// Returns the paths of mandatory elements without a value. Composites without any value are
    /// skipped if they are optional.
    func missingElements(in row: Row) -> [String] {
        if isOptional, slots.allSatisfy({ row.isNull($0) }) { return [] }
        return elements.flatMap { element in
            switch element {
            case .attribute(let attribute):
                attribute.isOptional || !row.isNull(attribute.slot) ? [] : [attribute.name]
            case .composite(let composite): composite.missingElements(in: row)
            }
        }
    }
}
