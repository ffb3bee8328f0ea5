import DuramenModel
import Foundation

extension FetchFunction {
    /// Returns the function's result, or null if the number or types of the arguments do not fit.
    public func call(_ arguments: [QueryValue]) -> QueryValue {
        guard arity.contains(arguments.count) else { return .null }
        switch self {
        case .count: return .value(.integer(Int64(all(arguments).count)))
        case .sum: return .value(CollectionFunctions.sum(all(arguments)))
        case .average: return .value(CollectionFunctions.average(all(arguments)))
        case .min: return .value(all(arguments).min(by: StoredValue.precedes) ?? .null)
        case .max: return .value(all(arguments).max(by: StoredValue.precedes) ?? .null)
        case .median: return .value(CollectionFunctions.median(all(arguments)))
        case .stddev: return .value(CollectionFunctions.deviation(all(arguments)))
        case .mode: return QueryValue(CollectionFunctions.mode(all(arguments)))
        case .distinct: return QueryValue(all(arguments).distinct)
        case .union, .intersect, .minus:
            return QueryValue(
                CollectionFunctions.combine(
                    self, arguments[0].flattened, arguments[1].flattened))
        case .element: return element(of: arguments[0], arguments[1].scalar)
        case .first: return arguments[0].elements?.first ?? .null
        case .last: return arguments[0].elements?.last ?? .null
        case .distance: return .value(distance(arguments[0], arguments[1]))
        case .noindex: return arguments[0]
        case .length: return .value(length(arguments[0]))
        default: return .value(call(arguments.map(\.scalar)))
        }
    }

    private func all(_ arguments: [QueryValue]) -> [StoredValue] {
        arguments.count == 1 ? arguments[0].flattened : arguments.flatMap(\.flattened)
    }

    /// Returns the result of a function of single values, with as many arguments as it takes.
    func call(_ arguments: [StoredValue]) -> StoredValue {
        switch self {
        case .now: return .date(Date())
        case .random: return .double(Double.random(in: 0..<1))
        case .randomn:
            guard let bound = Number(arguments[0])?.whole, bound > 0 else { return .null }
            return .integer(Int64.random(in: 0..<bound))
        case .uppercase: return text(arguments[0]) { $0.uppercased() }
        case .lowercase: return text(arguments[0]) { $0.lowercased() }
        case .canonical:
            guard let text = arguments[0].textValue else { return .null }
            return .text(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]))
        case .localized:
            guard let text = arguments[0].textValue else { return .null }
            return .text(
                TextFolding.fold(text, FetchSortDescriptor.Comparison.localizedStandard.options))
        case .add, .subtract:
            if let moved = calendar(arguments[0], arguments[1]) { return moved }
        default: break
        }
        guard let first = arguments.first.flatMap(Number.init) else { return .null }
        if arguments.count == 1 { return Number.calculate(self, first) }
        guard let second = Number(arguments[1]) else { return .null }
        return Number.calculate(self, first, second)
    }

    /// Returns the sum or difference of dates; nil if neither value is a date.
    private func calendar(_ a: StoredValue, _ b: StoredValue) -> StoredValue? {
        switch (a, b) {
        case (.date(let x), .date(let y)):
            if self == .add { return .null }
            return Number.double(
                x.timeIntervalSinceReferenceDate - y.timeIntervalSinceReferenceDate
            ).value
        case (.date(let date), let other):
            guard let seconds = Number(other)?.double else { return .null }
            return moved(date, by: self == .add ? seconds : -seconds)
        case (let other, .date(let date)):
            guard self == .add, let seconds = Number(other)?.double else { return .null }
            return moved(date, by: seconds)
        default: return nil
        }
    }

    private func moved(_ date: Date, by seconds: Double) -> StoredValue {
        let moved = date.timeIntervalSinceReferenceDate + seconds
        return moved.isNaN ? .null : .date(Date(timeIntervalSinceReferenceDate: moved))
    }

    private func text(_ value: StoredValue, _ change: (String) -> String) -> StoredValue {
        value.textValue.map { .text(StoredText(change($0.string))) } ?? .null
    }

    private func length(_ value: QueryValue) -> StoredValue {
        if let elements = value.elements { return .integer(Int64(elements.count)) }
        if case .binary(let data) = value.scalar { return .integer(Int64(data.count)) }
        return value.scalar.textValue.map { .integer(Int64($0.string.unicodeScalars.count)) }
            ?? .null
    }

    private func element(of collection: QueryValue, _ place: StoredValue) -> QueryValue {
        switch collection {
        case .dictionary(let values): return place.textValue.flatMap { values[$0.string] } ?? .null
        case .collection(let elements):
            guard let index = Number(place)?.whole, index >= 0, index < elements.count else {
                return .null
            }
            return elements[Int(index)]
        case .value: return .null
        }
    }

    /// Returns the great-circle distance on a sphere of the earth's mean radius (IUGG: 6 371 008.8
    /// m).
    private func distance(_ a: QueryValue, _ b: QueryValue) -> StoredValue {
        let (from, to) = (place(a), place(b))
        guard let from, let to else { return .null }
        let height = sin((to.latitude - from.latitude) / 2)
        let width = sin((to.longitude - from.longitude) / 2)
        let part = height * height + cos(from.latitude) * cos(to.latitude) * width * width
        return .double(2 * 6_371_008.8 * asin(Swift.min(1, part.squareRoot())))
    }

    private func place(_ value: QueryValue) -> (latitude: Double, longitude: Double)? {
        let parts =
            if case .dictionary(let values) = value {
                ["latitude", "longitude"].map { values[$0]?.scalar ?? .null }
            } else {
                value.flattened
            }
        let numbers = parts.compactMap { Number($0)?.double }
        guard numbers.count == 2, numbers.allSatisfy(\.isFinite) else { return nil }
        return (numbers[0] * .pi / 180, numbers[1] * .pi / 180)
    }
}
